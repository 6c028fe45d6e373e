// Prints the memory of the whole process for sessions over real SSH, each in a list, including the cost of SSH itself;
// then the latency of HTTP beside 1,000 hostile connections a minute.
// node bench/terminal-ssh.mjs, after npm run build
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import ssh2 from 'ssh2'

const sessions = 50
const [port, sshPort] = [18080, 12233]
const password = 'a password of this measurement'
const folder = mkdtempSync(join(tmpdir(), 'slugline-bench-'))
const config = { port: `127.0.0.1:${port}`, ssh_port: `127.0.0.1:${sshPort}`, log_level: 'error' }
writeFileSync(join(folder, 'cms.config.json'), JSON.stringify(config))
const service = spawn(process.execPath, [resolve('dist/cli.js'), 'serve'], {
  cwd: folder,
  env: { PATH: process.env.PATH, CMS_ADMIN_EMAIL: 'admin@example.com', CMS_ADMIN_PASSWORD: password },
  stdio: 'ignore',
})

const pause = ms => new Promise(done => setTimeout(done, ms))
/** Resident memory in MB. */
const memory = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1000

/** @param address one for each session: the limit of sign-ins is by address */
async function session(address, [columns, rows]) {
  const client = new ssh2.Client()
  await new Promise((done, failed) => {
    client.on('ready', done).on('error', failed)
    const how = { username: 'admin', password, localAddress: address, readyTimeout: 60_000 }
    client.connect({ host: '127.0.0.1', port: sshPort, ...how })
  })
  const window = { cols: columns, rows, term: 'xterm-256color' }
  const channel = await new Promise((done, failed) =>
    client.shell(window, (error, opened) => (error ? failed(error) : done(opened))),
  )
  let seen = ''
  await new Promise(done =>
    channel.on('data', data => {
      seen = (seen + data).slice(-20_000)
      if (seen.includes('Slugline')) done()
    }),
  )
  channel.write('\r')
  return client
}

/** Opens one hostile connection of three kinds: it sends nothing, sends garbage, or tries a password. */
function attack(i) {
  const localAddress = `127.0.2.${1 + (i % 250)}`
  if (i % 3 === 2) {
    const client = new ssh2.Client()
    client.on('error', () => undefined)
    client.connect({
      host: '127.0.0.1',
      port: sshPort,
      username: 'admin',
      password: `wrong ${i}`,
      localAddress,
    })
    return () => client.destroy()
  }
  const socket = connect({ host: '127.0.0.1', port: sshPort, localAddress })
  socket.on('error', () => undefined)
  if (i % 3 === 1) socket.write(Buffer.alloc(35_000, 'SSH-2.0-x\r\n'))
  return () => socket.destroy()
}

const percentile = (values, part) => values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]

/** Measures the latency of refused requests, one after another for this long, in ms. */
async function latencies(milliseconds) {
  const taken = []
  for (const until = performance.now() + milliseconds; performance.now() < until; await pause(2)) {
    const from = performance.now()
    await (await fetch(`http://127.0.0.1:${port}/api/v1/roles`)).text()
    taken.push(performance.now() - from)
  }
  return taken
}

/** Measures the latency of HTTP alone and beside 1,000 hostile connections a minute, in turns. */
async function besideAttacks() {
  const [alone, beside] = [[], []]
  let count = 0
  for (let turn = 0; turn < 4; turn++) {
    alone.push(...(await latencies(6000)))
    const ends = []
    const attacks = setInterval(() => ends.push(attack(count++)), 60)
    beside.push(...(await latencies(6000)))
    clearInterval(attacks)
    for (const end of ends) end()
    await pause(1000)
  }
  for (const [name, taken] of Object.entries({ alone, beside }))
    process.stdout.write(
      `HTTP ${name}: median ${percentile(taken, 0.5).toFixed(1)} ms, p99 ${percentile(taken, 0.99).toFixed(1)} ms of ${taken.length}\n`,
    )
}

try {
  for (let tries = 0; tries < 300; tries++) {
    if (
      await fetch(`http://127.0.0.1:${port}/api/v1/health`).then(
        () => true,
        () => false,
      )
    )
      break
    await pause(100)
  }
  await pause(1000)
  let address = 0
  // The first sessions load shared code, and leave the memory that sign-ins take.
  for (let i = 0; i < 5; i++) (await session(`127.0.1.${++address}`, [80, 24])).end()
  for (const size of [
    [80, 24],
    [200, 50],
  ]) {
    await pause(3000)
    const before = memory()
    const clients = []
    for (let i = 0; i < sessions; i++) clients.push(await session(`127.0.1.${++address}`, size))
    await pause(3000)
    const after = memory()
    const each = ((after - before) / sessions).toFixed(2)
    process.stdout.write(
      `${size.join('x')}: ${before.toFixed(0)} MB, with ${sessions} sessions ${after.toFixed(0)} MB, ${each} MB each\n`,
    )
    for (const client of clients) client.end()
  }
  await besideAttacks()
} finally {
  service.kill()
  await new Promise(done => service.once('exit', done))
  rmSync(folder, { recursive: true, force: true })
}
