import { describe, expect, it } from 'vitest'
import { runAs } from '../../src/cli/command.js'
import { siteCommands } from '../../src/cli/site-commands.js'
import { HttpError } from '../../src/errors.js'
import { testApp } from '../support/app.js'
import { type CallerOf, callersOf } from '../support/callers.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { call, services, db, clock } = app
const { callerWith } = callersOf(app)
await app.subscribe()

interface Made {
  /** A draft, an entry under it, a published page and an entry under that. */
  readonly draft: string
  readonly draftChild: string
  readonly live: string
  readonly liveChild: string
  readonly datatype_id: string
  /** A version of the live page from when an entry that is gone was on it, published. */
  readonly version: string
}

let pages = 0
async function content(prefix: '' | '/admin'): Promise<Made> {
  const made = async (path: string, body: object) => {
    const answer = await call('POST', `/api/v1${prefix}${path}`, { body })
    expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text])
    return answer.body
  }
  const { datatype_id } = await made('/datatypes', { label: `Kind ${++pages}`, type: 'content' })
  await made('/fields', { parent_id: datatype_id, label: 'Title', field_type: 'text' })
  const page = async (status: string) => {
    const slug = `/page-${++pages}`
    const { entry } = await made('/pages', {
      ...{ slug, title: slug, datatype_id, status, fields: { title: 'before' } },
      children: [{ datatype_id }, { datatype_id }],
    })
    return [
      entry.content_data_id,
      ...entry.children.map((one: { content_data_id: string }) => one.content_data_id),
    ]
  }
  const [draft, draftChild] = await page('draft')
  const [live, liveChild, gone] = await page('published')
  const version = await made('/content/versions', { content_data_id: live })
  expect((await call('DELETE', `/api/v1${prefix}/content?q=${gone}`)).status).toBe(204)
  return { draft, draftChild, live, liveChild, datatype_id, version: version.content_version_id }
}

const published = { status: 'published' }

/** Every way by which a status changes, or an entry is made as published. */
const byApi: readonly [
  what: string,
  act: (caller: CallerOf, prefix: string, of: Made) => Promise<{ status: number }>,
][] = [
  ['PUT to published', (caller, at, { draft }) => caller.call('PUT', `${at}/content?q=${draft}`, published)],
  [
    'PUT to draft',
    (caller, at, { live }) => caller.call('PUT', `${at}/content?q=${live}`, { status: 'draft' }),
  ],
  [
    'PUT to published with values',
    (caller, at, { draft }) =>
      caller.call('PUT', `${at}/content?q=${draft}`, { ...published, fields: { title: 'x' } }),
  ],
  [
    'PUT of a child to published',
    (caller, at, { draft, draftChild }) =>
      caller.call('PUT', `${at}/content?q=${draft}`, {
        children: [{ content_data_id: draftChild, ...published }],
      }),
  ],
  [
    'PUT of a child to draft',
    (caller, at, { live, liveChild }) =>
      caller.call('PUT', `${at}/content?q=${live}`, {
        children: [{ content_data_id: liveChild, status: 'draft' }],
      }),
  ],
  [
    'PUT with a new published child',
    (caller, at, { draft, datatype_id }) =>
      caller.call('PUT', `${at}/content?q=${draft}`, { children: [{ datatype_id, ...published }] }),
  ],
  [
    'PUT with a new child that is published as its parent is',
    (caller, at, { live, datatype_id }) =>
      caller.call('PUT', `${at}/content?q=${live}`, { children: [{ datatype_id }] }),
  ],
  [
    'POST of a published entry',
    (caller, at, { draft, datatype_id }) =>
      caller.call('POST', `${at}/content`, { datatype_id, parent_id: draft, ...published }),
  ],
  [
    'POST of a draft with a published child',
    (caller, at, { draft, datatype_id }) =>
      caller.call('POST', `${at}/content`, {
        ...{ datatype_id, parent_id: draft },
        children: [{ datatype_id, ...published }],
      }),
  ],
  [
    'POST of a published page',
    (caller, at, { datatype_id }) =>
      caller.call('POST', `${at}/pages`, { slug: `/new-${++pages}`, title: 'x', datatype_id, ...published }),
  ],
  [
    'restoring a version with a published entry that is gone',
    (caller, at, { version }) =>
      caller.call('POST', `${at}/content/restore`, { content_version_id: version }),
  ],
  [
    'publishing',
    (caller, at, { draft }) => caller.call('POST', `${at}/content/publish`, { content_data_id: draft }),
  ],
  [
    'unpublishing',
    (caller, at, { live }) => caller.call('POST', `${at}/content/unpublish`, { content_data_id: live }),
  ],
  [
    'scheduling',
    (caller, at, { draft }) =>
      caller.call('POST', `${at}/content/schedule`, {
        content_data_id: draft,
        publish_at: '2027-01-01T00:00:00Z',
      }),
  ],
]

const writing = (resource: string) =>
  ['read', 'create', 'update', 'delete'].map(operation => `${resource}:${operation}`)
const state = async () => ({
  entries: [...(await rowsOf(services.space)), ...(await rowsOf(services.adminSpace))],
  audits: (await app.audits()).length,
  deliveries: (await app.deliveries()).length,
})
async function rowsOf({ content: { table } }: typeof services.space) {
  return db.findAll(table)
}

describe.each([
  ['content', '' as const, [...writing('content'), ...writing('routes')], 'content:publish'],
  // There the right to publish is the one to change, so that whoever may only create stays below it.
  [
    'the admin space',
    '/admin' as const,
    ['admin_tree:read', 'admin_tree:create', 'admin_tree:delete'],
    'admin_tree:update',
  ],
])('without the right to publish, in %s', (_, prefix, rights, publish) => {
  it.each(byApi)('%s is refused and changes nothing', async (_what, act) => {
    const of = await content(prefix)
    const caller = await callerWith(...rights)
    const before = await state()
    const answer = await act(caller, `/api/v1${prefix}`, of)
    expect([answer.status, answer]).toMatchObject([
      403,
      { body: { code: 'missing_permission', error: `the permission ${publish} is missing` } },
    ])
    expect(await state()).toEqual(before)
  })

  it.each(byApi)('%s is done with it', async (_what, act) => {
    const of = await content(prefix)
    const answer = await act(await callerWith(...rights, publish), `/api/v1${prefix}`, of)
    expect([200, 201]).toContain(answer.status)
  })
})

describe('without the right to publish', () => {
  it('the values of a published page are changed, and drafts are made under it', async () => {
    const { live, liveChild, datatype_id } = await content('')
    const caller = await callerWith(...writing('content'))
    const put = (id: string, body: object) => caller.call('PUT', `/api/v1/content?q=${id}`, body)
    expect((await put(live, { fields: { title: 'after' } })).status).toBe(200)
    // The status that it has is no change of it, as in a record that is sent back whole.
    expect((await put(live, { ...published, fields: { title: 'again' } })).status).toBe(200)
    expect((await put(liveChild, { children: [{ datatype_id, status: 'draft' }] })).status).toBe(200)
    const made = await caller.call('POST', '/api/v1/content', { datatype_id, parent_id: live })
    expect([made.status, made.body.status]).toEqual([201, 'draft'])
    expect((await services.space.content.get(live)).status).toBe('published')
  })

  it('a key whose list has no content:publish publishes nothing, whatever its user may', async () => {
    const { draft } = await content('')
    const { body } = await call('POST', '/api/v1/tokens', { body: { permissions: ['content:update'] } })
    const headers = { Authorization: `Bearer ${body.token}` }
    const answer = await call('PUT', `/api/v1/content?q=${draft}`, { as: 'nobody', headers, body: published })
    expect(answer.status).toBe(403)
    expect((await services.space.content.get(draft)).status).toBe('draft')
  })

  it('commands and the panel refuse the same', async () => {
    const { draft, live, version } = await content('')
    const caller = await callerWith(...writing('content'), ...writing('routes'))
    const before = await state()
    const run = (words: string, given: string[], input = '{}') => {
      const command = siteCommands.find(one => one.words === words)
      if (!command) throw new Error(words)
      const io = {
        ...{ write: () => undefined, writeError: () => undefined, writeBytes: () => undefined },
        ...{ drained: async () => undefined, readSecret: async () => '', isInteractive: false },
        ...{ ask: undefined, isTerminal: false, hasColour: false, zone: 'UTC' },
        stopped: new AbortController().signal,
        async *input() {
          yield Buffer.from(input)
        },
      }
      return runAs(caller.actor, services, command, { io, options: {}, given }).catch(error =>
        error instanceof HttpError ? error.status : Promise.reject(error),
      )
    }
    expect(await run('content update', [draft], '{"status":"published"}')).toBe(403)
    expect(await run('content update', [live], '{"status":"draft"}')).toBe(403)
    expect(await run('versions restore', [version])).toBe(403)
    expect(await run('content publish', [draft])).toBe(403)
    const form = (path: string, values: Record<string, string>) => caller.post(`/admin${path}`, values)
    expect((await form(`/content/entry/${draft}/unpublish`, {})).status).toBe(403)
    expect((await form('/content-selection', { what: 'publish', ids: draft })).status).toBe(403)
    expect((await form(`/content/entry/${live}/versions/${version}/restore`, {})).status).toBe(403)
    expect(await state()).toEqual(before)
  })

  it('what somebody else has planned is published when it is due', async () => {
    const { draft } = await content('')
    const plan = { content_data_id: draft, publish_at: '2026-11-21T13:00:00Z' }
    expect((await call('POST', '/api/v1/content/schedule', { body: plan })).status).toBe(200)
    clock.advance(2 * 3_600_000)
    await services.space.publishing.runDue()
    expect((await services.space.content.get(draft)).status).toBe('published')
  })
})

describe('the role editor', () => {
  const { post } = panelForms(app)
  const editorRole = () => services.access.systemRole('editor')

  it('publishes once an administrator lets it by one click under Roles', async () => {
    const { draft, datatype_id } = await content('')
    const put = () => call('PUT', `/api/v1/content?q=${draft}`, { as: 'editor', body: published })
    expect((await put()).status).toBe(403)
    const path = `/admin/roles/${await editorRole()}`
    expect((await call('GET', path)).text).toContain('Let editors publish')
    const viewer = `/admin/roles/${await services.access.systemRole('viewer')}`
    expect((await call('GET', viewer)).text).not.toContain('Let editors publish')
    for (const as of ['editor', 'viewer'] as const)
      expect((await post(`${path}/publish`, {}, { as })).status).toBe(403)
    // Nobody gives it to editors who does not have it, or who may less than editors.
    for (const rights of [
      ['roles:create', 'roles:read'],
      ['roles:create', 'roles:read', 'content:publish'],
    ]) {
      const caller = await callerWith(...rights)
      expect((await caller.post(`${path}/publish`)).status).toBe(403)
    }
    const before = await app.audits()
    expect((await post(`${path}/publish`, {})).location).toBe(`${path}?saved`)
    const audits = (await app.audits()).slice(before.length)
    expect(audits.map(({ operation, table_name }) => [operation, table_name])).toEqual([
      ['INSERT', 'role_permissions'],
    ])
    expect((await call('GET', path)).text).not.toContain('Let editors publish')
    expect((await post(`${path}/publish`, {})).status).toBe(409)
    expect((await put()).status).toBe(200)
    const made = { datatype_id, parent_id: draft, ...published }
    expect((await call('POST', '/api/v1/content', { as: 'editor', body: made })).status).toBe(201)
  })
})
