import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { siteCommands } from '../../src/cli/site-commands.js'
import { tables } from '../../src/db/tables.js'
import { authenticationBy } from '../../src/middleware/authenticate.js'
import { panelRouters } from '../../src/panel/index.js'
import { recordResponses } from '../../src/routes/crud-routes.js'
import { agentWith } from '../support/agent.js'
import { testApp } from '../support/app.js'
import { type CallerOf, callersOf } from '../support/callers.js'

const app = await testApp({
  publish_mode: 'staged',
  i18n_enabled: true,
  app_secret: 'a secret of sixteen characters and more',
})
const { call, db, parts, services } = app
const { callerIn } = callersOf(app)

const admin = async (method: string, path: string, body?: unknown) => {
  const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
  expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text])
  return answer.body
}

/** All rights there are: what a caller may read is not for want of them. */
const labels = [
  ...['content', 'routes', 'media', 'datatypes', 'fields', 'users', 'webhook', 'admin_tree', 'tokens'],
  ...['roles', 'permissions', 'sessions', 'config', 'deploy', 'import', 'ssh_keys', 'field_types'],
].flatMap(resource =>
  ['read', 'create', 'update', 'delete', 'admin'].map(operation => `${resource}:${operation}`),
)
const permissions = [...labels, 'content:publish', 'audit:read', 'metrics:read']
let made = 0

async function limited(limits: object): Promise<CallerOf> {
  const { role_id } = await admin('POST', '/roles', { label: `reader ${++made}`, limits })
  await db.write(systemActor, async tx => {
    for (const label of permissions) {
      const { permission_id } =
        (await tx.find(tables.permissions, { label })) ?? (await tx.insert(tables.permissions, { label }))
      await tx.insert(tables.rolePermissions, { role_id, permission_id })
    }
  })
  return callerIn(role_id)
}

const kinds = {
  article: await admin('POST', '/datatypes', { label: 'Article', type: 'content' }),
  page: await admin('POST', '/datatypes', { label: 'Page', type: 'content' }),
  author: await admin('POST', '/datatypes', { label: 'Author', type: '_global' }),
}
for (const { datatype_id } of Object.values(kinds)) {
  await admin('POST', '/fields', { parent_id: datatype_id, label: 'Title', field_type: 'text' })
  await admin('POST', '/fields', { parent_id: datatype_id, label: 'Other', field_type: 'relation' })
}
await admin('POST', '/locales', { code: 'fr', label: 'French' })
await admin('POST', '/admin/webhooks', {
  name: 'all',
  url: 'https://example.com/',
  events: ['*'],
  is_active: true,
})

/** The ids of everything that belongs to a page. */
type Ids = Readonly<Record<string, string>>

/** A page that the public does not see, with one of everything that can belong to it. `word` is in every text. */
async function draftPage(kind: keyof typeof kinds, slug: string, word: string): Promise<Ids> {
  const { datatype_id } = kinds[kind]
  const child = { datatype_id, fields: { title: `${word} child` } }
  const { route, entry } = await admin('POST', '/pages', {
    ...{ slug, title: `${word} title`, datatype_id, fields: { title: `${word} text` } },
    children: [child, child],
  })
  const content_data_id: string = entry.content_data_id
  const inner: string = entry.children[0].content_data_id
  const version = await admin('POST', '/content/versions', { content_data_id, label: `${word} version` })
  const redirect = await admin('POST', '/redirects', { slug: `${slug}-old`, route_id: route.route_id })
  const comment = await admin('POST', '/comments', { content_data_id, body: `${word} comment` })
  const request = await admin('POST', '/review-requests', { content_data_id, note: `${word} note` })
  const link = await admin('POST', '/content/preview-links', { content_data_id, label: `${word} link` })
  const gone = entry.children[1].content_data_id
  await admin('DELETE', `/content?q=${gone}`)
  const [trashed] = await db.findAll(tables.trash, { content_data_id: gone })
  const value = await db.find(tables.contentFields, { content_data_id })
  await admin('PUT', `/content?q=${content_data_id}`, { fields: { title: `${word} again` } })
  await admin('PUT', `/routes?q=${route.route_id}`, { translations: { fr: { title: `${word} titre` } } })
  return {
    ...{ content_data_id, inner, gone, trash_id: trashed?.trash_id ?? '' },
    route_id: route.route_id,
    content_version_id: version.content_version_id,
    redirect_id: redirect.redirect_id,
    comment_id: comment.comment_id,
    review_request_id: request.review_request_id,
    preview_link_id: link.preview_link_id ?? link.id,
    content_field_id: value?.content_field_id ?? '',
  }
}

const secret = 'zebra'
await admin('POST', '/pages', { slug: '/news', title: 'News', datatype_id: kinds.article.datatype_id })
const seen = await draftPage('article', '/news/open', 'giraffe')
const hidden = await draftPage('page', '/hidden', secret)
const shown = await draftPage('page', '/shown', 'lion')
await admin('POST', '/content/publish', { content_data_id: shown.content_data_id })
await admin('PUT', `/content?q=${shown.content_data_id}`, { fields: { title: `${secret} pending` } })
const author = await admin('POST', '/content', {
  datatype_id: kinds.author.datatype_id,
  fields: { title: 'okapi' },
})
const unknown = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

const readers = {
  'a part of the pages': await limited({ routes: ['/news'], reads: [] }),
  datatypes: await limited({ datatypes: ['article'], reads: [] }),
  'pages, and authors': await limited({ routes: ['/news'], reads: ['author'] }),
  'pages and datatypes': await limited({
    routes: ['/news'],
    datatypes: ['article'],
    locales: ['fr'],
    reads: ['author'],
  }),
  'own entries': await limited({ own: true, reads: [] }),
}

const { ports, config } = parts
const panel = panelRouters({
  services,
  authentication: authenticationBy(services, config),
  recordResponses: recordResponses(ports.hashing),
  ...{ config, ...ports, secure: false },
  exposition: ports.exposition(() => services.metrics.measure()),
} as never)

interface Asked {
  readonly method: string
  readonly path: string
}

const declared: Asked[] = [
  ...app.app.declarations.map(({ method, path }) => ({
    method: method.toUpperCase(),
    path: path.startsWith('/api') ? path : `/api/v1${path}`,
  })),
  ...panel.flatMap(router =>
    router.declarations.map(({ method, path }) => ({
      method: method.toUpperCase(),
      path: `/admin${path === '/' ? '' : path}`,
    })),
  ),
]

/** Values of a parameter that may find something of a page. */
function valuesFor(name: string, of: Ids): string[] {
  if (of[name]) return [of[name]]
  if (name === 'entry_id' || name === 'id') return [of.content_data_id ?? '', of.inner ?? '']
  if (name === 'record_id') return Object.values(of)
  if (name === 'version_id') return [of.content_version_id ?? '']
  return Object.values(of)
}

/** The paths of an endpoint for each of the values of its parameters. */
function pathsOf(path: string, of: Ids): string[] {
  const [, name] = /:(\w+)/.exec(path) ?? []
  if (name === undefined) return [path]
  return valuesFor(name, of).flatMap(value => pathsOf(path.replace(/:\w+(\{[^}]*\})?/, value), of))
}

const isThorough = Boolean(process.env.TEST_THOROUGH)

/** What finds something by an id or a word in the query. */
function queriesOf(of: Ids, word: string): string[] {
  const root = of.content_data_id
  const usual = ['', `q=${root}`, `q=${word}`, `search=${word}`, 'count=true', `content_data_id=${root}`]
  const named = Object.entries(of).map(([name, id]) => `${name}=${id}`)
  const ids = Object.values(of).flatMap(id => [`q=${id}`, `ids=${id}`])
  const words = ['words', 'text', 'title', 'slug'].map(name => `${name}=${word}`)
  const others = ['sort=title', 'limit=1000', 'status=draft', `id=${root}`, 'locale=fr']
  return [...usual, ...(isThorough ? [...others, ...named, ...ids, ...words] : [])].map(query => `?${query}`)
}

const publicIds = new Set([
  shown.content_data_id,
  shown.inner,
  shown.route_id,
  shown.content_field_id,
  shown.redirect_id,
])
const hiddenIds = [...Object.values(hidden), ...Object.values(shown).filter(id => !publicIds.has(id))]

/** What an answer tells of content that its caller may not read, but for what the request said. */
function toldIn(text: string, path: string): string[] {
  const told = hiddenIds.filter(id => text.includes(id) && !path.includes(id))
  const lower = text.toLowerCase()
  const words = path.includes(secret) ? [`${secret} `] : [secret]
  return [...told, ...words.filter(word => lower.includes(word))]
}

/** The answer without what was asked. */
const plain = (text: string, id: string) =>
  text.replaceAll(id, '…').replaceAll(/nonce[^\s>]*|[0-9A-HJKMNP-TV-Z]{26}|[\w-]{32,}/g, '')

const crawling = Object.entries(readers).slice(0, isThorough ? undefined : 1)

describe.each(crawling)('limited to %s', (_, reader) => {
  it('reads nothing of other content in any list, page or answer', async () => {
    const told: unknown[] = []
    let [answers, good] = [0, 0]
    for (const { path } of declared.filter(({ method }) => method === 'GET')) {
      // They lead elsewhere, or do not end.
      if (/oauth|events/.test(path)) continue
      const queries = path.includes(':')
        ? isThorough
          ? ['', '?locale=fr']
          : ['']
        : queriesOf(hidden, secret)
      for (const one of pathsOf(path, hidden))
        for (const query of queries) {
          const at = `${one}${query}`
          const answer = await reader.call('GET', at)
          answers++
          if (answer.status < 300) good++
          const found = toldIn(answer.text, at)
          if (found.length > 0) told.push([at, answer.status, found])
          if (answer.status >= 500 && !answer.text.includes('not_configured')) told.push([at, answer.text])
        }
    }
    expect(told).toEqual([])
    expect(answers).toBeGreaterThan(500)
    expect(good).toBeGreaterThan(100)
  })

  it('is answered about hidden things as about things that are not there', async () => {
    const different: unknown[] = []
    const ids = isThorough ? Object.values(hidden) : [hidden.content_data_id ?? '', hidden.route_id ?? '']
    const own = Object.values(hidden)
    for (const { method, path } of declared) {
      if (/auth\/|sign-out|logout|\/profile|oauth/.test(path)) continue
      const isAbout = /content|routes|redirects|trash|comments|review|preview/.test(path)
      if (!path.includes(':') && !isAbout) continue
      const [, name = ''] = /:(\w+)/.exec(path) ?? []
      for (const id of new Set([...ids, ...own.filter(one => one === hidden[name])])) {
        const ask = async (about: string) => {
          const at = path.includes(':') ? path.replaceAll(/:\w+(\{[^}]*\})?/g, about) : `${path}?q=${about}`
          const body =
            method === 'GET'
              ? undefined
              : { content_data_id: about, trash_id: about, route_id: about, ids: [about] }
          const answer =
            path.startsWith('/admin') && method === 'POST'
              ? await reader.post(at, { ids: about, what: 'publish' })
              : await reader.call(method, at, body)
          return [answer.status, plain(answer.text, about)]
        }
        const [of, none] = [await ask(id), await ask(unknown)]
        if (JSON.stringify(of) !== JSON.stringify(none)) different.push([method, path, id, of, none])
      }
    }
    expect(different).toEqual([])
  })
})

describe.each(Object.entries(readers))('limited to %s', (what, reader) => {
  it('finds its own part, and nothing else', async () => {
    const list = await reader.call('GET', '/api/v1/content?limit=1000')
    const ids = list.body.map((one: { content_data_id: string }) => one.content_data_id)
    const wanted = what.includes('own') ? [] : [seen.content_data_id, seen.inner]
    expect(wanted.filter(id => !ids.includes(id))).toEqual([])
    expect(ids.includes(author.content_data_id)).toBe(/authors|and datatypes/.test(what))
    expect(ids.filter((id: string) => Object.values({ ...hidden, ...shown }).includes(id))).toEqual([])
    expect(Number(list.headers.get('x-total-count') ?? ids.length)).toBe(ids.length)
  })
})

describe('a reader of a part', () => {
  const reader = readers['a part of the pages']
  const good = async (method: string, path: string, body?: unknown) => {
    const answer = await reader.call(method, `/api/v1${path}`, body)
    expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text])
    return answer.body
  }

  it('works on the part: pages, texts, versions, trash, comments, publication', async () => {
    const { entry, route } = await good('POST', '/pages', {
      ...{ slug: '/news/mine', title: 'Mine', datatype_id: kinds.article.datatype_id },
      fields: { title: 'one' },
    })
    const q = `?q=${entry.content_data_id}`
    await good('PUT', `/content${q}`, { fields: { title: 'two' } })
    await good('POST', '/comments', { content_data_id: entry.content_data_id, body: 'Is it good?' })
    const { content_version_id } = await good('POST', '/content/versions', {
      content_data_id: entry.content_data_id,
    })
    await good('PUT', `/content${q}`, { fields: { title: 'three' } })
    await good('POST', '/content/restore', { content_version_id })
    await good('POST', '/content/publish', { content_data_id: entry.content_data_id })
    expect((await call('GET', '/news/mine?format=raw', { as: 'nobody' })).text).toContain('two')
    await good('DELETE', `/content${q}`)
    const gone: { content_data_id: string; trash_id: string }[] = await good('GET', '/trash')
    const trashed = gone.find(one => one.content_data_id === entry.content_data_id)
    expect(gone.length).toBe(2)
    await good('POST', '/trash/restore', { trash_id: trashed?.trash_id })
    expect((await good('GET', `/routes?q=${route.route_id}`)).slug).toBe('/news/mine')
    expect((await reader.call('GET', `/admin/content/entry/${entry.content_data_id}`)).status).toBe(200)
  })

  it('keeps a relation to what it cannot read, and learns nothing of it', async () => {
    const q = `?q=${seen.content_data_id}`
    await admin('PUT', `/content${q}`, { fields: { other: hidden.content_data_id } })
    await good('PUT', `/content${q}`, { fields: { title: 'kept', other: hidden.content_data_id } })
    const page = await reader.call('GET', `/admin/content/entry/${seen.content_data_id}`)
    expect([page.status, page.text.toLowerCase().includes(secret)]).toEqual([200, false])
    await admin('PUT', `/content${q}`, { fields: { other: '' } })
  })

  it('is told that an address is taken, and not by what', async () => {
    const answer = await reader.call('POST', '/api/v1/routes', { slug: '/hidden', title: 'x' })
    expect(answer.status).toBe(409)
    expect(toldIn(answer.text, '')).toEqual([])
  })

  it('gets of delivered pages what the public gets', async () => {
    const page = await reader.call('GET', '/api/v1/page/shown?format=raw')
    const public_ = await call('GET', '/shown?format=raw', { as: 'nobody' })
    expect([page.status, page.text]).toEqual([200, public_.text])
    expect((await reader.call('GET', '/api/v1/page/hidden')).status).toBe(404)
  })

  it('makes preview links of the part alone, which show it and the public rest', async () => {
    const made = await good('POST', '/content/preview-links', { content_data_id: seen.content_data_id })
    const at = `/api/v1/preview?token=${made.token}`
    const page = await call('GET', `${at}&format=raw`, { as: 'nobody' })
    expect([page.status, page.text.includes('kept')]).toEqual([200, true])
    const other = await reader.call('POST', '/api/v1/content/preview-links', {
      content_data_id: hidden.content_data_id,
    })
    expect(other.body.code).toBe('foreign_key')
    // A page that leaves the part takes its links along.
    await admin('PUT', `/routes?q=${seen.route_id}`, { slug: '/elsewhere' })
    expect((await call('GET', at, { as: 'nobody' })).status).toBe(410)
    await admin('PUT', `/routes?q=${seen.route_id}`, { slug: '/news/open' })
  })

  it('has no stream of changes, and no right beyond content', async () => {
    for (const path of [
      '/content/changes',
      '/audit',
      '/admin/webhooks',
      '/tokens',
      '/roles',
      '/config',
      '/admin/tree',
    ])
      expect([path, (await reader.call('GET', `/api/v1${path}`)).status < 300]).toEqual([path, false])
  })

  it('is refused by everything that reads all of the content', async () => {
    const { access } = services
    expect(await access.can(reader.actor, 'content:read')).toBe(false)
    expect(await access.can(reader.actor, 'content:update')).toBe(false)
    expect(await access.can(reader.actor, 'signed-in')).toBe(false)
    expect(await access.can(reader.actor, 'own-account')).toBe(true)
    const { message } = await access.refusal(reader.actor, 'signed-in')
    expect(message).toBe('you may read only a part of the content: use the panel or the API')
  })

  it('runs no command, whatever it needs', async () => {
    const may = async (access: Parameters<typeof services.access.can>[1]) =>
      services.access.can(reader.actor, access)
    const open = await Promise.all(siteCommands.map(async ({ words, access }) => [words, await may(access)]))
    const public_ = siteCommands.flatMap(({ words, access }) => (access === 'public' ? [words] : []))
    expect(open.filter(([, is]) => is).map(([words]) => words)).toEqual(public_)
  })

  it('learns nothing as an agent, whatever tool it uses', async () => {
    const limits = { routes: ['/news'], reads: [] }
    const { token } = await admin('POST', '/tokens', { label: 'agent', limits })
    const { client, use } = await agentWith(app, token)
    const hiddenId = hidden.content_data_id
    const given: Record<string, object[]> = {
      get_model: [{}],
      search: [{ words: secret }],
      list_pages: [{}],
      find_entries: [{}, { words: secret }, { state: 'draft' }, { state: 'changed' }],
      read_page: [{ slug: '/hidden', drafts: true }, { slug: '/hidden' }, { slug: '/shown', drafts: true }],
      read_shared: [{ datatype: 'author', drafts: true }],
      find_media: [{}],
      check_entry: [{ content_data_id: hiddenId }, { content_data_id: unknown }],
      propose_page: [{ slug: '/hidden', title: 'x', datatype_id: kinds.page.datatype_id, fields: {} }],
      propose_change: [
        { content_data_id: hiddenId, fields: { title: 'x' } },
        { content_data_id: unknown, fields: { title: 'x' } },
      ],
      list_proposals: [{}],
    }
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(given).sort())
    for (const [name, calls] of Object.entries(given)) {
      const answers = []
      for (const call of calls) {
        const { answer, isRefused } = await use(name, { ...call })
        const text = JSON.stringify(answer)
        expect([name, call, toldIn(text, JSON.stringify(call))]).toEqual([name, call, []])
        answers.push(JSON.stringify([isRefused, answer]).replaceAll(/\w{26}/g, '…'))
      }
      if (name === 'check_entry' || name === 'propose_change') expect(new Set(answers).size).toBe(1)
    }
    expect((await use('read_page', { slug: '/news/open', drafts: true })).isRefused).toBe(false)
  })

  it('reads what its role says now', async () => {
    const other = await limited({ datatypes: ['article'], reads: [] })
    const has = async () => (await other.call('GET', `/api/v1/content?q=${hidden.content_data_id}`)).status
    expect(await has()).toBe(404)
    await admin('PUT', `/roles?q=${other.role}`, { limits: { datatypes: ['article'] } })
    expect(await has()).toBe(200)
    await admin('PUT', `/roles?q=${other.role}`, { limits: { datatypes: ['article'], reads: ['page'] } })
    expect(await has()).toBe(200)
    await admin('PUT', `/roles?q=${other.role}`, { limits: { own: true, reads: [] } })
    expect(await has()).toBe(404)
  })

  it('gives keys that read no more', async () => {
    const key = await good('POST', '/tokens', { label: 'mine' }).catch(() => undefined)
    const { token } =
      key ?? (await admin('POST', '/tokens', { label: 'part', limits: { routes: ['/news'], reads: [] } }))
    const headers = { Authorization: `Bearer ${token}` }
    const answer = await call('GET', `/api/v1/content?q=${hidden.content_data_id}`, { as: 'nobody', headers })
    expect(answer.status).toBe(404)
    const own = await call('GET', `/api/v1/content?q=${seen.content_data_id}`, { as: 'nobody', headers })
    expect(own.status).toBe(200)
  })
})

describe('limits that hold for reading', () => {
  it.each([
    [{ reads: [] }, 400],
    [{ locales: ['fr'], reads: [] }, 400],
    [{ own: true, reads: ['nothing'] }, 400],
    [{ own: true, reads: 'author' }, 400],
    [{ own: true, reads: ['author'] }, 201],
    [{ own: true, reads: [kinds.author.datatype_id, 'author'] }, 201],
  ])('%j: %i', async (limits, status) => {
    const answer = await call('POST', '/api/v1/roles', { body: { label: `of ${++made}`, limits } })
    expect([answer.status, answer.text]).toEqual([status, answer.text])
    if (status === 201) expect(answer.body.limits.reads).toEqual([kinds.author.datatype_id])
  })
})

it('the overview shows no list of recent changes to who reads a part, rather than an empty one', async () => {
  const reader = await limited({ datatypes: ['article'], reads: [] })
  const { status, text } = await reader.call('GET', '/admin')
  expect([status, text.includes('Recent changes')]).toEqual([200, false])
  expect((await call('GET', '/admin')).text).toContain('Recent changes')
})
