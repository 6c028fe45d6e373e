// Shared parts of the benchmarks: servers on one core, wrk on the other, and figures of several rounds.
import { execFile, fork } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const seconds = Number(process.env.BENCH_SECONDS ?? 3)
/** How long a server warms up before it is measured: the compiler needs several seconds for the hot paths. */
const warmSeconds = Number(process.env.BENCH_WARM ?? 8)
export const run = promisify(execFile)
export const say = text => process.stdout.write(`${text}\n`)
/** The caller removes it at the end. */
export const folder = mkdtempSync(join(tmpdir(), 'slugline-bench-'))

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
const pinned = await run('taskset', ['-c', '0', 'true']).then(
  () => true,
  () => false,
)

let port = Number(process.env.BENCH_PORT ?? 18_080)
export const nextPort = () => ++port

/** Starts `serve.mjs` in a process of its own. */
export async function server(settings) {
  nextPort()
  const file = join(folder, 'server.json')
  writeFileSync(file, JSON.stringify({ ...settings, port }))
  const child = fork(new URL('./serve.mjs', import.meta.url), {
    env: { ...process.env, BENCH_SERVER: file },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const stop = () => child.kill('SIGKILL')
  process.setMaxListeners(0)
  process.once('exit', stop)
  await new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', code => reject(new Error(`the server ended with ${code}`)))
  })
  if (pinned) await run('taskset', ['-a', '-cp', '0', String(child.pid)])
  return {
    url: `http://127.0.0.1:${port}`,
    rss: () =>
      new Promise(resolve => {
        child.once('message', ({ rss }) => resolve(rss / 2 ** 20))
        child.send('rss')
      }),
    async stop() {
      child.removeAllListeners('exit')
      const ended = new Promise(resolve => child.once('exit', resolve))
      stop()
      await ended
    },
  }
}

/**
 * Measures requests per second with wrk, which requests the paths in random order.
 * @param numbered whether each path gets a random number of up to eight digits, so that hardly any is requested twice
 */
export async function load(url, { paths, connections, headers = {}, duration = seconds, numbered = false }) {
  const script = join(folder, 'random.lua')
  writeFileSync(
    script,
    `local paths = { ${paths.map(path => JSON.stringify(path)).join(', ')} }
     local n = os.time() % 9000 * 10000
     request = function()
       n = n + 1
       return wrk.format("GET", paths[math.random(#paths)]${numbered ? ' .. string.format("%.0f", n)' : ''})
     end`,
  )
  const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const args = ['-t1', `-c${connections}`, `-d${duration}s`, '-s', script, ...flags, url]
  const { stdout } = await run(...(pinned ? ['taskset', ['-c', '1', 'wrk', ...args]] : ['wrk', args]))
  if (/Non-2xx/.test(stdout)) throw new Error(`answers other than 200: ${stdout}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
}

/**
 * Measures two servers of one mode in turns, because a shared machine is slower for minutes and faster for others.
 * @param sides the database of each and its requests, the smaller first
 * @param warm called with the address of each and its side before the first turn
 * @returns requests per second of each side by turn, and the ratio of the larger to the smaller in each turn, sorted
 */
export async function inTurns({ mode, connections = 16, turns, sides }, warm) {
  const both = []
  for (const { database, ...asked } of sides)
    both.push({ asked, rates: [], started: await server({ mode, database }) })
  for (const { started, asked } of both) await warm(started.url, asked)
  for (let turn = 0; turn < turns; turn++)
    for (const { started, asked, rates } of turn % 2 ? both : both.toReversed())
      rates.push(await load(started.url, { ...asked, connections, duration: 1 }))
  for (const { started } of both) await started.stop()
  const [less, more] = both.map(({ rates }) => rates)
  return { less, more, ratios: more.map((rate, turn) => rate / less[turn]).sort((a, b) => a - b) }
}

async function warm(url, { paths, ...asked }) {
  // Each URL once: a first request is never cached.
  for (const path of paths) await (await fetch(url + path + (asked.numbered ? '0' : ''))).arrayBuffer()
  await load(url, { paths, connections: 16, ...asked, duration: warmSeconds })
}

/**
 * Prints how fast lists are with and without cached responses, beside a bare node:http server that sends the same
 * bytes.
 * @param title the name of the requests
 * @param others paths of the same lists; a number behind each makes another query with the same entries
 * @param countIn the number of entries in a response's JSON; it must be 20
 */
export async function besideBare(title, { database, paths, others, countIn }) {
  const source = await server({ mode: 'memory', database })
  const bodies = await Promise.all(
    paths.map(async path => {
      const body = await (await fetch(source.url + path)).text()
      if (countIn(JSON.parse(body)) !== 20) throw new Error(`not 20 entries: ${body.slice(0, 300)}`)
      return body
    }),
  )
  await source.stop()
  // The bare server finds a response by its path alone.
  const plain = paths.map((_, i) => `/${i}`)
  say(`\n${title} (${bodies[0].length} bytes), 16 connections`)
  const rates = new Map()
  for (let round = 0; round < 3; round++)
    for (const [label, settings, asked] of [
      ['bare node:http', { mode: 'bare', paths: plain, bodies }, { paths: plain }],
      ['in memory', { mode: 'memory', database }, { paths }],
      ...(others ? [['another query', { mode: 'memory', database }, { paths: others, numbered: true }]] : []),
      ['not in memory', { mode: 'stored', database }, { paths }],
    ]) {
      const started = await server(settings)
      await warm(started.url, asked)
      const rate = await load(started.url, { ...asked, connections: 16 })
      rates.set(label, [...(rates.get(label) ?? []), rate])
      await started.stop()
    }
  const bare = median(rates.get('bare node:http'))
  for (const [label, values] of rates) {
    const [rate, each] = [median(values), values.map(one => one.toFixed(0)).join(', ')]
    const ratio = (rate / bare).toFixed(3)
    say(`  ${label.padEnd(20)}${rate.toFixed(0).padStart(8)} req/s  ratio ${ratio} (${each})`)
  }
}

/**
 * Prints how fast the same lists are with a larger database.
 * @param sides as for `inTurns`
 */
export async function growthOf(title, { turns, sides }) {
  for (const [mode, where] of [
    ['memory', 'in memory'],
    ['stored', 'not in memory'],
  ]) {
    const { less, more, ratios } = await inTurns({ mode, turns, sides }, warm)
    const [few, many] = [less, more].map(rates => median(rates).toFixed(0).padStart(8))
    const ratio = median(ratios).toFixed(2)
    say(`  ${`${title}, ${where}`.padEnd(30)}${few} ${many} req/s  ratio ${ratio}`)
  }
}
