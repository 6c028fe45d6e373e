import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { systemActor } from '../../src/actor.js'
import { adminTables, tables } from '../../src/db/tables.js'
import { nearestName } from '../../src/nearest-name.js'
import { refuseUnknownMembers } from '../../src/services/unknown-members.js'
import { atOnce } from '../../src/turns.js'
import { testApp } from '../support/app.js'

const { app, call, db, users } = await testApp({}, { file: {} })
const made = async (path: string, body: unknown) => {
  const answer = await call('POST', `/api/v1${path}`, { body })
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.text}`)
  return answer.body
}

describe('a 403', () => {
  const refusal = async (headers: Record<string, string>, path = '/api/v1/routes', method = 'GET') => {
    const { status, headers: sent, body } = await call(method, path, { as: 'nobody', headers })
    return [status, body.code, body.error, sent.get('www-authenticate')]
  }

  it('says that there were no credentials, and how to show some', async () => {
    const sentence = 'no valid credentials: sign in, or send an API key as Authorization: Bearer'
    const none = [403, 'unauthenticated', sentence, 'Bearer realm="slugline"']
    expect(await refusal({})).toEqual(none)
    expect(await refusal({ Authorization: 'Basic eDp5' })).toEqual(none)
    expect(await refusal({}, '/api/v1/users/sessions')).toEqual(none)
    expect(await refusal({}, '/api/v1/page/')).toEqual(none)
  })

  it('says that the key is no good, or that the session is over', async () => {
    expect(await refusal({ Authorization: 'Bearer nobody-has-this-key' })).toEqual([
      403,
      'unauthenticated',
      'no valid credentials: the API key is unknown, expired or revoked',
      'Bearer realm="slugline", error="invalid_token"',
    ])
    const over = { Cookie: 'cms_session=over' }
    expect(await refusal(over)).toEqual([
      403,
      'session_expired',
      "sessions don't match",
      'Bearer realm="slugline"',
    ])
    expect((await refusal({ ...over, Authorization: 'Bearer x' }))[1]).toBe('unauthenticated')
    expect(await refusal(over, '/api/v1/auth/me')).toEqual([
      401,
      'session_expired',
      "sessions don't match",
      'Bearer realm="slugline"',
    ])
  })

  it('names the permission that is missing, on every endpoint that asks for one', async () => {
    for (const { method, path, access } of app.declarations) {
      if (!access.includes(':')) continue
      const concrete = path.replaceAll(/:\w+/g, '01ARZ3NDEKTSV4RRFFQ69G5FAV').replace('/*', '/x')
      const answer = await call(method.toUpperCase(), `/api/v1${concrete}`, { as: 'viewer' })
      if (answer.status !== 403) continue
      expect([path, answer.body, answer.headers.get('www-authenticate')]).toEqual([
        path,
        { error: `the permission ${access} is missing`, code: 'missing_permission' },
        null,
      ])
    }
    const other = await call('PUT', `/api/v1/users/?q=${users.admin}`, { as: 'viewer', body: { name: 'x' } })
    expect(other.body.error).toBe('the permission users:update is missing')
  })
})

it('the first example of docs/errors.md is what the service answers', async () => {
  const [, example = ''] = /```json\n(.*)\n```/.exec(readFileSync('docs/errors.md', 'utf8')) ?? []
  const refused = await call('POST', '/api/v1/routes', { body: { slug: '/about//us', title: 'Us' } })
  expect([refused.status, refused.body]).toEqual([400, JSON.parse(example)])
})

describe('an unknown name', () => {
  it.each([
    ['lable', 'label'],
    ['LABEL', 'label'],
    ['parentId', 'parent_id'],
    ['parent-id', 'parent_id'],
    ['parent', 'parent_id'],
    ['sortorder', 'sort_order'],
    ['tpye', 'type'],
    ['colour', undefined],
    ['', undefined],
    ['x'.repeat(100_000), undefined],
  ])('%s is nearest to %s', (name, nearest) => {
    expect(nearestName(name, ['label', 'name', 'type', 'parent_id', 'sort_order', 'author_id'])).toBe(nearest)
  })

  it('of a member is refused before anything else is asked for, with the nearest that there is', async () => {
    const { status, body } = await call('POST', '/api/v1/datatypes', {
      body: { lable: 'Page', type: 'content' },
    })
    expect([status, body]).toEqual([
      400,
      {
        error: 'lable: unknown member. Did you mean label?',
        code: 'unknown_member',
        member: 'lable',
      },
    ])
    expect((await call('PUT', '/api/v1/config', { body: { cookie_nmae: 'x' } })).body.error).toBe(
      'cookie_nmae: unknown field. Did you mean cookie_name?',
    )
  })

  it('of a parameter is refused by every endpoint but delivery', async () => {
    for (const { method, path, anyQuery } of app.declarations) {
      const concrete = path.replaceAll(/:\w+/g, '01ARZ3NDEKTSV4RRFFQ69G5FAV').replace('/*', '/x')
      const answer = await call(method.toUpperCase(), `/api/v1${concrete}?qq=x`, {
        ...(method === 'get' || method === 'delete' ? {} : { body: {} }),
      })
      const isRefused = answer.body?.code === 'unknown_member' && answer.body.member === 'qq'
      // What a body lacks may be said first.
      if (answer.body?.code !== 'invalid')
        expect([method, path, isRefused]).toEqual([method, path, !anyQuery])
    }
    expect((await call('GET', '/api/v1/routes?lmit=3')).body.error).toBe(
      'lmit: unknown parameter. Did you mean limit?',
    )
    expect((await call('GET', '/nowhere?utm_source=x', { as: 'nobody' })).status).toBe(404)
  })

  it('is found at any depth, and wherever one of several shapes may be meant', () => {
    const Leaf = z.object({ name: z.string(), meta: z.record(z.string(), z.json()).optional() })
    const Node = z.object({
      kind: z.enum(['a', 'b']).default('a'),
      get children() {
        return z.array(Node).optional()
      },
      either: z.union([Leaf, z.object({ other: z.number() }), z.string()]).nullish(),
      open: z.looseObject({ a: z.string() }).optional(),
    })
    const schema = Node.transform(node => node)
    const problem = (value: unknown) => {
      try {
        atOnce(refuseUnknownMembers(schema, value))
        return undefined
      } catch (error) {
        return (error as Error).message
      }
    }
    for (const fine of [
      {},
      { children: [{ children: [{ kind: 'b' }] }] },
      { either: { other: 1 } },
      { either: 'x' },
      { either: null },
      { either: { name: 'x', meta: { anything: { at: ['all'] } } } },
      { open: { a: 'x', b: 1 } },
      'no object at all',
    ])
      expect([fine, problem(fine)]).toEqual([fine, undefined])
    expect(problem({ children: [{}, { children: [{ knid: 'a' }] }] })).toBe(
      'children.1.children.0.knid: unknown member. Did you mean children.1.children.0.kind?',
    )
    expect(problem({ either: { naem: 'x' } })).toContain('Did you mean either.name?')
    expect(problem(JSON.parse('{"__proto__":1}'))).toContain('__proto__: unknown member')
    expect(problem({ constructor: 1 })).toContain('constructor: unknown member')
  })
})

describe('a record that was read', async () => {
  const author_id = users.admin
  const entry = async (prefix: '' | '/admin') => {
    const datatype = await made(`${prefix}/datatypes`, { label: 'Page', type: '_global' })
    const field = await made(`${prefix}/fields`, {
      label: 'Head',
      field_type: 'text',
      parent_id: datatype.datatype_id,
    })
    const content = await made(`${prefix}/content`, { datatype_id: datatype.datatype_id })
    return { datatype, field, content }
  }
  const media = (space: typeof tables | typeof adminTables) =>
    db.write(systemActor, tx =>
      tx.insert(space.media, {
        name: 'a.txt',
        mimetype: 'text/plain',
        size: 1,
        object_key: 'x/a.txt',
        content_hash: 'x',
        author_id,
      }),
    )
  const item = async (path: string, key: string, body: unknown) =>
    `${path}/?q=${(await made(path, body))[key]}`
  /** Where one record of each resource is, by the path of its endpoint. */
  const space = async (prefix: '' | '/admin', of: typeof tables | typeof adminTables) => {
    const { datatype, field, content } = await entry(prefix)
    const value = { content_data_id: content.content_data_id, field_id: field.field_id, field_value: 'x' }
    const folder = await made(`${prefix}/media-folders`, { name: 'Here' })
    const [type] = (await call('GET', `/api/v1${prefix}/field-types`)).body
    return {
      [`${prefix}/routes`]: await item(`${prefix}/routes`, 'route_id', { slug: '/x', title: 'X' }),
      [`${prefix}/datatypes`]: `${prefix}/datatypes/?q=${datatype.datatype_id}`,
      [`${prefix}/fields`]: `${prefix}/fields/?q=${field.field_id}`,
      [`${prefix}/field-types`]: `${prefix}/field-types/?q=${type.field_type_id}`,
      [`${prefix}/content`]: `${prefix}/content/?q=${content.content_data_id}`,
      [`${prefix}/content-fields`]: await item(`${prefix}/content-fields`, 'content_field_id', value),
      [`${prefix}/media`]: `${prefix}/media/?q=${(await media(of)).media_id}`,
      [`${prefix}/media-folders`]: `${prefix}/media-folders/?q=${folder.folder_id}`,
    }
  }
  const webhook = { name: 'x', url: 'https://93.184.216.34/', events: ['*'], headers: { 'X-A': 'secret' } }
  const places: Record<string, string> = {
    ...(await space('', tables)),
    ...(await space('/admin', adminTables)),
    '/users': await item('/users', 'user_id', { email: 'reader@example.com' }),
    '/roles': await item('/roles', 'role_id', { label: 'Reader' }),
    '/permissions': await item('/permissions', 'permission_id', { label: 'x:read' }),
    '/tokens': await item('/tokens', 'token_id', { label: 'Build' }),
    '/locales': await item('/locales', 'locale_id', { code: 'fr', label: 'Français' }),
    '/comments': await item('/comments', 'comment_id', {
      content_data_id: (await entry('')).content.content_data_id,
      body: 'Is this right?',
    }),
    '/redirects': await item('/redirects', 'redirect_id', { slug: '/from', target: '/to' }),
    '/media-dimensions': await item('/media-dimensions', 'media_dimension_id', {
      label: 'thumb',
      width: 10,
      height: 10,
    }),
    '/admin/webhooks/:webhook_id': `/admin/webhooks/${(await made('/admin/webhooks', webhook)).webhook_id}`,
    '/config': '/config',
    '/model': '/model',
  }
  // Both forms of an address: the record by `q`, and the same by its path.
  for (const { method, path, item } of app.declarations)
    if (method === 'put' && item !== undefined && path.endsWith(`/:${item}`))
      places[path] = places[path.replace(`/:${item}`, '')]?.replace('/?q=', '/') ?? ''
  // A new file or a crop of a media item is no record, and a passkey is made by an authenticator only (api/passkeys.test.ts).
  const updates = app.declarations.flatMap(({ method, path }) =>
    method === 'put' &&
    !path.endsWith('/file') &&
    !path.endsWith('/crop') &&
    path !== '/auth/passkeys/:passkey_id'
      ? [path]
      : [],
  )

  it('is tried of every resource that can be changed', () => {
    expect(Object.keys(places).toSorted()).toEqual(updates.toSorted())
  })

  it.each(updates)('%s can be sent back as it is, and changes nothing', async path => {
    const address = `/api/v1${places[path]}`
    const read = await call('GET', address)
    expect(read.status).toBe(200)
    const back = await call('PUT', address, {
      body: read.body,
      headers: { 'If-Match': read.headers.get('etag') ?? '' },
    })
    expect([back.status, back.body?.error]).toEqual([200, undefined])
    expect((await call('GET', address)).body).toEqual(read.body)
    const wrong = await call('PUT', address, { body: { ...read.body, of_nobody: 1 } })
    expect([wrong.status, wrong.body.member]).toEqual([400, 'of_nobody'])
  })
})
