import { describe, expect, it } from 'vitest'
import { type Actor, systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { limits } from '../../src/limits.js'
import { asAgent } from '../../src/services/agents.js'
import { agentWith } from '../support/agent.js'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'

const key = 'key-secret-of-this-test'
const staged = await testApp({ publish_mode: 'staged', webhook_enabled: true })
const live = await testApp({ publish_mode: 'live' })
await staged.subscribe()

async function siteOf(app: typeof staged) {
  const { datatype, field, route, entry } = factories(app)
  const kind = (await datatype('Post')).datatype_id as string
  await field(kind, 'Text', 'text')
  let n = 0
  return {
    kind,
    async page(status: 'draft' | 'published' = 'published') {
      const slug = `/page-${++n}`
      const { route_id } = await route(slug, `Page ${n}`)
      const made = await entry(kind, { route_id }, { fields: { text: `Words ${n}` }, status })
      return { slug, id: made.content_data_id as string, revision: made.revision as number }
    },
  }
}
const [{ kind, page }, liveSite] = [await siteOf(staged), await siteOf(live)]
const { use, client } = await agentWith(staged, key)
const { callerWith } = callersOf(staged)

/** Makes a key of a user who has exactly these permissions. */
async function keyWith(...permissions: string[]): Promise<string> {
  const { user_id } = await callerWith(...permissions)
  const { body, status } = await staged.call('POST', '/api/v1/tokens', { body: { label: 'agent', user_id } })
  expect(status).toBe(201)
  return body.token
}

const post = (headers: Record<string, string>, body: BodyInit = '{}') =>
  staged.send('POST', '/api/mcp', {
    as: 'nobody',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  })
const withKey = { Authorization: `Bearer ${key}` }
const publicText = async (slug: string) => (await staged.call('GET', slug, { as: 'nobody' })).text

describe('the server for agents', () => {
  it('answers nobody but holders of a key who may read content', async () => {
    for (const headers of [
      {},
      { Authorization: 'Bearer unknown' },
      { Cookie: `${staged.config.cookie_name}=admin-secret-of-this-test` },
    ]) {
      const { status, body, headers: answered } = await post(headers)
      expect([status, body.code]).toEqual([401, 'wrong_credentials'])
      expect(answered.get('www-authenticate')).toBe('Bearer realm="slugline"')
    }
    const stranger = await keyWith('media:read')
    const { status, body } = await post({ Authorization: `Bearer ${stranger}` })
    expect([status, body.code]).toEqual([403, 'missing_permission'])
  })

  it('refuses other methods, other types and bodies that are no requests', async () => {
    const { status, headers } = await staged.call('GET', '/api/mcp', { as: 'key' })
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
    expect((await post({ ...withKey, 'Content-Type': 'text/plain' })).status).toBe(415)
    expect((await post(withKey, '{')).status).toBe(400)
    expect((await post(withKey, '['.repeat(100) + ']'.repeat(100))).status).toBe(400)
    expect((await post(withKey, `"${'x'.repeat(5 * 2 ** 20)}"`)).status).toBe(413)
    expect((await post(withKey, '{}')).status).toBe(400)
  })

  it.each(['legacy', 'auto'] as const)('speaks with clients of this protocol: %s', async mode => {
    const agent = await agentWith(staged, key, { mode })
    expect(agent.client.getInstructions()).toContain('a person reviews what you propose')
    expect((await agent.client.listTools()).tools.length).toBe(11)
  })

  it('lists only the tools that the key permits', async () => {
    const names = async (secret: string) =>
      (await (await agentWith(staged, secret)).client.listTools()).tools.map(({ name }) => name)
    expect(await names(await keyWith('content:read'))).toEqual([
      'search',
      'list_pages',
      'read_page',
      'read_shared',
    ])
    const { tools } = await client.listTools()
    expect(tools.map(({ name, annotations }) => `${name} ${annotations?.readOnlyHint}`)).toEqual([
      'get_model true',
      'search true',
      'list_pages true',
      'find_entries true',
      'read_page true',
      'read_shared true',
      'find_media true',
      'check_entry true',
      'propose_page false',
      'propose_change false',
      'list_proposals true',
    ])
    const reader = await agentWith(staged, await keyWith('content:read'))
    await expect(reader.use('propose_page', { datatype_id: kind, title: 'No' })).rejects.toThrow('not found')
    expect(await reader.use('read_page', { slug: '/x', drafts: true })).toMatchObject({
      isRefused: true,
      answer: { code: 'missing_permission' },
    })
  })

  it('never has more rights than the key, whoever holds it', () => {
    const holder = { userId: 'u', roleId: 'r', credential: { kind: 'key', id: 'k' } } as const
    const left = (limits?: object) =>
      [
        ...(asAgent({ ...holder, credential: { ...holder.credential, limits } as never }).credential.limits
          ?.permissions ?? []),
      ].sort()
    expect(left()).not.toContain('content:publish')
    expect(left({ permissions: new Set(['content:read', 'content:publish']), readOnly: true })).toEqual([
      'content:read',
    ])
  })
})

describe('reading', () => {
  it('gives the model, published pages, drafts and media', async () => {
    const [shown, draft] = [await page(), await page('draft')]
    const model = await use('get_model')
    expect(model.answer.datatypes).toMatchObject([
      { datatype_id: kind, name: 'post', fields: [{ name: 'text' }] },
    ])
    expect(Object.keys(model.answer)).toEqual(['locales', 'datatypes'])
    const found = await use('search', { words: 'words' })
    expect(found.answer.data.map(({ id }: { id: string }) => id)).toEqual([shown.id])
    expect((await use('list_pages')).answer.data).toMatchObject([{ id: shown.id, slug: shown.slug }])
    const entries = (await use('find_entries', { state: 'draft' })).answer.entries
    expect(entries).toMatchObject([{ content_data_id: draft.id, slug: draft.slug, revision: draft.revision }])
    expect((await use('find_entries', { words: 'Words 2' })).answer.entries).toMatchObject([
      { slug: draft.slug },
    ])
    expect((await use('read_page', { slug: draft.slug })).answer).toEqual({
      error: 'not found',
      code: 'not_found',
    })
    expect((await use('read_page', { slug: draft.slug, drafts: true })).answer).toMatchObject({
      page: { id: draft.id, fields: { text: 'Words 2' } },
      revisions: { [draft.id]: draft.revision },
    })
    expect((await use('check_entry', { content_data_id: draft.id })).answer.errors).toEqual([])
    expect((await use('find_media')).answer).toEqual({ media: [] })
  })

  it('gives what is on no page', async () => {
    const { datatype, field, entry } = factories(staged)
    const menu = (await datatype('Menu', { type: '_global' })).datatype_id
    await field(menu, 'Links', 'text')
    const made = await entry(menu, {}, { fields: { links: 'a' }, status: 'published' })
    expect((await use('read_shared', { datatype: 'menu', drafts: true })).answer).toMatchObject({
      entries: [{ fields: { links: 'a' } }],
      revisions: { [made.content_data_id]: made.revision },
    })
    expect((await use('read_shared', { datatype: 'none' })).answer.code).toBe('not_found')
  })

  it('refuses unknown members, and numbers beyond the bounds', async () => {
    for (const [tool, given] of [
      ['search', { words: 'x', limit: 1_000_000 }],
      ['find_entries', { limit: 101 }],
      ['list_pages', { all: true }],
      ['read_page', { slug: 'no slash' }],
    ] as const) {
      const { isRefused, answer } = await use(tool, given)
      expect([tool, isRefused, answer]).toEqual([tool, true, expect.stringContaining('Invalid arguments')])
    }
  })
})

describe('a proposed page', () => {
  it('is a draft with a request for review: rows, audit events and deliveries, and no others', async () => {
    const [audits, deliveries] = [(await staged.audits()).length, (await staged.deliveries()).length]
    const { isRefused, answer } = await use('propose_page', {
      ...{ datatype_id: kind, title: 'From an agent', fields: { text: 'New' }, note: 'Asked for by Ann' },
      children: [{ datatype_id: kind, fields: { text: 'Under it' } }],
    })
    expect([isRefused, answer.route.slug, answer.entry.status]).toEqual([false, '/from-an-agent', 'draft'])
    const left = (await staged.audits()).slice(audits)
    expect(left.map(one => `${one.surface} ${one.table_name} ${one.operation}`)).toEqual([
      'mcp routes INSERT',
      'mcp content_data INSERT',
      'mcp content_data INSERT',
      'mcp content_fields INSERT',
      'mcp content_fields INSERT',
      'mcp review_requests INSERT',
    ])
    expect(new Set(left.map(one => one.user_id))).toEqual(new Set([staged.users.key]))
    const events = (await staged.deliveries()).slice(deliveries).map(({ event }) => event)
    expect(events).toEqual(['review.requested', 'route.created'])
    expect((await staged.call('GET', '/from-an-agent', { as: 'nobody' })).status).toBe(404)
    expect((await use('list_proposals')).answer.proposals[0]).toMatchObject({
      content_data_id: answer.entry.content_data_id,
      note: 'Asked for by Ann',
      status: 'open',
    })
  })

  it('leaves nothing where it is refused', async () => {
    const before = (await staged.audits()).length
    const { slug } = await page()
    const after = (await staged.audits()).length
    expect(after).toBeGreaterThan(before)
    for (const given of [
      { title: 'Twice', slug },
      { title: 'Published below', children: [{ datatype_id: kind, status: 'published' }] },
      { title: 'Unknown field', fields: { nothing: 1 } },
      { title: 'Published', status: 'published' },
      { title: '' },
    ]) {
      const { isRefused } = await use('propose_page', { datatype_id: kind, ...given })
      expect([given, isRefused]).toEqual([given, true])
    }
    expect((await staged.audits()).length).toBe(after)
  })

  it('is refused while too many proposals of the user wait for a review', async () => {
    const user = await callerWith('content:read', 'content:create', 'content:update', 'routes:create')
    const { body } = await staged.call('POST', '/api/v1/tokens', {
      body: { label: 'eager', user_id: user.user_id },
    })
    const eager = await agentWith(staged, body.token)
    const propose = (i: number) => eager.use('propose_page', { datatype_id: kind, title: `Eager ${i}` })
    for (let i = 0; i < limits.agents.openProposals; i++) expect((await propose(i)).isRefused).toBe(false)
    const routes = await staged.db.count(tables.routes, {})
    expect((await propose(-1)).answer).toMatchObject({
      code: 'conflict',
      error: expect.stringContaining('waiting for a review'),
    })
    expect(await staged.db.count(tables.routes, {})).toBe(routes)
    expect((await use('propose_page', { datatype_id: kind, title: 'Of another' })).isRefused).toBe(false)
  })

  it('does not take the address of a redirect from the public', async () => {
    const redirect = { slug: '/moved', target: 'https://example.com/new', status: 301 }
    const made = await staged.call('POST', '/api/v1/redirects', { body: redirect })
    expect([made.status, made.text]).toEqual([201, made.text])
    const follow = async () => {
      const { status, headers } = await staged.call('GET', '/moved', { as: 'nobody' })
      return [status, headers.get('location')]
    }
    const before = await follow()
    await use('propose_page', { datatype_id: kind, title: 'Here now', slug: '/moved' })
    expect(await follow()).toEqual(before)
  })
})

describe('a proposed change', () => {
  it('waits for a review while the public sees the page as it was', async () => {
    const { slug, id, revision } = await page()
    const was = await publicText(slug)
    const propose = (revision: number, text: string) =>
      use('propose_change', { content_data_id: id, revision, fields: { text }, note: 'Better' })
    const [audits, deliveries] = [(await staged.audits()).length, (await staged.deliveries()).length]
    const first = await propose(revision, 'One')
    expect([first.isRefused, first.answer.revision]).toEqual([false, revision + 1])
    expect((await staged.audits()).slice(audits).map(one => `${one.surface} ${one.table_name}`)).toEqual([
      'mcp content_fields',
      'mcp review_requests',
    ])
    expect((await staged.deliveries()).slice(deliveries).map(({ event }) => event)).toEqual([
      'review.requested',
    ])
    expect(await publicText(slug)).toBe(was)
    expect((await propose(revision, 'Two')).answer.code).toBe('changed')
    expect((await propose(revision + 1, 'Two')).isRefused).toBe(false)
    expect((await propose(revision + 2, 'Two')).answer).toMatchObject({
      code: 'conflict',
      error: expect.stringContaining('nothing would change'),
    })
    expect(await publicText(slug)).toBe(was)
    const published = await staged.call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
    expect(published.status).toBe(200)
    expect(await publicText(slug)).toContain('Two')
  })

  it('never touches what people have begun', async () => {
    const [draft, edited, asked] = [await page('draft'), await page(), await page()]
    const edit = (id: string) =>
      staged.call('PUT', `/api/v1/content/?q=${id}`, { body: { fields: { text: 'By hand' } } })
    const { revision } = (await edit(edited.id)).body
    await edit(asked.id)
    const review = { content_data_id: asked.id, note: '' }
    expect((await staged.call('POST', '/api/v1/review-requests', { body: review })).status).toBe(201)
    for (const [id, at, problem] of [
      [draft.id, draft.revision, 'draft'],
      [edited.id, revision, 'unpublished changes'],
      [asked.id, asked.revision + 1, 'somebody else requested'],
    ] as const) {
      const given = { content_data_id: id, revision: at, fields: { text: 'By an agent' } }
      const { answer } = await use('propose_change', given)
      expect([answer.code, answer.error]).toEqual(['conflict', expect.stringContaining(problem)])
    }
  })

  it('is refused where it would be public at once', async () => {
    const agent = await agentWith(live, key)
    const { slug, id, revision } = await liveSite.page()
    const was = (await live.call('GET', slug, { as: 'nobody' })).text
    const before = (await live.audits()).length
    const { answer } = await agent.use('propose_change', {
      ...{ content_data_id: id, revision, fields: { text: 'At once' } },
    })
    expect([answer.code, answer.error]).toEqual(['forbidden', expect.stringContaining('public at once')])
    expect((await live.audits()).length).toBe(before)
    expect((await live.call('GET', slug, { as: 'nobody' })).text).toBe(was)
    const page = { datatype_id: liveSite.kind, title: 'A draft', fields: { text: 'Waits' } }
    expect((await agent.use('propose_page', page)).isRefused).toBe(false)
  })
})

describe('the last check of every transaction', () => {
  const rights = { userId: staged.users.admin, roleId: '', credential: null }
  const actorWith = async (): Promise<Actor> => {
    const role = (await staged.db.get(tables.users, rights.userId))?.role ?? ''
    const credential = { kind: 'session', id: 's' } as const
    return { ...systemActor, ...rights, roleId: role, credential, surface: 'mcp' }
  }

  it('refuses an agent everything but proposals, even with the rights of an administrator', async () => {
    const actor = await actorWith()
    const { services } = staged
    const { space } = services
    const [shown, draft] = [await page(), await page('draft')]
    const route = await staged.db.find(tables.routes, { slug: draft.slug })
    const before = (await staged.audits()).length
    const harm: Record<string, () => Promise<unknown>> = {
      publish: () => space.publishing.publish(actor, { content_data_id: draft.id }),
      unpublish: () => space.publishing.unpublish(actor, shown.id),
      'delete a draft': () => space.content.remove(actor, draft.id),
      'delete a page': () => space.content.remove(actor, shown.id),
      'change an address': () => space.routes.update(actor, route?.route_id ?? '', { slug: '/elsewhere' }),
      'make a datatype': () => space.datatypes.create(actor, { label: 'X', type: 'content' } as never),
      'make a comment': () =>
        services.comments.create(actor, { content_data_id: draft.id, body: 'x' } as never),
      'make a redirect': () =>
        services.redirects.create(actor, { slug: '/r', target: '/', status: 301 } as never),
      'make a user': () =>
        services.users.create(actor, {
          username: 'x',
          name: 'x',
          email: 'x@example.com',
          role: 'admin',
        } as never),
    }
    for (const [name, act] of Object.entries(harm)) {
      const refusal = await act().catch((error: unknown) => error)
      expect([name, (refusal as { code?: string }).code]).toEqual([name, 'forbidden'])
    }
    expect((await staged.audits()).length).toBe(before)
  })
})
