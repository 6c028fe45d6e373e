import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { formatNames } from '../../src/services/delivery/formats/index.js'
import { signedIds } from '../../src/services/signed-ids.js'
import { type Caller, testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const appSecret = 'a secret of the test, long enough'
const app = await testApp({
  app_secret: appSecret,
  publish_mode: 'staged',
  i18n_enabled: true,
  client_site: 'https://cms.example',
  readers_see_drafts: false,
})
const { call, clock, db, users, services, audits } = app
const { datatype, field, route, entry } = factories(app)
const links = '/api/v1/content/preview-links'

await call('POST', '/api/v1/locales', { body: { code: 'de', label: 'Deutsch' } })
const page = (await datatype('Page')).datatype_id
await field(page, 'Text', 'text', { translatable: true })
await field(page, 'Next', 'relation', { data: { cardinality: 'many' } })
const names = { n: 0 }
/** A page of its own with a text; the id of its root. */
async function newPage(text: string, more: object = {}, fields: object = {}): Promise<string> {
  const { route_id } = await route(`/page-${names.n++}`)
  const made = await entry(page, { route_id }, { ...more, fields: { text, ...fields } })
  return made.content_data_id
}
const edit = (id: string, body: object) => call('PUT', `/api/v1/content/?q=${id}`, { body })
const make = async (content_data_id: string, more: object = {}, as: Caller = 'admin') =>
  call('POST', links, { as, body: { content_data_id, ...more } })
const tokenFor = async (id: string, more: object = {}) => (await make(id, more)).body.token as string
const shown = (token: string, query = '&format=native', headers = {}) =>
  call('GET', `/api/v1/preview?token=${token}${query}`, { as: 'nobody', headers })
const slugOf = async (id: string) => {
  const root = await db.get(tables.contentData, id)
  return (await db.get(tables.routes, root?.route_id ?? ''))?.slug ?? ''
}

describe('a preview link', () => {
  it('is a record, and is shown with its address once', async () => {
    const id = await newPage('draft')
    const before = (await audits()).length
    const { status, body, headers } = await make(id, { expires_in: '1h30m', label: 'for Zoe' })
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    const { url, api_url, token, ...record } = body
    expect(record).toEqual({
      preview_link_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      content_data_id: id,
      label: 'for Zoe',
      expires_at: '2026-11-21T13:30:00.000Z',
      created_by: users.admin,
      token_id: null,
      date_created: '2026-11-21T12:00:00.000Z',
    })
    expect(api_url).toBe(`https://cms.example/api/v1/preview?token=${token}`)
    expect(url).toBe(`https://cms.example/admin/preview?token=${token}`)
    const events = (await audits()).slice(before)
    expect(events.map(({ table_name, operation }) => [table_name, operation])).toEqual([
      ['preview_links', 'INSERT'],
    ])
    expect(JSON.stringify(events)).not.toContain(token)
    expect((await call('GET', `${links}?content_data_id=${id}`)).body).toEqual([record])
    expect((await call('GET', `${links}/${record.preview_link_id}`)).body).toEqual(record)
  })

  it('leads to the front end where that is configured', async () => {
    const own = await testApp(
      { app_secret: appSecret, preview_url: 'https://www.example.com/show?draft=1' },
      { file: {} },
    )
    const of = factories(own)
    const { datatype_id } = await of.datatype('Page')
    const { route_id } = await of.route('/a')
    const { content_data_id } = await of.entry(datatype_id, { route_id })
    const { body } = await own.call('POST', links, { body: { content_data_id } })
    expect(body.url).toBe(`https://www.example.com/show?draft=1&preview=${body.token}`)
    expect(body.api_url).toBe(`/api/v1/preview?token=${body.token}`)
    expect(body.expires_at).toBe('2026-11-22T12:00:00.000Z')
    const refused = await own.call('PUT', '/api/v1/config', {
      as: 'editor',
      body: { preview_url: 'https://evil.example' },
    })
    expect(refused.status).toBe(403)
  })

  it('shows the working state in every format and locale to somebody without an account', async () => {
    const id = await newPage('published', { status: 'published' })
    await edit(id, { fields: { text: 'pending' } })
    await edit(id, { locale: 'de', fields: { text: 'wartet' } })
    const slug = await slugOf(id)
    const token = await tokenFor(id)
    for (const format of formatNames) {
      const working = await call('GET', `/api/v1/page${slug}?format=${format}`)
      const { status, text, headers } = await shown(token, `&format=${format}`)
      expect([format, status, text]).toEqual([format, 200, working.text])
      expect(text).toContain('pending')
      expect([headers.get('cache-control'), headers.get('x-robots-tag')]).toEqual(['no-store', 'noindex'])
    }
    expect((await shown(token, '&format=native&locale=de')).body.fields.text).toBe('wartet')
    expect((await shown(token, '&format=contentful&locale=*')).text).toContain('wartet')
    const { headers } = await shown(token)
    const again = await shown(token, '&format=native', { 'If-None-Match': headers.get('etag') ?? '' })
    expect([again.status, again.headers.get('x-robots-tag')]).toEqual([304, 'noindex'])
    expect((await call('GET', `${slug}?format=native`, { as: 'nobody' })).body.fields.text).toBe('published')
    expect((await shown(token, '&format=nothing')).status).toBe(400)
    expect((await shown(token, '&format=clean&expand=next')).status).toBe(400)
    expect((await shown(token, '&locale=%00')).status).toBe(400)
  })

  it('shows what was saved a moment ago, and the page under its new address', async () => {
    const id = await newPage('one')
    const token = await tokenFor(id)
    for (const text of ['two', 'three']) {
      await edit(id, { fields: { text } })
      expect((await shown(token)).body.fields.text).toBe(text)
    }
    const root = await db.get(tables.contentData, id)
    await call('PUT', `/api/v1/routes/?q=${root?.route_id}`, { body: { slug: '/moved' } })
    expect((await shown(token)).body.slug).toBe('/moved')
    const { route_id } = await route('/other')
    await edit(id, { route_id })
    expect((await shown(token)).body.slug).toBe('/other')
  })

  it('is for the page, whichever of its entries was named', async () => {
    const id = await newPage('root')
    const child = await entry(page, { parent_id: id }, { fields: { text: 'below' } })
    const { body } = await make(child.content_data_id)
    expect(body.content_data_id).toBe(id)
    expect((await shown(body.token)).body.children[0].fields.text).toBe('below')
  })

  it('shows no draft and no pending value of another page, in any format', async () => {
    const draft = await newPage('SECRET draft')
    const pending = await newPage('public value', { status: 'published' })
    await edit(pending, { fields: { text: 'SECRET pending' } })
    const below = await entry(page, { parent_id: pending }, { fields: { text: 'SECRET child' } })
    const far = await newPage('far', { status: 'published' }, { next: [draft] })
    const next = [draft, pending, below.content_data_id, far]
    const token = await tokenFor(await newPage('mine', {}, { next }))
    const wanted = [...formatNames.map(name => `&format=${name}`), '&format=native&expand=next,next.next']
    for (const query of wanted) {
      const { status, text } = await shown(token, query)
      expect([query, status]).toEqual([query, 200])
      expect([query, text.includes('SECRET'), text.includes(draft)]).toEqual([query, false, false])
    }
    const { body } = await shown(token, '&format=native&expand=next')
    expect(body.fields.next.map((one: { fields: { text: string } }) => one.fields.text)).toEqual([
      'public value',
      'far',
    ])
    // Who works on content sees them at the same address.
    const working = await call('GET', `/api/v1/page${body.slug}?format=native&expand=next`)
    expect(working.text).toContain('SECRET')
  })

  it('does not become a link to another page', async () => {
    const id = await newPage('mine')
    const token = await tokenFor(id)
    const root = await db.get(tables.contentData, id)
    const { route_id } = await route('/elsewhere')
    const other = await newPage('not for the link')
    await edit(id, { route_id })
    await edit(other, { route_id: root?.route_id })
    expect((await shown(token)).body.fields.text).toBe('mine')
    await call('POST', '/api/v1/content/move', { body: { content_data_id: id, parent_id: other } })
    const moved = await shown(token)
    expect([moved.status, moved.body.code]).toEqual([410, 'gone'])
  })
})

describe('a preview link ends', () => {
  const ended = async (token: string) => {
    const { status, body, headers } = await shown(token)
    expect([status, body.code, headers.get('cache-control')]).toEqual([410, 'gone', 'no-store'])
  }

  it('at its time, whether or not the row is there still', async () => {
    const token = await tokenFor(await newPage('x'), { expires_in: '1m' })
    clock.advance(59_999)
    expect((await shown(token)).status).toBe(200)
    clock.advance(1)
    await ended(token)
    await services.removeExpired()
    await ended(token)
    const now = new Date(clock.now()).toISOString()
    expect((await db.findAll(tables.previewLinks)).filter(link => link.expires_at <= now)).toEqual([])
  })

  it('when it is deleted, by anybody who works on content', async () => {
    const { body } = await make(await newPage('x'))
    const at = `${links}/?q=${body.preview_link_id}`
    expect((await call('DELETE', at, { as: 'viewer' })).status).toBe(403)
    expect((await call('DELETE', at, { as: 'editor' })).status).toBe(204)
    expect((await audits()).at(-1)).toMatchObject({ table_name: 'preview_links', operation: 'DELETE' })
    await ended(body.token)
    expect((await call('DELETE', at)).status).toBe(404)
  })

  it('with its page', async () => {
    const id = await newPage('x')
    const token = await tokenFor(id)
    await call('DELETE', `/api/v1/content/?q=${id}`)
    await ended(token)
  })

  it('while its maker may not read drafts, and with the account', async () => {
    const made = await call('POST', '/api/v1/users', {
      body: {
        username: 'w',
        name: 'W',
        email: 'w@example.com',
        password: 'long enough 4 all',
        role: 'editor',
      },
    })
    const { user_id } = made.body
    const key = (await call('POST', '/api/v1/tokens', { body: { user_id } })).body.token
    const id = await newPage('x')
    const { body } = await call('POST', links, {
      as: 'nobody',
      headers: { Authorization: `Bearer ${key}` },
      body: { content_data_id: id },
    })
    expect(body.created_by).toBe(user_id)
    const role = (role: string) => call('PUT', `/api/v1/users/?q=${user_id}`, { body: { role } })
    await role('viewer')
    await ended(body.token)
    await role('editor')
    expect((await shown(body.token)).status).toBe(200)
    await call('DELETE', `/api/v1/users/?q=${user_id}`)
    await ended(body.token)
  })

  it('with the key that made it, and its rights', async () => {
    const key = (
      await call('POST', '/api/v1/tokens', { body: { permissions: ['content:read', 'content:update'] } })
    ).body
    const by = (body: object, token: string = key.token) =>
      call('POST', links, { as: 'nobody', headers: { Authorization: `Bearer ${token}` }, body })
    const id = await newPage('x')
    const first = await by({ content_data_id: id })
    expect([first.status, first.body.token_id]).toEqual([201, key.token_id])
    const limit = (body: object) => call('PUT', `/api/v1/tokens/?q=${key.token_id}`, { body })
    for (const permissions of [['content:read'], ['content:update']]) {
      await limit({ permissions })
      await ended(first.body.token)
      expect((await by({ content_data_id: id })).status).toBe(403)
    }
    await limit({ permissions: ['content:read'] })
    expect((await by({ content_data_id: id })).body.error).toBe('the permission content:update is missing')
    await limit({ permissions: null, expires_at: new Date(clock.now() + 3_600_000).toISOString() })
    expect((await shown(first.body.token)).status).toBe(200)
    const late = await by({ content_data_id: id, expires_in: '2h' })
    expect([late.status, late.body.error]).toEqual([
      403,
      'an API key cannot create a link that expires later than itself',
    ])
    expect((await by({ content_data_id: id, expires_in: '59m' })).status).toBe(201)
    await limit({ read_only: true })
    expect((await by({ content_data_id: id, expires_in: '1m' })).status).toBe(403)
    await limit({ revoked: true })
    await ended(first.body.token)
  })
})

describe('a preview link is refused', () => {
  it('to mere readers and to nobody', async () => {
    const id = await newPage('x')
    for (const as of ['nobody', 'viewer'] as const)
      for (const answer of [await make(id, {}, as), await call('GET', links, { as })])
        expect([as, answer.status]).toEqual([as, 403])
    for (const as of ['editor', 'key', 'admin'] as const) expect((await make(id, {}, as)).status).toBe(201)
  })

  it('for what is no page, and for times that are no good', async () => {
    const global = await datatype('Menu', { type: '_global' })
    const menu = await entry(global.datatype_id, {})
    expect((await make(menu.content_data_id)).body).toMatchObject({
      code: 'invalid',
      member: 'content_data_id',
    })
    expect((await make('01ARZ3NDEKTSV4RRFFQ69G5FAV')).body.code).toBe('foreign_key')
    const id = await newPage('x')
    for (const expires_in of ['', '59s', '91d', 'tomorrow', '1e9d', 5, null, '9'.repeat(40)])
      expect([expires_in, (await make(id, { expires_in })).body.member]).toEqual([expires_in, 'expires_in'])
    expect((await make(id, { expire_in: '1h' })).body.code).toBe('unknown_member')
    expect((await call('POST', links, { body: {} })).body.member).toBe('content_data_id')
  })

  it('when the page has a hundred', async () => {
    const id = await newPage('x')
    const row = { content_data_id: id, expires_at: '2027-01-01T00:00:00.000Z', created_by: users.admin }
    await db.write(systemActor, tx =>
      tx.insertAll(
        tables.previewLinks,
        Array.from({ length: 99 }, () => row),
      ),
    )
    expect((await make(id)).status).toBe(201)
    expect((await make(id)).status).toBe(409)
    expect((await call('GET', `${links}?content_data_id=${id}&limit=5`)).body).toHaveLength(5)
  })

  it('without an app_secret', async () => {
    const plain = await testApp()
    const of = factories(plain)
    const { route_id } = await of.route('/a')
    const { content_data_id } = await of.entry((await of.datatype('Page')).datatype_id, { route_id })
    const { body } = await plain.call('POST', links, { body: { content_data_id } })
    expect(body.code).toBe('not_configured')
    expect((await plain.call('GET', '/api/v1/preview?token=x', { as: 'nobody' })).status).toBe(404)
    expect(await plain.db.findAll(tables.previewLinks)).toEqual([])
  })
})

describe('a token that is not ours', () => {
  it.each([
    ['nothing', ''],
    ['a word', 'token'],
    ['a long text', 'x'.repeat(501)],
    ['an unsigned one', `${btoa('{"alg":"none"}')}.${btoa('{"jti":"x"}')}.`],
  ])('%s is not found', async (_, token) => {
    const { status, headers } = await shown(token)
    expect([status, headers.get('cache-control')]).toEqual([token.length > 500 ? 400 : 404, 'no-store'])
  })

  it('signed for something else, or with another secret, or changed is not found', async () => {
    const { body } = await make(await newPage('x'))
    const end = body.expires_at
    const sign = (purpose: string, app_secret: string, id = body.preview_link_id) =>
      signedIds(purpose, () => ({ app_secret })).sign(id, end)
    expect(await sign('preview links', appSecret)).toBe(body.token)
    const [head, payload, signature] = body.token.split('.')
    for (const token of [
      await sign('something else', appSecret),
      await sign('preview links', `${appSecret} and more`),
      `${head}.${btoa(JSON.stringify({ jti: 'x', exp: 4_000_000_000 }))}.${signature}`,
      `${head}.${payload}.${signature.slice(1)}`,
    ])
      expect((await shown(token ?? '')).status).toBe(404)
    // One that is signed and that there never was is like one that was deleted.
    const never = await sign('preview links', appSecret, '01ARZ3NDEKTSV4RRFFQ69G5FAV')
    expect((await shown(never ?? '')).status).toBe(410)
  })
})

it('writes the token of a preview into no log', async () => {
  const token = await tokenFor(await newPage('never stored'))
  await shown(token)
  await services.settle()
  expect(JSON.stringify(app.logged)).not.toContain(token.split('.')[2])
})
