// Prints what `ssh host content list` of many entries costs the requests beside it, and the memory of the process.
// BENCH_ENTRIES (100000), BENCH_TURNS (6) of four seconds alone and then beside the lists. The goal: at the 99th of 100
// requests at most 50 ms more.
// node bench/terminal-lists.mjs, after npm run build
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import ssh2 from 'ssh2'
import { parseConfig } from '../dist/src/config.js'
import { tables } from '../dist/src/db/tables.js'
import { createLog, nodePorts } from '../dist/src/node/ports.js'
import { open } from '../dist/src/server.js'
import { fill } from './data.mjs'

const entries = Number(process.env.BENCH_ENTRIES ?? 100_000)
const turns = Number(process.env.BENCH_TURNS ?? 6)
const turnMs = 4000
const [port, sshPort] = [18080, 12233]
const password = 'a password of this measurement'
const folder = mkdtempSync(join(tmpdir(), 'slugline-lists-'))
const file = join(folder, 'site.db')
const settings = {
  db_url: file,
  port: `127.0.0.1:${port}`,
  ssh_port: `127.0.0.1:${sshPort}`,
  log_level: 'error',
}
const variables = { CMS_ADMIN_EMAIL: 'admin@example.com', CMS_ADMIN_PASSWORD: password }
const say = text => process.stdout.write(`${text}\n`)
const pause = ms => new Promise(done => setTimeout(done, ms))

/** Fills the database before the service starts. @returns the address of a page */
async function filled() {
  const { config } = parseConfig(settings, {})
  const { db, stop } = await open({ config, ports: nodePorts(createLog('error'), undefined), variables })
  const { user_id } = await db.find(tables.users, {})
  await fill(db, entries, user_id)
  const { slug } = await db.find(tables.routes, {})
  await stop?.()
  await db.close?.()
  return slug
}

const slug = await filled()
writeFileSync(join(folder, 'cms.config.json'), JSON.stringify(settings))
const service = spawn(process.execPath, [resolve('dist/cli.js'), 'serve'], {
  cwd: folder,
  env: { PATH: process.env.PATH, ...variables },
  stdio: ['ignore', 'ignore', 'inherit'],
})
/** Resident memory in MB: now (`VmRSS`), and the most there was (`VmHWM`). */
const memory = name =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) /
  1000

async function signedIn() {
  const client = new ssh2.Client()
  await new Promise((done, failed) => {
    client.on('ready', done).on('error', failed)
    client.connect({ host: '127.0.0.1', port: sshPort, username: 'admin', password, readyTimeout: 60_000 })
  })
  return client
}

/** Runs a command, and reads all that it prints. @returns lines */
const lines = (client, command) =>
  new Promise((done, failed) =>
    client.exec(command, (error, channel) => {
      if (error) return failed(error)
      let count = 0
      channel.on('data', data => {
        for (const byte of data) if (byte === 10) count++
      })
      channel.on('close', () => done(count))
    }),
  )

/** Measures requests, one after another for this long, in ms. */
async function latencies(milliseconds) {
  const taken = []
  for (const until = performance.now() + milliseconds; performance.now() < until; await pause(2)) {
    const from = performance.now()
    const answer = await fetch(`http://127.0.0.1:${port}${slug}`)
    await answer.text()
    if (answer.status !== 200) throw new Error(`/page${slug} answered ${answer.status}`)
    taken.push(performance.now() - from)
  }
  return taken
}

const at = (values, part) => values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]

try {
  for (let tries = 0; tries < 600; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/health`).catch(() => undefined)
    if (answer?.ok) break
    await pause(100)
  }
  // SSH listens a little later than HTTP.
  let client
  for (let tries = 0; client === undefined && tries < 100; tries++) {
    client = await signedIn().catch(() => undefined)
    if (client === undefined) await pause(100)
  }
  if (client === undefined) throw new Error('SSH does not listen')
  const command = process.env.BENCH_COMMAND ?? 'content list --limit 0'
  await lines(client, command)
  await latencies(2000)
  const [alone, beside] = [[], []]
  const before = memory('VmRSS')
  let [printed, lists] = [0, 0]
  for (let turn = 0; turn < turns; turn++) {
    alone.push(...(await latencies(turnMs)))
    let isOver = false
    const listing = (async () => {
      while (!isOver) {
        printed += await lines(client, command)
        lists++
      }
    })()
    beside.push(...(await latencies(turnMs)))
    isOver = true
    await listing
    say(`turn ${turn + 1}: ${memory('VmRSS').toFixed(0)} MB`)
  }
  client.end()
  say(
    `${lists} lists of ${Math.round(printed / lists)} lines, ${before.toFixed(0)} MB before, at most ${memory('VmHWM').toFixed(0)} MB`,
  )
  for (const [name, taken] of Object.entries({ alone, beside }))
    say(
      `${name}: ${taken.length} requests, median ${at(taken, 0.5).toFixed(1)} ms, p99 ${at(taken, 0.99).toFixed(1)} ms, longest ${Math.max(...taken).toFixed(1)} ms`,
    )
} finally {
  service.kill()
  await new Promise(done => service.once('exit', done))
  rmSync(folder, { recursive: true, force: true })
}
