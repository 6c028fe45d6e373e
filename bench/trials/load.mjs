// Mixed load that remembers what was acknowledged, judges every answer by it, and asks for all of it at the end.

import { setTimeout as sleep } from 'node:timers/promises'
import { deflateSync } from 'node:zlib'
import { Counts, caller, login, must, password } from './product.mjs'

/** Pages that nobody changes: every instance has them in memory, and answers them while the database is away. */
const stillPages = 8

/** Returns a PNG of 16 by 16 points; each seed gives other bytes. */
function png(seed) {
  const crcOf = data => {
    let crc = 0xffffffff
    for (const byte of data) {
      crc ^= byte
      for (let k = 0; k < 8; k++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1
    }
    return (crc ^ 0xffffffff) >>> 0
  }
  const chunk = (type, data) => {
    const whole = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)])
    whole.writeUInt32BE(data.length)
    whole.writeUInt32BE(crcOf(whole.subarray(4, -4)), whole.length - 4)
    return whole
  }
  const head = Buffer.from([0, 0, 0, 16, 0, 0, 0, 16, 8, 2, 0, 0, 0])
  const row = Buffer.from([0, ...Array.from({ length: 48 }, (_, i) => (seed * 7 + i) & 255)])
  const points = deflateSync(Buffer.concat(Array(16).fill(row)))
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', points),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Creates the model, pages to change, pages to publish and unpublish, pages with plans, a key and a webhook. */
export async function prepare(url, { pages = 24, plans = 0, hook } = {}) {
  const cookie = await login(url)
  const api = must(caller(url, { Cookie: cookie }))
  const type = { label: 'Page', name: 'page', type: 'content', visibility: 'public' }
  const { datatype_id } = await api('POST', '/api/v1/datatypes', type)
  await api('POST', '/api/v1/fields', {
    ...{ label: 'Head', name: 'head', field_type: 'text', parent_id: datatype_id },
  })
  const make = async (slug, status, head) => {
    const body = { slug, title: slug, datatype_id, status, fields: { head } }
    const { entry } = await api('POST', '/api/v1/pages', body)
    return { slug, id: entry.content_data_id }
  }
  const several = async (n, one) => {
    const made = []
    for (let i = 0; i < n; i++) made.push(await one(i))
    return made
  }
  const changed = await several(pages, async i => ({
    ...(await make(`/p${i}`, 'published', 'v0')),
    ...{ tried: 0, acknowledged: 0, at: [0] },
  }))
  const still = await several(stillPages, i => make(`/still${i}`, 'published', `still ${i}`))
  const toggled = await several(4, i => make(`/t${i}`, 'draft', 'toggled'))
  const planned = await several(plans, i => make(`/s${i}`, 'draft', 'planned'))
  const { token } = await api('POST', '/api/v1/tokens', { label: 'load', token_type: 'api_key' })
  if (hook) {
    const events = ['content.updated', 'content.published', 'content.unpublished']
    const webhook = { name: 'load', is_active: true, url: hook.url, events }
    hook.secret = (await api('POST', '/api/v1/admin/webhooks', webhook)).secret
  }
  return { cookie, datatype_id, pages: changed, still, toggled, plans: planned, key: token }
}

/**
 * Loads a site until `isOver()`.
 * @param front the address of the balancer
 * @param urls the addresses of the instances, which are asked for sessions; none for no sessions
 * @param reads the address that is read, if it is another
 * @param freshMs after this long a change must be public everywhere
 * @returns figures, which are complete when `ended` resolves
 */
export function load(front, site, { isOver, urls, reads = front, freshMs = 1000 }) {
  const figures = {
    ...{ front, site, urls, answers: new Counts(), wrong: new Counts(), samples: [] },
    ...{ stale: [], aged: [], lasting: 0, made: [], media: [], writtenAt: performance.now(), gaps: [] },
  }
  const by = {
    nobody: caller(reads),
    session: caller(front, { Cookie: site.cookie }),
    key: caller(reads, { Authorization: `Bearer ${site.key}` }),
  }
  const part = { figures, by, site, isOver, freshMs }
  const writers = 8
  const work = [
    ...Array.from({ length: writers }, (_, n) =>
      write(
        part,
        site.pages.filter((_, i) => i % writers === n),
      ),
    ),
    ...Array.from({ length: 6 }, (_, n) => read(part, n % 2 === 0)),
    ...[0, 1].map(() => readStill(part)),
    ...[0, 1].map(n => create(part, n)),
    ...site.toggled.map(page => toggle(part, page)),
    upload(part),
    ...(urls.length > 0 ? [1, 2, 3].map(n => sessions(part, n)) : []),
  ]
  return { figures, ended: Promise.all(work) }
}

/** Counts an answer. @returns whether its status is as expected */
function note({ figures }, what, answer, expected) {
  const { status, headers, text } = answer
  const from = headers.get('x-request-id') ? 'service' : status === 0 ? text : 'balancer or page'
  figures.answers.add(`${what} ${status}${status >= 500 || status === 0 ? ` (${from})` : ''}`)
  if (status === 500) figures.samples.push(`${what} 500 ${text.slice(0, 300)}`)
  return status === expected
}

function wrong({ figures }, what, sample) {
  figures.wrong.add(what)
  if (figures.samples.length < 40)
    figures.samples.push(`${new Date().toISOString().slice(11, 23)} ${what}: ${sample}`)
}

async function write(part, pages) {
  const { figures, by, isOver } = part
  for (let i = 0; !isOver(); i++) {
    const page = pages[i % pages.length]
    const value = ++page.tried
    const fields = { head: `v${value}` }
    const answer = await by.session('PUT', `/api/v1/content/?q=${page.id}`, { fields })
    if (note(part, 'write', answer, 200)) {
      page.acknowledged = value
      page.at[value] = performance.now()
      const gap = performance.now() - figures.writtenAt
      if (gap > 1000) figures.gaps.push(gap)
      figures.writtenAt = performance.now()
    }
    await sleep(20)
  }
}

async function read(part, isPublic) {
  const { figures, by, site, isOver, freshMs } = part
  const name = isPublic ? 'page' : 'page by key'
  while (!isOver()) {
    const page = site.pages[Math.floor(Math.random() * site.pages.length)]
    const [from, acknowledged] = [performance.now(), page.acknowledged]
    const answer = isPublic
      ? await by.nobody('GET', `${page.slug}?format=clean`)
      : await by.key('GET', `/api/v1/page${page.slug}?format=clean`)
    if (note(part, name, answer, 200)) {
      const value = Number(/^v(\d+)$/.exec(answer.json?.head ?? '')?.[1])
      if (!(value <= page.tried) || answer.json.slug !== page.slug)
        wrong(part, name, answer.text.slice(0, 200))
      else if (value < acknowledged) {
        // The first newer value that was acknowledged before this request: for how long it had been so.
        let newer = value + 1
        while (page.at[newer] === undefined) newer++
        const age = from - page.at[newer]
        // While the database is away, pages say for how long nobody could be asked, rounded down.
        const told = answer.headers.get('age')
        const known = told === null ? 0 : (Number(told) + 1) * 1000
        ;(told === null ? figures.stale : figures.aged).push(age)
        if (age > freshMs + known)
          wrong(part, `${name} too old`, `${page.slug} ${age.toFixed(0)} ms, Age ${told}`)
      }
    } else if (answer.status < 500 && answer.status !== 0) wrong(part, name, `${answer.status} ${page.slug}`)
    await sleep(20)
  }
}

async function readStill(part) {
  const { by, site, isOver } = part
  for (let i = 0; !isOver(); i++) {
    const page = i % stillPages
    const answer = await by.nobody('GET', `${site.still[page].slug}?format=clean`)
    if (note(part, 'unchanged page', answer, 200)) {
      if (answer.json?.head !== `still ${page}`) wrong(part, 'unchanged page', answer.text.slice(0, 200))
      if (answer.headers.has('age')) part.figures.lasting++
    } else if (answer.status < 500 && answer.status !== 0) wrong(part, 'unchanged page', `${answer.status}`)
    await sleep(20)
  }
}

async function create(part, number) {
  const { figures, by, site, isOver } = part
  for (let i = 0; !isOver(); i++) {
    const slug = `/c${number}-${i}`
    const body = { slug, title: slug, datatype_id: site.datatype_id, status: 'published' }
    const send = () =>
      by.session('POST', '/api/v1/pages', { ...body, fields: { head: slug } }, { 'Idempotency-Key': slug })
    let answer = await send()
    // Sent again as docs/writing.md says, until it is answered.
    while (!note(part, 'create', answer, 201) && !isOver()) {
      if (answer.status < 500 && answer.status !== 0 && answer.status !== 409) {
        wrong(part, 'create', `${answer.status} ${answer.text.slice(0, 200)}`)
        break
      }
      await sleep(500)
      answer = await send()
    }
    if (answer.status === 201) figures.made.push(slug)
    await sleep(150)
  }
}

async function toggle(part, page) {
  const { by, isOver, freshMs } = part
  for (let isPublic = false; !isOver(); ) {
    const verb = isPublic ? 'unpublish' : 'publish'
    const answer = await by.session('POST', `/api/v1/content/${verb}`, { content_data_id: page.id })
    if (note(part, verb, answer, 200)) {
      isPublic = !isPublic
      page.expected = isPublic ? 200 : 404
      await sleep(freshMs)
      const seen = await by.nobody('GET', `${page.slug}?format=clean`)
      if (seen.status < 500 && seen.status !== 0 && seen.status !== page.expected)
        wrong(part, `page after ${verb}`, `${page.slug} ${seen.status}`)
    } else {
      // It may have been carried out all the same.
      page.expected = undefined
      if (answer.status === 409 || answer.status === 400) isPublic = !isPublic
    }
    await sleep(300)
  }
}

async function upload(part) {
  const { figures, by, isOver } = part
  for (let i = 0; !isOver(); i++) {
    const form = new FormData()
    form.append('file', new Blob([png(i)], { type: 'image/png' }), `f${i}.png`)
    const answer = await by.session('POST', '/api/v1/media/upload', form)
    if (note(part, 'upload', answer, 201)) figures.media.push(answer.json.media_id)
    await sleep(700)
  }
}

/** Signs in at the balancer and asks each instance for the session; signs out and asks again. */
async function sessions(part, number) {
  const { figures, isOver } = part
  for (let i = 0; !isOver(); i++) {
    const from = { 'X-Forwarded-For': `10.${number}.${i % 250}.1` }
    const account = { email: 'admin@example.com', password }
    const answer = await caller(figures.front)('POST', '/api/v1/auth/login', account, from)
    if (note(part, 'sign-in', answer, 200)) {
      const Cookie = answer.headers.get('set-cookie').split(';')[0]
      const everywhere = async (what, expected) => {
        for (const url of figures.urls) {
          const seen = await caller(url, { Cookie })('GET', '/api/v1/auth/me')
          if (seen.status === 0 || seen.status >= 500) continue
          if (!note(part, what, seen, expected)) wrong(part, what, `${url} ${seen.status}`)
        }
      }
      await everywhere('new session elsewhere', 200)
      const out = await caller(figures.front, { Cookie })('POST', '/api/v1/auth/logout', {})
      if (out.status === 200 || out.status === 204) await everywhere('ended session elsewhere', 401)
    }
    await sleep(500)
  }
}

/** Asks every instance for everything that was acknowledged. @returns what is lost */
export async function lostOf(urls, { site, made, media }) {
  const lost = new Counts()
  for (const url of urls) {
    const [nobody, session] = [caller(url), caller(url, { Cookie: site.cookie })]
    const statusOf = async slug => (await nobody('GET', `${slug}?format=clean`)).status
    for (const page of site.pages) {
      const { text, json } = await nobody('GET', `${page.slug}?format=clean`)
      const value = Number(json?.head?.slice(1))
      if (!(value >= page.acknowledged && value <= page.tried))
        lost.add(`${page.slug} (${page.acknowledged} to ${page.tried}): ${text.slice(0, 60)}`)
    }
    for (const slug of made) if ((await statusOf(slug)) !== 200) lost.add(`made ${slug}`)
    for (const { slug, expected } of site.toggled)
      if (expected !== undefined && (await statusOf(slug)) !== expected) lost.add(`publication of ${slug}`)
    for (const id of media) {
      const { json } = await session('GET', `/api/v1/media/?q=${id}`)
      const isThere = json?.url && (await fetch(json.url, { method: 'HEAD' })).ok
      if (!isThere) lost.add(`file ${id}`)
    }
  }
  return lost
}
