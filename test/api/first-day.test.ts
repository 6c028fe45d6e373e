import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { withPort } from '../../src/cli/serve.js'
import { parseConfig } from '../../src/config.js'
import { ConfigError } from '../../src/errors.js'
import { bootstrapPermissions, bootstrapRoles, unseededPermissions } from '../../src/permissions.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

describe('the first address', () => {
  it('leads a browser to the panel while there is no page, and nobody else', async () => {
    const app = await testApp()
    const make = factories(app)
    const at = (path: string, Accept: string, method = 'GET') =>
      app.call(method, path, { as: 'nobody', headers: { Accept } })
    const html = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8'
    const led = await at('/', html)
    expect([led.status, led.headers.get('location'), led.headers.get('cache-control')]).toEqual([
      ...[302, '/admin', 'no-store'],
    ])
    expect((await at('/?format=clean', html)).status).toBe(302)
    expect((await at('/', html, 'HEAD')).status).toBe(302)
    expect((await at('/', '*/*')).status).toBe(404)
    expect((await at('/about', html)).status).toBe(404)
    // A draft is a page too: a site that begins has its front page soon.
    await make.route('/about')
    expect((await at('/', html)).status).toBe(404)
    const { datatype_id } = await make.datatype('Page')
    const { route_id } = await make.route('/')
    await make.entry(datatype_id, { route_id }, { status: 'published' })
    expect((await at('/', html)).status).toBe(200)
  })

  it('answers in native if the configuration says so', async () => {
    const app = await testApp({ output_format: 'native' })
    const make = factories(app)
    const { datatype_id } = await make.datatype('Page')
    const { route_id } = await make.route('/')
    await make.entry(datatype_id, { route_id }, { status: 'published' })
    expect((await app.call('GET', '/', { as: 'nobody' })).body).toMatchObject({ type: 'page', fields: {} })
    expect((await app.call('GET', '/api/v1/page/')).body).toMatchObject({ type: 'page', fields: {} })
    expect((await app.call('PUT', '/api/v1/config', { body: { output_format: 'html' } })).status).toBe(400)
  })
})

describe('a name from another system', async () => {
  const app = await testApp()
  const { call } = app
  await factories(app).datatype('Post')
  it.each([
    ['POST', '/fields', { label: 'T', type: 'text' }, 'type', 'field_type'],
    ['POST', '/fields', { label: 'T', field_type: 'text', datatype_id: 'x' }, 'datatype_id', 'parent_id'],
    ['POST', '/auth/login', { username: 'admin', password: 'x' }, 'username', 'email'],
    ['POST', '/content/publish', { id: 'x' }, 'id', 'content_data_id'],
    ['PUT', '/content?id=x', { status: 'published' }, 'id', 'q'],
    ['POST', '/datatypes', { title: 'Post', type: 'content' }, 'title', 'label'],
    ['POST', '/tokens', { name: 'Build' }, 'name', 'label'],
    ['POST', '/pages', { path: '/x', title: 'X' }, 'path', 'slug'],
    ['POST', '/pages', { slug: '/x', title: 'X', type: 'post' }, 'type', 'datatype_id'],
    ['POST', '/content', { values: {} }, 'values', 'fields'],
    ['POST', '/locales', { locale: 'de', label: 'Deutsch' }, 'locale', 'code'],
    ['GET', '/query/post?order=date', undefined, 'order', 'sort'],
    ['GET', '/query/post?populate=author', undefined, 'populate', 'expand'],
    ['GET', '/query/post?page=2', undefined, 'page', 'cursor'],
  ])('%s %s %o: %s is %s here', async (method, path, body, given, meant) => {
    const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
    expect([answer.status, answer.body.member]).toEqual([400, given])
    expect(answer.body.error.toLowerCase()).toContain(`did you mean ${meant}?`)
  })
})

describe('the port', () => {
  const { config } = parseConfig({ port: ':8080' }, {})
  it.each([
    [undefined, {}, ':8080'],
    [undefined, { PORT: '' }, ':8080'],
    [undefined, { PORT: '5000' }, '5000'],
    [undefined, { PORT: '127.0.0.1:5000' }, '127.0.0.1:5000'],
    ['6000', { PORT: '5000' }, '6000'],
  ])('with --port %s and %o is %s', (option, variables, port) => {
    expect(withPort(config, option, variables).port).toBe(port)
  })
  it.each(['x', '70000', '-1', '80 80', '9'.repeat(10_000)])('cannot be PORT=%s', PORT => {
    const start = () => withPort(config, undefined, { PORT })
    expect(start).toThrow(ConfigError)
    expect(start).toThrow(/^PORT must be a port/)
  })
})

it('is documented which permissions there are, and what the three roles may', () => {
  const rows = [
    ...readFileSync('docs/permissions.md', 'utf8').matchAll(
      /^\| `(\w+)` \|([^|\n]+)\|([^|\n]+)\|([^|\n]+)\|/gm,
    ),
  ]
  const names = (resource: string, cell: string) =>
    cell.trim() === '–' ? [] : [...cell.matchAll(/\w+/g)].map(([operation]) => `${resource}:${operation}`)
  const column = (n: 2 | 3 | 4) => rows.flatMap(row => names(row[1] ?? '', row[n] ?? '')).sort()
  expect(column(2)).toEqual([...bootstrapPermissions, ...unseededPermissions].sort())
  expect(column(3)).toEqual([...bootstrapRoles.editor].sort())
  expect(column(4)).toEqual([...bootstrapRoles.viewer].sort())
})
