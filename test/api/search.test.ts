import { describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { type Caller, type TestApp, testApp } from '../support/app.js'
import { amount } from '../support/effort.js'
import { factories } from '../support/factories.js'
import { chooser } from '../support/random.js'
import { seenBy } from '../support/seen-by-public.js'

interface Found {
  id: string
  type: string
  page: { slug: string; title: string } | null
  highlights: { field: string; html: string }[]
}

async function ask(app: TestApp, query: Record<string, string>, as: Caller = 'nobody') {
  const answer = await app.call('GET', `/api/v1/search?${new URLSearchParams(query)}`, { as })
  expect([query, answer.status, answer.text]).toEqual([query, 200, answer.text])
  return answer.body as { data: Found[]; meta: { next: number | null; count?: number } }
}
const idsOf = ({ data }: { data: Found[] }) => data.map(({ id }) => id)

/** A site with a public and another datatype, in two locales. */
async function site(overrides: object = {}) {
  const app = await testApp({ i18n_enabled: true, ...overrides })
  const make = factories(app)
  const page = await make.datatype('Page', { visibility: 'public' })
  const note = await make.datatype('Note', { type: '_global' })
  for (const { datatype_id } of [page, note]) {
    await make.field(datatype_id, 'Name', 'text', { translatable: true })
    await make.field(datatype_id, 'Body', 'richtext', { translatable: true })
    await make.field(datatype_id, 'Data', 'json')
    await make.field(datatype_id, 'Next', 'relation')
  }
  const api = (method: string, path: string, body?: unknown) =>
    app.call(method, `/api/v1${path}`, body === undefined ? {} : { body })
  await api('POST', '/locales', { code: 'de', label: 'Deutsch' })
  await api('POST', '/locales', { code: 'fr', label: 'Français', is_enabled: false })
  return { app, make, api, page: page.datatype_id as string, note: note.datatype_id as string }
}

const vocabulary = 'red rédaction Reden blau BLAUE größe tee teer 東京 東京都 крем кремль naïve'.split(' ')

/** Words by another way than the product's: for the words of these tests. */
const naive = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')

/** Whether words are there, from the definition; in Japanese whatever has the characters one after the other. */
function has(words: readonly string[], q: string): boolean {
  const asked = naive(q)
  if (asked.length === 0) return false
  return asked.every((one, i) => {
    const isBeginning = i === asked.length - 1 && one.length > 1
    if (/\p{sc=Han}/u.test(one)) return words.some(word => word.includes(one))
    return words.some(word => word === one || (isBeginning && word.startsWith(one)))
  })
}

describe.each(['live', 'staged'])('in %s mode a search finds what the public sees', mode => {
  it.each(Array.from({ length: amount(1, 4) }, (_, i) => i + 1))('after random edits (%i)', async seed => {
    const { app, make, api, page, note } = await site({ publish_mode: mode })
    const { below, one } = chooser(seed)
    const text = () =>
      Array.from({ length: 1 + below(3) }, () => one(vocabulary)).join(one([' ', ', ', ' 👍 ']))
    const html = () => `<p>${text()}</p><ul><li>${text()}</li></ul><!-- hidden -->`
    const routes: string[] = []
    const roots: string[] = []
    for (const slug of ['/one', '/two', '/three']) {
      const route = await make.route(slug, text())
      routes.push(route.route_id)
      if (slug === '/three') continue
      roots.push((await make.entry(page, { route_id: route.route_id })).content_data_id)
    }
    for (const root of [...roots, ...roots])
      await make.entry(page, { parent_id: root }, { fields: { name: text() } })
    await make.entry(note, {}, { status: 'published', fields: { name: text(), body: html() } })
    for (const root of roots) await api('POST', '/content/publish', { content_data_id: root })

    const types = new Map(
      (await app.db.findAll(tables.fields)).map(field => [field.field_id, field.field_type]),
    )
    async function expected(q: string, locales: readonly string[], datatypes: readonly string[]) {
      const all = new Map((await app.db.findAll(tables.routes)).map(route => [route.route_id, route]))
      return (await seenBy(app))
        .filter(({ entry, values }) => {
          const route = entry.parent_id === null ? all.get(entry.route_id ?? '') : undefined
          const titles = locales.map(locale =>
            locale === '' ? route?.title : route?.translations[locale]?.title,
          )
          const texts = values.filter(
            value =>
              locales.includes(value.locale) &&
              ['text', 'richtext'].includes(types.get(value.field_id) ?? ''),
          )
          const words = [...titles, ...texts.map(({ field_value }) => field_value)].flatMap(one =>
            naive(one?.replaceAll(/<[^>]*>/g, ' ') ?? ''),
          )
          return datatypes.includes(entry.datatype_id) && has(words, q)
        })
        .map(({ entry }) => entry.content_data_id)
        .sort()
    }
    let some = 0
    async function compare(step: string) {
      const q = Array.from({ length: 1 + below(2) }, () => one(vocabulary)).join(' ')
      const asked = below(2) > 0 ? q : q.slice(0, q.length - 1)
      for (const [as, given, datatypes] of [
        ['nobody', {}, [page]],
        ['viewer', {}, [page, note]],
        ['key', { type: 'note' }, [note]],
      ] as const)
        for (const locale of ['', 'de']) {
          const found = await ask(app, { q: asked, limit: '50', count: 'true', locale, ...given }, as)
          // The default locale stands in for the other.
          const wanted = await expected(asked, locale === '' ? ['', 'en'] : ['', 'de', 'en'], datatypes)
          expect([seed, step, asked, as, locale, idsOf(found).sort()]).toEqual([
            seed,
            step,
            asked,
            as,
            locale,
            wanted,
          ])
          expect(found.meta.count).toBe(wanted.length)
          some += wanted.length
        }
    }
    for (let round = 0; round < amount(35, 70); round++) {
      app.clock.advance(1000)
      const ids = (await app.db.findAll(tables.contentData)).map(({ content_data_id }) => content_data_id)
      const [id, other, root] = [one(ids), one(ids), one(roots)]
      const locale = one([undefined, 'de', 'fr'])
      const fields = { name: text(), body: html() }
      const edits: (() => ReturnType<typeof api>)[] = [
        () => api('PUT', `/content?q=${id}`, { fields, locale }),
        () => api('PUT', `/content?q=${id}`, { fields: { name: text() }, locale }),
        () => api('PUT', `/content?q=${id}`, { fields: { next: other, data: `["${one(vocabulary)}"]` } }),
        () =>
          api('POST', '/content', {
            datatype_id: page,
            parent_id: id,
            status: one(['draft', 'published']),
            fields,
          }),
        () => api('POST', '/content/move', { content_data_id: id, parent_id: other, position: 0 }),
        () => api('POST', '/content/duplicate', { content_data_id: id, parent_id: other }),
        () => api('DELETE', `/content?q=${id}&recursive=true`),
        () => api('POST', '/content/publish', { content_data_id: one([root, id]) }),
        () => api('POST', '/content/publish', { content_data_id: root }),
        () => api('POST', '/content/unpublish', { content_data_id: id }),
        () => api('POST', '/content/changes/drop', { content_data_id: root }),
        () =>
          api('PUT', `/routes/?q=${one(routes)}`, {
            title: text(),
            translations: { de: { title: text() }, fr: { title: text() } },
          }),
        () => api('PUT', `/content?q=${root}`, { route_id: one(routes) }),
        () => api('PUT', `/content?q=${id}`, { datatype_id: one([page, note]) }),
      ]
      const step = below(edits.length)
      if (step === 6 && roots.includes(id)) continue
      expect((await (edits[step] as (typeof edits)[number])()).status).toBeLessThan(500)
      await compare(`${round} ${step}`)
      if (below(20) === 0) {
        await app.services.space.publicBook.rebuild()
        await compare(`${round} rebuilt`)
      }
    }
    expect(some).toBeGreaterThan(20)
  })
})

describe('a search', async () => {
  const { app, make, api, page, note } = await site({ readers_see_drafts: false })
  const { route_id } = await make.route('/bikes', 'Bikes & more')
  await api('PUT', `/routes/?q=${route_id}`, { translations: { de: { title: 'Räder', slug: '/raeder' } } })
  const rich =
    '<p>Brakes, <b>gea</b>rs &amp; air.</p><p>And a <i>smile</i>.<script>alert("evil")</script></p>'
  const root = await make.entry(
    page,
    { route_id },
    { status: 'published', fields: { name: 'Wheels', body: rich } },
  )
  const child = await make.entry(
    page,
    { parent_id: root.content_data_id },
    {
      status: 'published',
      fields: { name: `"Gears" <img src=x onerror=alert(1)> & brakes ${'lorem '.repeat(99)}` },
    },
  )
  const loose = await make.entry(
    note,
    {},
    { status: 'published', fields: { name: 'Gears of a note', data: '{"a":"jsonword"}' } },
  )
  await make.entry(page, { parent_id: root.content_data_id }, { fields: { name: 'Gears that nobody sees' } })
  await api('PUT', `/content?q=${child.content_data_id}`, { fields: { name: 'Zahnräder' }, locale: 'de' })
  await api('PUT', `/content?q=${child.content_data_id}`, { fields: { name: 'engrenages' }, locale: 'fr' })
  const [rootId, childId, looseId] = [root, child, loose].map(one => one.content_data_id as string)

  const textsOf = {
    [rootId ?? '']: 'Bikes & more Wheels Brakes gears air And a smile',
    [childId ?? '']: `Gears img src=x onerror=alert(1) brakes lorem`,
  }

  it('shows the entry, its page, and pieces of its texts in which nothing but the marks is HTML', async () => {
    const { data, meta } = await ask(app, { q: 'gears brak' })
    expect(data).toEqual([
      {
        id: childId,
        type: 'page',
        published_at: expect.any(String),
        page: { id: rootId, slug: '/bikes', title: 'Bikes & more' },
        highlights: [
          {
            field: 'name',
            html: expect.stringMatching(
              /^&quot;<mark>Gears<\/mark>&quot; &lt;img src=x onerror=alert\(1\)&gt; &amp; <mark>brakes<\/mark> lorem .*…$/,
            ),
          },
        ],
      },
      {
        id: rootId,
        type: 'page',
        published_at: expect.any(String),
        page: { id: rootId, slug: '/bikes', title: 'Bikes & more' },
        highlights: [
          { field: 'body', html: '<mark>Brakes</mark>, <mark>gears</mark> &amp; air. And a smile.' },
        ],
      },
    ])
    expect(meta).toEqual({ next: null })
  })

  it('goes by titles first, and is the same for case, accents and forms', async () => {
    expect(idsOf(await ask(app, { q: 'ＢＩＫＥＳ' }))).toEqual([rootId])
    expect(idsOf(await ask(app, { q: 'wheels' }))).toEqual([rootId])
    for (const q of ['Zahnrader', 'ZAHNRÄDER', 'zahnra\u0308', 'zahn'])
      expect([q, idsOf(await ask(app, { q, locale: 'de' }))]).toEqual([q, [childId]])
    expect(idsOf(await ask(app, { q: 'räder', locale: 'de-AT' }))).toEqual([rootId])
    expect((await ask(app, { q: 'räder', locale: 'de' })).data[0]?.page).toEqual({
      id: rootId,
      slug: '/raeder',
      title: 'Räder',
    })
    expect(idsOf(await ask(app, { q: 'räder' }))).toEqual([])
  })

  it.each(['evil', 'script', 'jsonword', 'nobody', 'engrenages', 'b', '01M', 'onerr 01M'])(
    'does not find %s',
    async q => {
      for (const as of ['nobody', 'admin'] as const)
        for (const locale of ['', 'de', 'fr'])
          expect(await ask(app, { q, locale, count: 'true' }, as)).toEqual({
            data: [],
            meta: { next: null, count: 0 },
          })
    },
  )

  it('finds for nobody what is public, and for readers whatever is published', async () => {
    expect(idsOf(await ask(app, { q: 'gears' })).sort()).toEqual([rootId, childId].sort())
    for (const as of ['viewer', 'editor', 'admin', 'key'] as const)
      expect(idsOf(await ask(app, { q: 'gears' }, as)).sort()).toEqual([rootId, childId, looseId].sort())
    expect(idsOf(await ask(app, { q: 'gears', type: 'note' }, 'viewer'))).toEqual([looseId])
    expect(idsOf(await ask(app, { q: 'gears', type: 'page,note' }, 'viewer'))).toHaveLength(3)
    const nobody = (query: string) => app.call('GET', `/api/v1/search?${query}`, { as: 'nobody' })
    for (const type of ['note', 'page,note', 'missing'])
      expect([type, (await nobody(`q=gears&type=${type}`)).status]).toEqual([type, 403])
    const bad = { Authorization: 'Bearer wrong' }
    expect(
      (await app.call('GET', '/api/v1/search?q=gears', { as: 'nobody', headers: bad })).body.data,
    ).toHaveLength(2)
    await api('PUT', `/datatypes/?q=${page}`, { visibility: 'linked' })
    const answer = await nobody('q=gears')
    expect([answer.status, answer.text]).toEqual([403, (await nobody('')).text])
    expect((await nobody('q=gears&limit=0')).status).toBe(400)
    await api('PUT', `/datatypes/?q=${page}`, { visibility: 'public' })
    expect((await nobody('q=gears')).status).toBe(200)
  })

  it('says who may keep the answer, and is not older than the last change', async () => {
    const path = '/api/v1/search?q=gears'
    const first = await app.call('GET', path, { as: 'nobody' })
    expect(first.headers.get('cache-control')).toContain('public')
    expect(first.headers.get('vary')).toContain('Authorization')
    expect((await app.call('GET', path)).headers.get('cache-control')).toBe('private, no-cache')
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' }
    expect((await app.call('GET', path, { as: 'nobody', headers })).status).toBe(304)
    await api('PUT', `/content?q=${rootId}`, { fields: { name: 'Gears' } })
    const next = await app.call('GET', path, { as: 'nobody', headers })
    expect([next.status, idsOf(next.body)]).toEqual([200, [rootId, childId]])
    await api('PUT', `/content?q=${rootId}`, { fields: { name: 'Wheels' } })
  })

  it('goes on by offsets', async () => {
    const all = idsOf(await ask(app, { q: 'gears' }, 'admin'))
    const pages: string[] = []
    for (let offset: number | null = 0; offset !== null; ) {
      const { data, meta } = await ask(
        app,
        { q: 'gears', limit: '1', offset: `${offset}`, count: 'true' },
        'admin',
      )
      pages.push(...data.map(({ id }) => id))
      expect(meta.count).toBe(3)
      offset = meta.next
    }
    expect(pages).toEqual(all)
    expect((await ask(app, { q: 'gears', offset: '1000' })).data).toEqual([])
  })

  const words = (n: number) => Array.from({ length: n }, (_, i) => `w${i}`).join(' ')
  it.each([
    ['nothing', '', 'q', 'must have at least one word'],
    ['blanks', 'q=%20%20', 'q', 'must have at least one word'],
    ['q twice', 'q=a&q=b', 'q', 'twice'],
    ['something else', 'q=a&Q=b', 'Q', 'use q, type'],
    ['201 characters', `q=${'x'.repeat(201)}`, 'q', 'at most 200 characters'],
    ['10,000 words', `q=${'a+'.repeat(10_000)}`, 'the address', 'longer than 8192'],
    ['13 words', `q=${words(13)}`, 'q', 'at most 12 different words'],
    ['21 types', `q=a&type=${words(21).replaceAll(' ', ',')}`, 'type', 'at most 20'],
    ['no type', 'q=a&type=', 'type', 'names of datatypes'],
    ['a type that there is not', 'q=a&type=pag', 'type', 'page'],
    ['no locale', 'q=a&locale=%27', 'locale', 'language tag'],
    ['a limit of 0', 'q=a&limit=0', 'limit', 'from 1 to 50'],
    ['a limit of 51', 'q=a&limit=51', 'limit', 'from 1 to 50'],
    ['an offset of -1', 'q=a&offset=-1', 'offset', 'from 0 to 1000'],
    ['an offset of 1001', 'q=a&offset=1001', 'offset', 'from 0 to 1000'],
    ['a count of 1', 'q=a&count=1', 'count', 'true or false'],
    ['NUL', 'q=a%00b', 'the address', 'NUL'],
    ['half of a character', 'q=%ED%A0%80', 'the address', 'UTF-8'],
  ])('with %s is refused by name', async (_, query, member, sentence) => {
    const { status, body } = await app.call('GET', `/api/v1/search?${query}`)
    expect([status, body.error]).toEqual([400, expect.stringContaining(sentence)])
    expect(body.error).toContain(member)
  })

  it.each([
    '"gears" OR nothing',
    'gears AND',
    'gears NOT brakes',
    'NEAR(gears brakes, 5)',
    'gears* -brakes',
    '+gears -brakes ~air <a >b (c) @4',
    'words : gears',
    '{words} : gears',
    '^gears',
    "gears' or '1'='1",
    'gears; drop table public_search',
    'gears & !brakes | x:*',
    'gears <-> brakes',
    "gears:* ' \\\\ ''",
    '%_gears\\',
    '👍 🏳️‍🌈 \u{1F600}',
    '\u202egears\u200b',
    '\ufffd \ud7ff \u{10ffff}',
    'k0gears',
    'zz zz0 z0',
    'ﷺ½℡㎏①',
    '東 京都 ภาษา हिन्दी مُحَمَّد',
  ])('has no operators: %s', async q => {
    for (const text of [q, `gears ${q}`, `${q}*`, `"${q}`, `${q})`]) {
      const found = await ask(app, { q: text, count: 'true' })
      expect(found.meta.count).toBe(found.data.length)
      // Operators are words like others.
      const wanted = Object.entries(textsOf).filter(([, own]) => has(naive(own), text))
      expect([text, idsOf(found).sort()]).toEqual([text, wanted.map(([id]) => id).sort()])
    }
  })
})

it('takes the first 10,000 words of an entry and 100,000 characters of a value', async () => {
  const { app, make, note } = await site()
  const names = ['First', 'Second', 'Third']
  for (const label of names) await make.field(note, label, 'textarea')
  // Ten letters that each take six characters, so that all of them are as large as words can be.
  const word = (field: number, i: number) =>
    [...`${field}${i}`.padStart(10, '0')].map(digit => String.fromCodePoint(0xac00 + Number(digit))).join('')
  const text = (field: number) => Array.from({ length: 9500 }, (_, i) => word(field, i)).join(' ')
  const fields = Object.fromEntries(names.map((label, i) => [label.toLowerCase(), text(i + 1)]))
  const { content_data_id: id } = await make.entry(note, {}, { status: 'published', fields })
  const find = async (q: string) => idsOf(await ask(app, { q }, 'admin'))
  const last = Math.floor(100_000 / 11) - 1
  expect(await find(word(1, 0))).toEqual([id])
  expect(await find(word(1, last))).toEqual([id])
  expect(await find(word(1, last + 2))).toEqual([])
  expect(await find(word(2, 10_000 - last - 3))).toEqual([id])
  expect(await find(word(2, 10_000 - last + 3))).toEqual([])
  expect(await find(word(3, 0))).toEqual([])
  const { data } = await ask(app, { q: `${word(1, 0)} ${word(2, 0)}` }, 'admin')
  expect(data[0]?.highlights.map(({ field }) => field)).toEqual(['first', 'second'])
})
