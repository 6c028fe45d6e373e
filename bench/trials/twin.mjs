// A twin of a site on nginx, Bun, Deno and workerd, by the examples of docs/edge.md: random edits while it follows, and
// how old pages are there; changes of all pages, with and without `origin`; then the service is killed, and each answer is
// compared with the one that it gave (Debian: nginx-light). --pages N, --seconds N, --seed N; under 30 seconds no age is
// judged.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request as ask } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { register } from 'tsx/esm/api'
import { at, spread } from './judgement.mjs'
import { Counts, caller, cli, instance, login, must } from './product.mjs'
import { folder, freePort, listens, program, say, until } from './programs.mjs'

const ageMs = 2000
const locales = ['', 'en', 'de', 'fr-CA']
const atOnce = 8

/** Headers of a connection or of one request alone, and those of the server program. */
const passing = new Set(['date', 'x-request-id', 'connection', 'keep-alive', 'transfer-encoding', 'server'])
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends a request as it stands: no path is changed, no redirect followed, nothing decompressed. */
const answerOf = (port, { path, method = 'GET', headers = {} }) =>
  new Promise((resolve, reject) => {
    const sent = ask({ host: '127.0.0.1', agent, port, path, method, headers, timeout: 30_000 }, response => {
      const pieces = []
      response.on('data', piece => pieces.push(piece))
      response.on('error', reject)
      response.on('end', () => {
        const body = Buffer.concat(pieces)
        const shown = Object.entries(response.headers).filter(([name]) => !passing.has(name))
        resolve({ status: response.statusCode, headers: Object.fromEntries(shown.sort()), body })
      })
    })
    sent.on('timeout', () => sent.destroy(new Error('no response in 30 s')))
    sent.on('error', reject)
    sent.end()
  })

/** Describes a response by what must be equal. */
function described({ status, headers, body }, { method }) {
  // A server may send a body in pieces, without its length.
  const { 'content-length': length = method === 'HEAD' ? '' : String(body.length), ...others } = headers
  const sum = createHash('sha256').update(body).digest('hex').slice(0, 16)
  return JSON.stringify([status, others, method === 'HEAD' ? '' : length, sum])
}

/** Asks a server for everything, `atOnce` at a time. @param each is called with the place of a request and its response */
async function eachAnswer(port, requests, each) {
  let next = 0
  const work = async () => {
    for (let i = next++; i < requests.length; i = next++) each(i, await answerOf(port, requests[i]))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** A site of many pages: some show others, some are moved, deleted or drafts. */
async function filled(api, pages) {
  await api('POST', '/locales', { code: 'de', label: 'Deutsch' })
  await api('POST', '/locales', { code: 'fr', label: 'Français', fallback_code: 'de' })
  const datatype = label =>
    api('POST', '/datatypes', { label, type: 'content', visibility: 'public' }).then(
      ({ datatype_id }) => datatype_id,
    )
  const [page, note] = [await datatype('Page'), await datatype('Note')]
  const field = (parent_id, label, field_type, more = {}) =>
    api('POST', '/fields', { parent_id, label, field_type, ...more })
  await field(page, 'Head', 'text', { translatable: true })
  await field(page, 'Text', 'richtext')
  await field(page, 'See', 'relation')
  await field(page, 'Menu', 'relation')
  await field(note, 'Head', 'text')
  const { route_id: top } = await api('POST', '/routes', { slug: '/menu', title: 'Menu' })
  const { content_data_id: menu } = await api('POST', '/content', {
    ...{ datatype_id: note, route_id: top, status: 'published', fields: { head: 'menu 0!' } },
  })
  const site = { page, note, menu, pages: [] }
  for (let i = 0; i < pages; i++) {
    const slug = i === 0 ? '/' : i % 3 === 0 ? `/blog/ä-${i}` : `/blog/page-${i}`
    const translations = i % 2 === 0 ? { de: { slug: `/de/${i}`, title: `Seite ${i}` } } : {}
    const { route_id } = await api('POST', '/routes', { slug, title: `Page ${i}`, translations })
    const see = i > 0 && i % 10 === 0 ? { see: site.pages[i - 1].id } : {}
    const fields = {
      head: `v0 of ${i} 🚲`,
      text: `<p>Text <em>${i}</em> <a href="/old">there</a></p>`,
      menu,
      ...see,
    }
    const { content_data_id: id } = await api('POST', '/content', {
      ...{ datatype_id: page, route_id, status: 'published', fields },
    })
    if (i % 4 === 0)
      await api('PUT', `/content/?q=${id}`, { locale: 'de', fields: { head: `Fassung 0 von ${i}` } })
    site.pages.push({ id, route_id, slug, translated: i % 2 === 0 ? `/de/${i}` : undefined })
  }
  await api('POST', '/redirects', { slug: '/old', target: '/blog/page-1' })
  await api('POST', '/redirects', { slug: '/out', target: 'https://other.example/x?a=1', status: 301 })
  await api('POST', '/redirects', { slug: '/page', route_id: site.pages[2].route_id })
  const gone = await api('POST', '/routes', { slug: '/gone', title: 'Gone' })
  const place = { datatype_id: page, route_id: gone.route_id, fields: { head: 'gone' } }
  const entry = await api('POST', '/content', { ...place, status: 'published' })
  await api('DELETE', `/content/?q=${entry.content_data_id}`)
  const draft = await api('POST', '/routes', { slug: '/draft', title: 'Draft' })
  await api('POST', '/content', { ...place, route_id: draft.route_id, status: 'draft' })
  return site
}

/** Takes one that all readers have seen by now. */
const settled = list => (performance.now() - list[0]?.since > 10_000 ? list.shift() : undefined)

/** Edits of every kind that readers see. Each returns an address, and how its response is once the edit is seen. */
function editsOf({ api, port }, site, next) {
  const change = (id, fields, more = {}) => api('PUT', `/content/?q=${id}`, { fields, ...more })
  const clean = slug => `${encodeURI(slug)}?format=clean`
  const shows = (slug, text, query = '') => ({
    path: clean(slug) + query,
    isSeen: ({ body }) => body.includes(text),
  })
  const missing = slug => ({ path: clean(slug), isSeen: ({ status }) => status === 404 })
  const redirects = []
  const hidden = []
  return {
    async value(n) {
      const { id, slug } = next()
      await change(id, { head: `value ${n}!` })
      return shows(slug, `value ${n}!`)
    },
    async translation(n) {
      const { id, slug } = next()
      await change(id, { head: `Wert ${n}!` }, { locale: 'de' })
      return shows(slug, `Wert ${n}!`, '&locale=de')
    },
    async block(n) {
      const { id, slug } = next()
      const note = {
        datatype_id: site.note,
        parent_id: id,
        status: 'published',
        fields: { head: `note ${n}!` },
      }
      await api('POST', '/content', note)
      return shows(slug, `note ${n}!`)
    },
    async slug(n) {
      const one = next()
      one.slug = `/moved/${n}`
      await api('PUT', `/routes/?q=${one.route_id}`, { slug: one.slug })
      return { path: clean(one.slug), isSeen: ({ status }) => status === 200 }
    },
    async unpublished() {
      const one = next()
      hidden.push({ ...one, since: performance.now() })
      await api('POST', '/content/unpublish', { content_data_id: one.id })
      return missing(one.slug)
    },
    async published() {
      const one = settled(hidden)
      if (!one) return this.unpublished()
      await api('POST', '/content/publish', { content_data_id: one.id })
      return { path: clean(one.slug), isSeen: ({ status }) => status === 200 }
    },
    async created(n) {
      const slug = `/new/${n}`
      const { route_id } = await api('POST', '/routes', { slug, title: slug })
      const entry = { datatype_id: site.page, route_id, status: 'published', fields: { head: `made ${n}!` } }
      await api('POST', '/content', entry)
      site.pages.push({ slug })
      return shows(slug, `made ${n}!`)
    },
    async listed(n) {
      const made = await this.created(n)
      const slug = made.path.split('?')[0]
      const isSeen = ({ body }) => body.includes(`${slug}<`)
      // A large sitemap is an index of parts.
      const { body } = await answerOf(port, { path: '/sitemap.xml' })
      const parts = [...String(body).matchAll(/\/sitemap\.xml\?[^<]*(?=<\/loc>)/g)]
      const paths = ['/sitemap.xml', ...parts.map(([part]) => part.replaceAll('&amp;', '&'))]
      for (const path of paths) if (isSeen(await answerOf(port, { path }))) return { path, isSeen }
      return made
    },
    async deleted() {
      const one = next()
      await api('DELETE', `/content/?q=${one.id}`)
      return missing(one.slug)
    },
    async redirect(n) {
      const slug = `/r/${n}`
      const { redirect_id } = await api('POST', '/redirects', { slug, target: `/to/${n}` })
      redirects.push({ slug, redirect_id, since: performance.now() })
      return { path: slug, isSeen: ({ headers }) => headers.location === `/to/${n}` }
    },
    async unredirected(n) {
      const one = settled(redirects)
      if (!one) return this.redirect(n)
      await api('DELETE', `/redirects/?q=${one.redirect_id}`)
      return missing(one.slug)
    },
    /** A page that shows another one, after a change of that other one. */
    async related(n) {
      const at = 10 * (1 + (n % Math.max(1, Math.floor((site.count - 1) / 10))))
      const [shown, showing] = [site.pages[at - 1], site.pages[at]]
      if (!shown || !showing) return this.value(n)
      await change(shown.id, { head: `shown ${n}!` })
      const { path, isSeen } = shows(showing.slug, `shown ${n}!`)
      return { path: path.replace('clean', 'contentful'), isSeen, isRelated: true }
    },
  }
}

/** Starts every runtime. @returns their ports by name, and those of a handler with and without `origin` */
async function startEdges(twin, origin) {
  const { edges } = await import('../../test/support/edges.ts')
  const { installedPackages } = await import('../../test/support/installed.ts')
  const runtimes = await installedPackages('test/client-runtimes', 'client-runtimes')
  const ports = {}
  const handlerPort = await freePort()
  const passingPort = await freePort()
  const names = ['node', 'passing', 'nginx', 'bun', 'deno', 'workerd']
  for (const name of names) {
    const port = { node: handlerPort, passing: passingPort }[name] ?? (await freePort())
    const place = { twin, folder: join(folder, name), port, runtimes, handlerPort }
    const { command, args, cwd } = edges[name === 'passing' ? 'node' : name](place)
    if (name === 'passing') {
      const server = join(place.folder, 'server.mjs')
      writeFileSync(
        server,
        readFileSync(server, 'utf8').replace('(request, store)', `(request, store, { origin: '${origin}' })`),
      )
    }
    const running = program(`edge-${name}`, command, args, { cwd })
    await until(`${name} listens`, () => {
      if (running.isOver) throw new Error(`${name} ended: ${running.log()}`)
      return listens(port)
    })
    if (port !== handlerPort && port !== passingPort) ports[name] = port
  }
  return { ports, handlers: { 'with `origin`': passingPort, 'without it': handlerPort } }
}

/** Asks a handler for pages at random until it has been current for 3 seconds. @returns the age of its oldest answer */
async function oldest(port, slugs, { random, query, isSeen, isOver }) {
  const from = performance.now()
  const found = { age: 0, answers: 0, outdated: 0 }
  const ask = async () => {
    while (!isOver() || performance.now() - from - found.age < 3000) {
      const asked = performance.now() - from
      const answer = await answerOf(port, { path: `${encodeURI(random.one(slugs))}${query}` })
      found.answers++
      if (!isSeen(answer)) {
        found.outdated++
        found.age = Math.max(found.age, asked)
      }
      if (asked > 300_000) return
      await sleep(random.below(100))
    }
  }
  await Promise.all(Array.from({ length: 4 }, ask))
  return found
}

/** Changes all pages at once, and judges how long readers still meet the old ones. */
async function massChanges({ judgement, api, twin, handlers, random, isJudged }, site) {
  const isBehind = () => JSON.parse(readFileSync(join(twin, 'root.json'), 'utf8')).behind !== undefined
  const slugs = site.pages.slice(1, site.count).flatMap(({ slug, isEdited }) => (isEdited ? [] : [slug]))
  const changes = {
    async 'an entry that all pages show'() {
      await api('PUT', `/content/?q=${site.menu}`, { fields: { head: 'menu anew!' } })
      return { query: '?format=contentful', isSeen: ({ body }) => body.includes('menu anew!') }
    },
    async 'the format of all pages'() {
      await api('PUT', '/config', { output_format: 'contentful' })
      return { query: '', isSeen: ({ body }) => body.includes('"sys":') }
    },
  }
  for (const [what, change] of Object.entries(changes)) {
    const { query, isSeen } = await change()
    const from = performance.now()
    const isOver = () => performance.now() - from > 3000 && !isBehind()
    await Promise.all(
      Object.entries(handlers).map(async ([name, port]) => {
        const { age, answers, outdated } = await oldest(port, slugs, { random, query, isSeen, isOver })
        const wanted = name === 'without it' ? '' : `< ${ageMs} ms`
        const isRight = wanted !== '' && isJudged ? age < ageMs && answers > outdated : undefined
        judgement.add(
          `${what}, changed: oldest at a handler ${name}`,
          wanted,
          `${age.toFixed(0)} ms (${outdated} of ${answers} answers outdated)`,
          isRight,
        )
      }),
    )
    say(`${what}: all readers see it`)
  }
}

/** Notes for each runtime how long after its end an edit is seen there. */
async function watch(ports, { path, isSeen, isRelated }, kind, found) {
  const from = performance.now()
  await Promise.all(
    Object.entries(ports).map(async ([name, port]) => {
      while (!isSeen(await answerOf(port, { path }))) {
        if (performance.now() - from > 60_000) {
          found.lost.add(`${kind} at ${name}`)
          return
        }
        await sleep(20)
      }
      const ms = performance.now() - from
      const times = isRelated ? found.related : found.ages[name]
      times.push(ms)
      if (ms > ageMs) found.late.add(kind)
    }),
  )
}

/** What is asked for at the end: all addresses in all formats and locales, and what is refused. */
async function requestsOf(site) {
  const { requestsFor, siteRequests } = await import('../../test/support/twin.ts')
  const slugs = site.pages.map(({ slug }) => encodeURI(slug))
  const translated = site.pages.flatMap(({ translated }, i) =>
    translated && i % 20 === 0 ? [translated] : [],
  )
  const others = [
    '/old',
    '/Old',
    '/out',
    '/page',
    '/gone',
    '/draft',
    '/r/1',
    '/moved/none',
    '//old',
    '/Blog/page-1',
  ]
  return [
    ...requestsFor([...slugs, ...translated, ...others], locales),
    ...siteRequests,
    ...[
      '/%zz',
      '/a%2Fb',
      '/blog//page-1',
      '/blog/page-1?format=clean&format=raw',
      '/?locale=',
      '/?utm=1#x',
      '/a%ED%A0%80',
    ].map(path => ({ path })),
    { path: `/${'a'.repeat(2100)}` },
    { path: `/${'a'.repeat(8300)}` },
    { path: '/', headers: { Origin: 'https://a.example' } },
    { path: '/', headers: { Range: 'bytes=0-10' } },
    { path: '/', headers: { 'Accept-Encoding': 'gzip, br' } },
    { path: '/', method: 'POST' },
    { path: '/', method: 'OPTIONS' },
  ]
}

export async function trial(judgement, { pages = 1000, seconds = 60, seed = 40 }) {
  register()
  const { chooser } = await import('../../test/support/random.ts')
  const origin = await instance('origin', {
    ...{ db_url: join(folder, 'site.db'), client_site: 'https://www.example.com', i18n_enabled: true },
    // It is changed over the API later.
    output_format: undefined,
  })
  origin.start()
  await origin.ready()
  const signedIn = must(caller(origin.url, { Cookie: await login(origin.url) }))
  const api = (method, path, body) => signedIn(method, `/api/v1${path}`, body)
  const site = await filled(api, pages)
  site.count = pages
  say(`${pages} pages`)
  const twin = join(folder, 'twin')
  const command = program('twin', process.execPath, [cli, 'twin', '--to', twin], { cwd: origin.folder })
  const written = await until(
    'the twin is written',
    () => {
      if (command.isOver) throw new Error(`slugline twin ended: ${command.log()}`)
      return existsSync(join(twin, 'root.json'))
    },
    { ms: 1_200_000 },
  )
  judgement.add('first twin', '', `${(written / 1000).toFixed(1)} s for ${pages} pages`)
  const { ports, handlers } = await startEdges(twin, origin.url)
  say('every runtime answers')

  const random = chooser(seed)
  // Each page is edited once, so that no later edit hides an earlier one.
  const turns = site.pages.slice(1).filter((_, i) => i % 10 < 8)
  const next = () => {
    const [page] = turns.splice(random.below(turns.length), 1)
    page.isEdited = true
    return page
  }
  const edits = editsOf({ api, port: origin.port }, site, next)
  const kinds = Object.keys(edits)
  const ages = Object.fromEntries(Object.keys(ports).map(name => [name, []]))
  const found = { ages, related: [], late: new Counts(), lost: new Counts() }
  const watching = []
  const end = performance.now() + seconds * 1000
  let n = 0
  for (; performance.now() < end && turns.length > 4; n++) {
    const kind = kinds[n] ?? random.one(kinds)
    watching.push(watch(ports, await edits[kind](n), kind, found))
    await sleep(random.below(600))
  }
  await Promise.all(watching)
  say(`${n} edits in ${seconds} s`)
  const isJudged = seconds >= 30
  for (const [name, ages] of Object.entries(found.ages)) {
    const isYoung = Math.max(...ages) < ageMs
    judgement.add(`age of an edit at ${name}`, `< ${ageMs} ms`, spread(ages), isJudged ? isYoung : undefined)
  }
  const isYoung = found.related.every(ms => ms < ageMs)
  const related = isJudged && found.related.length > 0 ? isYoung : undefined
  judgement.add('age of pages that show an edited one', `< ${ageMs} ms`, spread(found.related), related)
  judgement.add('edits seen later', 'none', found.late, isJudged ? found.late.size === 0 : undefined)
  judgement.add('edits not seen in a minute', 'none', found.lost, found.lost.size === 0)

  await massChanges({ judgement, api, twin, handlers, random, isJudged }, site)

  const requests = await requestsOf(site)
  const expected = []
  for (let i = 0, known = requests.length; i < known; i++) requests[i] = { method: 'GET', ...requests[i] }
  // The conditional requests follow from the answers.
  const conditional = []
  await eachAnswer(origin.port, requests, (i, answer) => {
    expected[i] = described(answer, requests[i])
    const { etag } = answer.headers
    if (etag === undefined || i % 3 > 0) return
    const tags = [etag, `W/${etag}`, `"other", ${etag}`, '*', '"other"']
    const headers = { ...requests[i].headers, 'If-None-Match': tags[conditional.length % tags.length] }
    conditional.push({ ...requests[i], headers })
  })
  const first = requests.length
  requests.push(...conditional)
  await eachAnswer(origin.port, conditional, (i, answer) => {
    expected[first + i] = described(answer, conditional[i])
  })
  say(`${requests.length} answers of the service, now killed`)
  await command.kill()
  await origin.kill()
  const statuses = new Counts()
  for (const text of expected) statuses.add(JSON.parse(text)[0])
  for (const [name, port] of Object.entries(ports)) {
    const differ = []
    await eachAnswer(port, requests, (i, answer) => {
      const text = described(answer, requests[i])
      if (text !== expected[i]) differ.push({ request: requests[i], expected: expected[i], found: text })
    })
    judgement.add(
      `answers at ${name} that differ, without the service`,
      '0',
      `${differ.length} of ${requests.length}`,
      differ.length === 0,
    )
    for (const one of differ.slice(0, 6)) say(JSON.stringify(one, null, 1))
    say(`compared ${name}`)
  }
  judgement.add('answers by status', '', statuses)
  const all = Object.values(found.ages).flat()
  judgement.add(
    'age of an edit, all runtimes',
    `p99 < ${ageMs} ms`,
    spread(all),
    isJudged ? at(all, 0.99) < ageMs : undefined,
  )
}
