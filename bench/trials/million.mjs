// One instance on 1,000,000 entries: start, pages of the panel, documented reads, heal and backup; and the same reads on
// a small database. --engine postgres starts a server. --database keeps the filled database, or uses the one that is
// there: a file of SQLite or the URL of an empty PostgreSQL database.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseConfig } from '../../dist/src/config.js'
import { tables } from '../../dist/src/db/tables.js'
import { createLog, nodePorts } from '../../dist/src/node/ports.js'
import { open } from '../../dist/src/server.js'
import { entriesOfPage, fill } from '../data.mjs'
import { pagesOf } from '../panel-pages.mjs'
import { at } from './judgement.mjs'
import { caller, cli, instance, login, must, password } from './product.mjs'
import { folder, postgres, say } from './programs.mjs'

const samples = 20
const [p95Ms, maxMs, startMs, memoryMib] = [100, 1000, 2000, 300]

/** Fills an empty database. @returns the paths of the panel's pages */
async function prepare(config, entries) {
  const ports = nodePorts(createLog('error'))
  const fields = { ...config, app_secret: 'a secret that all instances share 27' }
  const parsed = parseConfig(fields, {}).config
  const { db } = await open({ config: parsed, ports, variables: { CMS_ADMIN_PASSWORD: password } })
  const { user_id } = await db.find(tables.users, {})
  if ((await db.count(tables.contentData)) === 0) {
    const from = performance.now()
    await fill(db, entries, user_id, { visibility: 'public' })
    const seconds = ((performance.now() - from) / 1000).toFixed(0)
    const size =
      config.db_driver === 'sqlite' ? `, ${(statSync(config.db_url).size / 2 ** 30).toFixed(1)} GiB` : ''
    say(`${entries} entries filled in ${seconds} s${size}`)
  }
  const pages = await pagesOf(db)
  await db.close()
  return pages
}

const memoryOf = (pid, what = 'VmRSS') =>
  Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** The processor time of a process so far, which a busy machine hardly increases. */
function processorMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

/** Notes each id in an answer under its name. */
function noteIds(value, ids) {
  if (Array.isArray(value)) for (const one of value) noteIds(one, ids)
  else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) {
      if (name.endsWith('_id') && typeof one === 'string' && !ids.has(name)) ids.set(name, one)
      noteIds(one, ids)
    }
}

/** Streams of events, other systems, and answers that other limits are for. */
const leftOut = /events$|oauth|metrics|backups|openapi/

/** Returns every documented read whose parameters can be filled. */
async function documentedReads(api) {
  const { paths } = await must(api)('GET', '/api/v1/openapi.json')
  const gets = Object.entries(paths)
    .map(([path, methods]) => [`/api/v1${path.replace('/api/v1', '')}`, methods])
    .filter(([path, { get }]) => get && !leftOut.test(path))
  const ids = new Map()
  const limited = (path, { parameters = [] }) =>
    parameters.some(({ name }) => name === 'limit') ? `${path}?limit=20` : path
  for (const [path, { get }] of gets)
    if (!path.includes('{')) noteIds((await api('GET', limited(path, get))).json, ids)
  const entries = Number((await api('GET', '/api/v1/content?limit=1')).headers.get('x-total-count') ?? 0)
  const varied = [
    ['first pages of content', i => `/api/v1/content?limit=20&offset=${i * 20}`],
    ['last pages of content', i => `/api/v1/content?limit=20&offset=${Math.max(0, entries - 100 - i * 20)}`],
  ]
  const documented = gets.flatMap(([path, { get }]) => {
    const asked = (get.parameters ?? []).find(({ name }) => name === 'q')
    const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name) => ids.get(name) ?? whole)
    if (filled.includes('{')) return []
    const id = asked && path.includes('content') ? ids.get('content_data_id') : undefined
    return [[path, () => (asked?.required && id ? `${filled}?q=${id}` : limited(filled, get))]]
  })
  return [...varied, ...documented]
}

/** Reads with many variants, each different in each request. */
async function variedReads(entries, call) {
  const pages = Math.floor(entries / entriesOfPage)
  const any = () => Math.floor(Math.random() * pages)
  const query = '/api/v1/query/card?limit=20'
  const sitemap = (await call('GET', '/sitemap.xml')).text.replaceAll('&amp;', '&')
  const parts = [...sitemap.matchAll(/<sitemap><loc>[^<]*(\/sitemap[^<]*)</g)].map(([, path]) => path)
  return [
    ['page by slug', () => `/page-${any()}`],
    ['query by a value', i => `${query}&filter[heading][eq]=Heading%20${i}`],
    ['query by a part of a text', i => `${query}&filter[heading][contains]=ng%20${i}`],
    ['the same, counted', i => `${query}&count=true&filter[heading][contains]=ng%20${i}`],
    ['query sorted', i => `${query}&sort=-heading&offset=${i}`],
    ['search, frequent words', i => `/api/v1/search?q=brakes%20gears&offset=${i}`],
    ['search, a rare word', i => `/api/v1/search?q=heading%20${i}`],
    ['sitemap', () => '/sitemap.xml'],
    ...(parts.length > 0 ? [['a part of the sitemap', i => parts[i % parts.length]]] : []),
  ]
}

/** Times each read. @returns its name, status, the times of answers and how many were refused, the slowest first */
async function timed(reads, call, pid) {
  const found = []
  for (const [name, path] of reads) {
    const [times, statuses] = [[], []]
    const before = processorMs(pid)
    for (let i = 0; i < samples; i++) {
      const from = performance.now()
      statuses.push((await call('GET', path(i))).status)
      times.push(performance.now() - from)
    }
    const processor = (processorMs(pid) - before) / samples
    const isAnswered = statuses.includes(200)
    const counted = isAnswered ? times.filter((_, i) => statuses[i] === 200) : times
    const [p50, p95, max] = [at(counted, 0.5), at(counted, 0.95), Math.max(...counted)]
    const status = isAnswered ? 200 : statuses[0]
    const refused = isAnswered ? samples - counted.length : 0
    found.push({ name, status, refused, processor, first: times[0], p50, p95, max, load: loadavg()[0] })
  }
  return found.toSorted((a, b) => b.max - a.max)
}

/** Prints the reads, the slowest first, beside what the same ones took on the small database. */
function print(what, found, small) {
  say(`${what}: status, first, p50, p95, max, processor (on the small database: p50, processor), load`)
  const ms = time => time.toFixed(0).padStart(5)
  for (const { name, status, refused, first, p50, p95, max, processor, load } of found) {
    const other = small.find(one => one.name === name)
    const times = [first, p50, p95, max].map(ms).join(' ')
    const beside = other ? ` (${ms(other.p50)} ${other.processor.toFixed(1).padStart(6)})` : ''
    const not200 = refused > 0 ? `, ${refused} refused` : ''
    say(
      `  ${name.padEnd(44)} ${status} ${times} ${processor.toFixed(1).padStart(6)}${beside} ${load.toFixed(1)}${not200}`,
    )
  }
}

function judgeTimes(judgement, what, found) {
  const answered = found.filter(({ status }) => status === 200)
  const judge = (name, member, limit) => {
    const worst = answered.toSorted((a, b) => b[member] - a[member])
    const over = worst.filter(one => one[member] > limit)
    const shown = (over.length > 0 ? over : worst.slice(0, 1)).map(
      one => `${one.name} ${one[member].toFixed(0)} (processor ${one.processor.toFixed(0)})`,
    )
    judgement.add(`${what}, ${name}`, `${limit} ms`, shown.join(', '), over.length === 0)
  }
  judge(`p95 of ${answered.length} of ${found.length} that are 200`, 'p95', p95Ms)
  judge('slowest', 'max', maxMs)
}

/** Runs a command of the product. @returns the seconds it took and the most memory it used */
async function command(cwd, ...args) {
  const from = performance.now()
  const child = spawn(process.execPath, [cli, ...args], { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  let [code, most] = [undefined, 0]
  child.once('exit', ended => {
    code = ended ?? 1
  })
  while (code === undefined) {
    try {
      most = Math.max(most, memoryOf(child.pid, 'VmHWM') || 0)
    } catch {
      // It has ended.
    }
    await sleep(100)
  }
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
  return { seconds: (performance.now() - from) / 1000, most }
}

const smallEntries = 1050

/** @returns the times of the three groups of reads */
async function readAll(one, panel, entries) {
  const signedIn = caller(one.url, { Cookie: await login(one.url) }, 120_000)
  const pages = panel.map(([name, path]) => [name, () => `/admin${path}`])
  const nobody = caller(one.url, {}, 120_000)
  return {
    'pages of the panel': await timed(pages, signedIn, one.pid),
    'documented reads': await timed(await documentedReads(signedIn), signedIn, one.pid),
    'reads of the public': await timed(await variedReads(entries, nobody), nobody, one.pid),
  }
}

async function onSmall() {
  const config = { db_driver: 'sqlite', db_url: join(folder, 'small.db') }
  const panel = await prepare(config, smallEntries)
  const one = await instance('small', config)
  one.start()
  await one.ready()
  const found = await readAll(one, panel, smallEntries)
  await one.kill('SIGTERM')
  return found
}

async function judgeStarts(judgement, one, what) {
  const times = []
  for (let i = 0; i < 3; i++) {
    const from = performance.now()
    one.start()
    await one.ready()
    times.push(performance.now() - from)
    if (i < 2) await one.kill('SIGTERM')
  }
  const start = at(times, 0.5)
  const each = times.map(time => time.toFixed(0)).join(', ')
  judgement.add(
    `start on ${what}, median of ${each}`,
    `${startMs} ms`,
    `${start.toFixed(0)} ms`,
    start < startMs,
  )
}

async function judgeMemory(judgement, one) {
  const signedInBy = { Cookie: await login(one.url) }
  const from = performance.now()
  // The peak of the memory begins anew.
  writeFileSync(`/proc/${one.pid}/clear_refs`, '5')
  const patient = caller(one.url, signedInBy, 1_800_000)
  const heal = await patient('POST', '/api/v1/content/heal', {})
  const healed = `${heal.status}, ${((performance.now() - from) / 1000).toFixed(1)} s`
  const most = memoryOf(one.pid, 'VmHWM')
  judgement.add(
    'memory of the service with heal',
    `${memoryMib} MiB`,
    `${most.toFixed(0)} MiB (${healed})`,
    most < memoryMib,
  )
  const backup = await command(one.folder, 'backup', 'create')
  const took = `${backup.most.toFixed(0)} MiB (${backup.seconds.toFixed(0)} s)`
  judgement.add('memory of backup create', `${memoryMib} MiB`, took, backup.most < memoryMib)
}

export async function trial(
  judgement,
  { entries = 1_000_000, engine = 'sqlite', database, parts = 'reads,memory' },
) {
  const db_url =
    database ?? (engine === 'postgres' ? (await postgres('postgres')).url : join(folder, 'million.db'))
  const config = { db_driver: engine, db_url }
  if (database && existsSync(database)) say(`uses ${database}`)
  const panel = await prepare(config, entries)
  const small = parts.includes('reads') ? await onSmall() : undefined
  const one = await instance('one', { ...config, backup_dir: join(folder, 'backups') })
  await judgeStarts(judgement, one, `${entries} entries (${engine})`)
  if (small) {
    const found = await readAll(one, panel, entries)
    for (const [what, times] of Object.entries(found)) {
      print(what, times, small[what])
      judgeTimes(judgement, what, times)
    }
    judgement.add('memory of the service after these', '', `${memoryOf(one.pid).toFixed(0)} MiB`)
  }
  if (parts.includes('memory')) await judgeMemory(judgement, one)
  await one.kill('SIGTERM')
}
