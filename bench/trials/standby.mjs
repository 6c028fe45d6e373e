// An instance with db_read_only on a streaming standby, under load (Debian: postgresql).
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { at, spread } from './judgement.mjs'
import { load, lostOf, prepare } from './load.mjs'
import { caller, instance, must } from './product.mjs'
import { asUser, freePort, pgPrograms, postgres, run, say, until } from './programs.mjs'

/** What the load takes for a wrong answer; the goal is for staleness. */
const freshMs = 5000
const staleMs = 1000

/** Changes one page again and again. @returns how long it took until a response of the reader showed it */
async function staleness(writer, reader, site, isOver) {
  const [change, read] = [caller(writer.url, { Cookie: site.cookie }), caller(reader.url)]
  const page = must(change)
  const body = { slug: '/fresh', title: 'Fresh', datatype_id: site.datatype_id, status: 'published' }
  const { entry } = await page('POST', '/api/v1/pages', { ...body, fields: { head: 'v0' } })
  const times = []
  for (let i = 1; !isOver(); i++) {
    await page('PUT', `/api/v1/content/?q=${entry.content_data_id}`, { fields: { head: `v${i}` } })
    const from = performance.now()
    const isThere = async () => (await read('GET', '/fresh?format=clean')).json?.head === `v${i}`
    await until('the reader shows the change', isThere, { every: 5 })
    times.push(performance.now() - from)
    await sleep(100)
  }
  return times
}

/** Notes every second how far the standby is behind, as the reader measures it. */
async function lags(port, isOver) {
  const found = []
  while (!isOver()) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    found.push(1000 * Number(/^slugline_replica_lag_seconds (\S+)$/m.exec(text)?.[1]))
    await sleep(1000)
  }
  return found
}

/** Asks both for everything that is public or a key may read. @returns paths whose answers differ */
async function differences(writer, reader, site) {
  const { paths } = await must(caller(writer.url))('GET', '/api/v1/openapi.json')
  const documented = Object.entries(paths)
    .filter(([path, { get }]) => get && !/\{|health|instances|metrics|oauth|events|changes|config/.test(path))
    .map(([path]) => `/api/v1${path.replace('/api/v1', '')}`)
  const formats = ['native', 'clean', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress']
  const pages = site.pages.flatMap(({ slug }) => formats.map(format => `${slug}?format=${format}`))
  const lists = ['/api/v1/query/page?count=true', '/api/v1/search?q=made', '/sitemap.xml', '/robots.txt']
  const found = []
  let compared = 0
  const key = { Authorization: `Bearer ${site.key}` }
  for (const [headers, asked] of [
    [{}, [...pages, ...lists, ...documented]],
    [key, [...site.pages.map(({ slug }) => `/api/v1/page${slug}?format=native`), ...documented]],
  ])
    for (const path of asked) {
      const [one, other] = await Promise.all(
        [writer, reader].map(({ url }) => caller(url, headers)('GET', path)),
      )
      compared++
      if (one.status !== other.status || one.text !== other.text)
        found.push(`${path} ${one.status} ${other.status}`)
    }
  return { found, compared }
}

export async function trial(judgement, { seconds = 600 }) {
  const primary = await postgres('primary')
  const copy = async data =>
    run(
      ...asUser(
        'postgres',
        join(pgPrograms(), 'pg_basebackup'),
        '-D',
        data,
        '-R',
        '-c',
        'fast',
        '-X',
        'stream',
        '-d',
        primary.url,
      ),
    )
  const shared = { db_driver: 'postgres', client_site: 'https://site.example' }
  const writer = await instance('writer', { ...shared, db_url: primary.url })
  writer.start()
  await writer.ready()
  const standby = await postgres('standby', { data: copy })
  const metrics_port = await freePort()
  const own = { ...shared, db_url: standby.url, db_read_only: true, metrics_port }
  const reader = await instance('reader', own)
  const site = await prepare(writer.url)
  reader.start()
  await reader.ready()
  say('a writer and a reader under load')
  const end = performance.now() + seconds * 1000
  const isOver = () => performance.now() > end
  const { figures, ended } = load(writer.url, site, { isOver, urls: [], reads: reader.url, freshMs })
  const [times, behind] = await Promise.all([
    staleness(writer, reader, site, isOver),
    lags(metrics_port, isOver),
    ended,
  ])
  await sleep(freshMs)
  const add = judgement.add.bind(judgement)
  const { answers, wrong, samples } = figures
  const reads = [answers.total(/^page.* 200/), answers.total(/^page/)]
  add('reads of the reader', 'all 200', `${reads[0]} of ${reads[1]}`, reads[0] === reads[1])
  add('wrong answers', '0', wrong.size === 0 ? '0' : wrong, wrong.size === 0)
  const lost = await lostOf([reader.url], { ...figures, media: [] })
  add('acknowledged changes missing at the reader', '0', lost.size === 0 ? '0' : lost, lost.size === 0)
  const { found, compared } = await differences(writer, reader, site)
  add(
    'reads that differ from the writer',
    '0',
    `${found.length} of ${compared} ${found.slice(0, 8)}`,
    found.length === 0,
  )
  add('a change is shown after', `p99 ${staleMs} ms`, spread(times), at(times, 0.99) < staleMs)
  add('slugline_replica_lag_seconds', '', spread(behind))
  const errors = reader.messages(50)
  add(`error lines of the reader in ${seconds} s`, '0', errors.size === 0 ? '0' : errors, errors.size === 0)
  const refused = standby.server.log().match(/^.*(ERROR|FATAL): .*$/gm) ?? []
  const serious = refused.filter(line => !/starting up/.test(line))
  add(
    'statements that the standby refused',
    '0',
    `${serious.length} ${serious.slice(0, 3)}`,
    serious.length === 0,
  )
  add('answers', '', answers)
  for (const sample of samples.slice(0, 10)) say(sample)
}
