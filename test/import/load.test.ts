import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { nodeHashing } from '../../src/node/ports.js'
import { loadSite } from '../../src/services/import/load.js'
import type { ImportedEntry, ImportedSite } from '../../src/services/import/site.js'
import { type TestApp, testApp } from '../support/app.js'

const app = await testApp()
const { call, db, services } = app
const roleId = await services.access.systemRole('admin')
const actor = { ...systemActor, surface: 'cli' as const, userId: app.users.admin, roleId }

const plainly = {
  ...{ system: 'test', hashing: nodeHashing, isPublic: false, open: undefined, now: app.clock.now() },
  progress: () => undefined,
}

const load = (site: Partial<ImportedSite>, isPublic = true) =>
  loadSite(
    services,
    actor,
    { locales: [], types: [], entries: [], files: [], notes: [], ...site },
    { ...plainly, isPublic },
  )

const compatOf = async (of: TestApp) => (await of.services.configuration.read()).compat

const types: ImportedSite['types'] = [
  {
    name: 'article',
    label: 'Article',
    hasPages: true,
    compat: { children: 'sections' },
    fields: [
      { name: 'headline', label: 'Headline', type: 'text', required: true, translatable: true },
      { name: 'body', label: 'Body', type: 'richtext' },
      { name: 'price', label: 'Price', type: 'number' },
      { name: 'author', label: 'Author', type: 'relation', data: { target: 'person' } },
      {
        name: 'related',
        label: 'Related',
        type: 'relation',
        data: { target: 'article', cardinality: 'many' },
      },
    ],
  },
  {
    name: 'person',
    label: 'Person',
    hasPages: false,
    fields: [
      { name: 'name', label: 'Name', type: 'text' },
      { name: 'best', label: 'Best', type: 'relation', data: { target: 'article' } },
    ],
  },
  { name: 'note', label: 'Note', hasPages: false, fields: [{ name: 'text', label: 'Text', type: 'text' }] },
]
const entry = (key: string, type: string, more: Partial<ImportedEntry>): ImportedEntry => ({
  ...{ key, type, isPublished: true, createdAt: `2020-01-0${key.length}T00:00:00.000Z`, values: {} },
  ...more,
})
const entries: ImportedEntry[] = [
  entry('a', 'article', {
    page: { path: '/first', title: 'First' },
    publishedAt: '2021-02-03T04:05:06.000Z',
    values: {
      headline: { value: 'One' },
      body: {
        html: '<p>See <a href="import:entry:bb">two</a> and <a href="import:entry:zzz">none</a></p>',
      },
      price: { value: 12.5 },
      author: { entries: ['ccc'] },
      related: { entries: ['bb', 'zzz', 'a'] },
    },
    translations: { de: { headline: { value: 'Eins' } } },
    children: [
      entry('a1', 'note', { values: { text: { value: 'Under' } } }),
      entry('a2', 'note', { values: { text: { value: 'it' } } }),
    ],
  }),
  entry('bb', 'article', {
    page: { path: '/second', title: 'Second' },
    values: { headline: { value: 'Two' }, related: { entries: ['a'] } },
  }),
  entry('ccc', 'person', { values: { name: { value: 'Ann' }, best: { entries: ['a'] } } }),
  entry('dddd', 'article', {
    page: { path: '/draft', title: 'Draft' },
    isPublished: false,
    values: { headline: { value: 'Not yet' } },
  }),
]
const locales = [
  { code: 'en', label: 'English' },
  { code: 'de', label: 'Deutsch', fallback: 'en' },
]

it('stores the model and entries that refer to each other in every direction', async () => {
  const made = await load({ types, entries, locales })
  expect(made).toEqual({
    ...{ datatypes: 3, fields: 8, entries: 6, known: 0, files: 0, left_out: 0, redirects: 0 },
    notes: [
      'References to entries that the export does not have are left out: 1 (article a: zzz).',
      'The content has several languages, so i18n_enabled is true now.',
    ],
    compat: { article: { children: 'sections' } },
    compat_stored: true,
  })
  expect(await compatOf(app)).toEqual({ article: { children: 'sections' } })
  const { body } = await call('GET', '/first?format=clean', { as: 'nobody' })
  expect(body).toMatchObject({ headline: 'One', price: '12.5' })
  expect(body.body).toBe('<p>See <a href="/second">two</a> and <a>none</a></p>')
  expect(body.children.map(({ text }: { text: string }) => text)).toEqual(['Under', 'it'])
  const listed = await call('GET', '/api/v1/query/article?sort=id&expand=author,related', { as: 'nobody' })
  const [first] = listed.body.data
  expect([
    first.fields.author.fields.name,
    first.fields.related.map(({ slug }: { slug: string }) => slug),
  ]).toEqual(['Ann', ['/second', '/first']])
  expect(listed.body.data.map((one: { published_at: string }) => one.published_at)).toEqual([
    '2021-02-03T04:05:06.000Z',
    '2020-01-02T00:00:00.000Z',
  ])
  expect((await call('GET', '/draft', { as: 'nobody' })).status).toBe(404)
  const stored = await db.get(tables.contentData, first.id)
  expect(stored?.date_created).toBe('2020-01-01T00:00:00.000Z')
  expect(await db.count(tables.contentFields, { locale: 'de', field_value: 'Eins' })).toBe(1)
  expect(await db.find(tables.locales, { code: 'de' })).toMatchObject({ fallback_code: 'en' })
})

it('stores the names for front ends beside those that are there, which stay', async () => {
  const compat = { article: { strapi: 'stories' }, note: { children: 'lines' } }
  const fresh = await testApp({ compat }, { file: { compat } })
  const as = { ...actor, userId: fresh.users.admin, roleId: await fresh.services.access.systemRole('admin') }
  const site = (more: object) => ({
    ...{ locales: [], entries: [], files: [], notes: [] },
    types: types.map(type => ({ ...type, ...more })),
  })
  const names = { children: 'sections', weak: ['best'] }
  const events = () => fresh.db.countAll(internalTables.auditEvents)
  const all = site({ compat: names })
  expect(await loadSite(fresh.services, as, all, plainly)).toMatchObject({ compat_stored: false })
  expect(await compatOf(fresh)).toEqual({
    article: { strapi: 'stories', ...names },
    note: { children: 'lines', weak: ['best'] },
    person: names,
  })
  const before = await events()
  expect(await loadSite(fresh.services, as, all, plainly)).toMatchObject({ compat_stored: false })
  expect(await events()).toBe(before)
  const own = { ...all, types: all.types.filter(({ name }) => name === 'person') }
  expect(await loadSite(fresh.services, as, own, plainly)).toMatchObject({ compat_stored: true })
})

it('turns locales on for content in several languages, unless the file says that they are off', async () => {
  const several = { locales, types: [], entries: [], files: [], notes: [] }
  const importInto = async (file: object, isFixed = false) => {
    const fresh = await testApp(file, { file })
    fresh.file.isFixed = isFixed
    const roleId = await fresh.services.access.systemRole('editor')
    const as = { ...actor, userId: fresh.users.editor, roleId }
    const events = () => fresh.db.countAll(internalTables.auditEvents)
    const { notes } = await loadSite(fresh.services, as, several, plainly)
    const before = await events()
    const again = await loadSite(fresh.services, as, several, plainly)
    const { i18n_enabled } = await fresh.services.configuration.read()
    return { i18n_enabled, notes, again: again.notes, written: (await events()) - before }
  }
  const turned = 'The content has several languages, so i18n_enabled is true now.'
  const byHand = 'The content has several languages: set i18n_enabled to true in the configuration.'
  const nothing = { again: [], written: 0 }
  expect(await importInto({})).toEqual({ i18n_enabled: true, notes: [turned], ...nothing })
  expect(await importInto({ i18n_enabled: true })).toEqual({ i18n_enabled: true, notes: [], ...nothing })
  const off = { i18n_enabled: false, notes: [byHand], again: [byHand], written: 0 }
  expect(await importInto({ i18n_enabled: false })).toEqual(off)
  expect(await importInto({ i18n_enabled: false }, true)).toEqual(off)
})

it('leaves the names to people where the file has them and cannot be written', async () => {
  const compat = { note: { children: 'lines' } }
  const fresh = await testApp({ compat }, { file: { compat } })
  fresh.file.isFixed = true
  const as = { ...actor, userId: fresh.users.admin, roleId: await fresh.services.access.systemRole('admin') }
  const site = { locales: [], types, entries: [], files: [], notes: [] }
  const made = await loadSite(fresh.services, as, site, plainly)
  expect(made).toMatchObject({ datatypes: 3, compat_stored: false })
  expect(await compatOf(fresh)).toEqual({ note: { children: 'lines' } })
})

it('stores everything else where a name for front ends is not valid here, also for odd names', async () => {
  const fresh = await testApp()
  const as = { ...actor, userId: fresh.users.admin, roleId: await fresh.services.access.systemRole('admin') }
  const named = (name: string, compat: { children: string } | { name: string }) => ({
    ...{ locales: [], entries: [], files: [], notes: [] },
    types: [{ name, label: name, hasPages: false, fields: [], compat }],
  })
  const odd = named('wide', { children: 'page builder!' })
  expect(await loadSite(fresh.services, as, odd, plainly)).toMatchObject({
    datatypes: 1,
    compat_stored: false,
  })
  expect(await compatOf(fresh)).toEqual({})
  const own = named('constructor', { name: 'site.constructor' })
  expect(await loadSite(fresh.services, as, own, plainly)).toMatchObject({ compat_stored: true })
  expect(await compatOf(fresh)).toEqual({ constructor: { name: 'site.constructor' } })
})

it('makes the default locale of the export that of a site in which nothing is written', async () => {
  const fresh = await testApp()
  const site = {
    types: [],
    entries: [],
    files: [],
    notes: [],
    locales: [{ code: 'en-US', label: 'English' }],
  }
  const as = { ...actor, userId: fresh.users.admin, roleId: await fresh.services.access.systemRole('admin') }
  await loadSite(fresh.services, as, site, plainly)
  expect(await fresh.db.findAll(tables.locales)).toMatchObject([{ code: 'en-US', is_default: true }])
})

it('leaves what an earlier import has made, and adds what is new', async () => {
  const before = await db.countAll(internalTables.auditEvents)
  expect(await load({ types, entries, locales })).toMatchObject({
    datatypes: 0,
    fields: 0,
    entries: 0,
    known: 4,
  })
  expect(await db.countAll(internalTables.auditEvents)).toBe(before)
  const more = entry('eeeee', 'person', { values: { name: { value: 'Eve' }, best: { entries: ['bb'] } } })
  expect(await load({ types, entries: [...entries, more], locales })).toMatchObject({ entries: 1, known: 4 })
  const { body } = await call('GET', '/api/v1/query/person?filter[name][eq]=Eve&expand=best', {
    as: 'nobody',
  })
  expect(body.data[0].fields.best.fields).toMatchObject({ headline: 'Two' })
})

/** What an import made, but for ids that each site makes up and times. */
async function madeIn({ db, call }: TestApp) {
  const names = new Map((await db.findAll(tables.datatypes)).map(one => [one.datatype_id, one.name]))
  const answers = await Promise.all(
    ['article', 'person'].map(type =>
      call('GET', `/api/v1/query/${type}?sort=id&limit=1000&expand=author,related,best`),
    ),
  )
  const events = await db.findAll(internalTables.auditEvents)
  return {
    texts: answers.map(({ text }) => text),
    types: [...names.values()].sort(),
    fields: (await db.findAll(tables.fields))
      .map(one => `${names.get(one.parent_id ?? '')} ${one.name}`)
      .sort(),
    slugs: (await db.findAll(tables.routes)).map(({ slug }) => slug).sort(),
    redirects: (await db.findAll(tables.redirects)).map(one => `${one.slug} ${one.status}`).sort(),
    locales: (await db.findAll(tables.locales)).map(({ code }) => code).sort(),
    versions: await db.countAll(tables.contentVersions),
    sources: (await db.findAll(internalTables.sourceIds)).map(one => one.source_key).sort(),
    events: events.map(one => `${one.table_name} ${one.operation}`).sort(),
  }
}

it('that is cut at each of its writes and repeated makes what one run makes', async () => {
  const many = Array.from({ length: 120 }, (_, i) =>
    entry(`m${i}`, 'person', {
      ids: [{ kind: 'document', id: `source-${i}` }],
      createdAt: '2022-01-01T00:00:00.000Z',
      // The second is stored in a later transaction.
      values: { name: { value: `Person ${i}` }, best: { entries: [i % 2 === 0 ? 'a' : 'moved'] } },
    }),
  )
  const moved = entry('moved', 'article', {
    page: { path: '/third', title: 'Third' },
    values: { headline: { value: 'Three' } },
    source: { address: 'https://old.example/old-third', size: { words: 1, pictures: 0, links: 0 } },
  })
  const site = { types, locales, files: [], notes: [], entries: [...entries, ...many, moved] }
  const into = async (to: TestApp) => {
    const roleId = await to.services.access.systemRole('admin')
    const as = { ...actor, userId: to.users.admin, roleId }
    return loadSite(to.services, as, site, { ...plainly, isPublic: true, redirects: true })
  }
  const [whole, cut] = [await testApp(), await testApp()]
  await into(whole)

  const write = cut.db.write.bind(cut.db)
  let cuts = 0
  for (let isDone = false; !isDone; ) {
    let left = 1
    // Every run ends after its first write, as a killed process would.
    cut.db.write = async (...given) => {
      if (left-- === 0) throw new Error('cut')
      return write(...given)
    }
    isDone = await into(cut).then(
      () => true,
      error => {
        if (error.message !== 'cut') throw error
        cuts++
        return false
      },
    )
  }
  cut.db.write = write
  expect(cuts).toBeGreaterThan(10)
  const made = await madeIn(cut)
  expect(made).toEqual(await madeIn(whole))
  expect([made.redirects, made.sources.length]).toEqual([['/old-third 301'], 120])
  expect(await into(cut)).toMatchObject({ datatypes: 0, fields: 0, entries: 0, redirects: 0 })
  expect(await madeIn(cut)).toEqual(made)
})

it('announces with an entry the pages before it that name it', async () => {
  const other = await testApp({ webhook_enabled: true })
  await other.subscribe()
  const others = Array.from({ length: 60 }, (_, i) => entry(`o${i}`, 'person', {}))
  const page = entry('p', 'article', {
    page: { path: '/names', title: 'Names' },
    values: { headline: { value: 'Names' }, author: { entries: ['last'] } },
  })
  const last = entry('last', 'person', { values: { name: { value: 'Last' } } })
  await loadSite(
    other.services,
    { ...actor, userId: other.users.admin, roleId: await other.services.access.systemRole('admin') },
    { types, locales: [], files: [], notes: [], entries: [page, ...others, last] },
    { ...plainly, isPublic: true },
  )
  const published = (await other.deliveries()).filter(({ event }) => event === 'content.published')
  const slugs = published.map(({ payload }) => JSON.parse(payload).data.slugs)
  expect([slugs.length, slugs[0], slugs[1], slugs.at(-1)]).toEqual([62, ['/names'], [], ['/names']])
})

it('leaves out values that do not fit, makes drafts of what breaks a rule, and tells both', async () => {
  const { notes, entries: n } = await load({
    types,
    entries: [
      entry('f', 'article', {
        page: { path: '/wrong', title: 'Wrong' },
        values: { headline: { value: 'Kept' }, price: { value: 'dear' }, nothing: { value: 1 } },
        children: [entry('f1', 'note', { values: { text: { value: { no: 'text' } } } })],
      }),
      entry('g', 'article', { page: { path: '/empty', title: 'Empty' } }),
      entry('h', 'article', {
        page: { path: '/first', title: 'Taken' },
        values: { headline: { value: 'x' } },
      }),
      entry('i', 'article', {
        page: { path: 'a//b', title: 'No path' },
        values: { headline: { value: 'x' } },
      }),
    ],
  })
  expect(n).toBe(3)
  expect(notes).toMatchInlineSnapshot(`
    [
      "Entries have no page, because another page has their address: 1 (article h: /first).",
      "Entries have no page, because their address is not valid here: 1 (article i: a//b).",
      "Entries are left out, because their datatype is for pages and they have no page: 2 (h, i).",
      "Values are left out, because they do not fit their fields: 3 (article f: fields.price: price must be a number, article f: fields.nothing: the datatype does not have this field, article f: children.0.fields.text: text does not accept an object).",
      "Published entries become drafts, because they break a rule of their fields: 1 (article g: fields.headline: is required).",
    ]
  `)
  const { body } = await call('GET', '/wrong?format=clean', { as: 'nobody' })
  expect(body).toMatchObject({ headline: 'Kept', children: [{ type: 'note' }] })
  expect((await call('GET', '/empty', { as: 'nobody' })).status).toBe(404)
  expect(await db.count(tables.routes, { slug: '/empty' })).toBe(1)
})

it('refuses a model that does not go with the one that is here, and keys that are given twice', async () => {
  const other = types.map(type => ({
    ...type,
    fields: type.fields.map(field => (field.name === 'price' ? { ...field, type: 'text' as const } : field)),
  }))
  await expect(load({ types: other })).rejects.toThrow('article.price already exists with the type number')
  await expect(load({ types, entries: [entries[0], entries[0]] as ImportedEntry[] })).rejects.toThrow(
    'two entries with the name a',
  )
  await expect(load({ types, entries: [entry('x', 'nothing', {})] })).rejects.toThrow('no type nothing')
})

it('plans the publication of what is to be published, as an editor does, unless the time has passed', async () => {
  const at = (ms: number) => new Date(app.clock.now() + ms).toISOString()
  const planned = { isPublished: false, values: { text: { value: 'Later' } } }
  const before = await db.countAll(internalTables.auditEvents)
  const fields: ImportedSite['types'][number]['fields'] = [{ name: 'text', label: 'Text', type: 'text' }]
  const done = await load({
    types: [{ name: 'notice', label: 'Notice', hasPages: false, fields }],
    entries: [
      entry('soon', 'notice', { ...planned, publishAt: at(3_600_000) }),
      entry('passed', 'notice', { ...planned, publishAt: at(-1000) }),
      entry('published', 'notice', { publishAt: at(3_600_000) }),
      entry('never', 'notice', { ...planned, publishAt: 'tomorrow' }),
    ],
  })
  expect(done.notes).toEqual([
    'Entries become drafts, because their scheduled time has passed since the export: 1 (notice passed).',
  ])
  const plans = (await db.findAll(tables.contentData)).filter(({ publish_at }) => publish_at !== null)
  const later = { status: 'draft', publish_at: at(3_600_000) }
  expect(plans).toMatchObject([later, later])
  const [{ content_data_id = '' } = {}] = plans
  const events = (await db.findAll(internalTables.auditEvents)).slice(before)
  expect(events.filter(({ record_id }) => record_id === content_data_id).map(one => one.operation)).toEqual([
    'INSERT',
    'UPDATE',
  ])
  app.clock.advance(3_600_001)
  await services.space.publishing.runDue()
  expect(await services.space.content.get(content_data_id)).toMatchObject({
    status: 'published',
    publish_at: null,
  })
})
