import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'

const app = await testApp()
const { call } = app

it('says of every answer to a signed-in caller that no cache between may keep it', async () => {
  const open = ['/auth/oauth', '/openapi.json', '/auth/logout', '/media/cleanup', '/routes/published']
  let asked = 0
  for (const { method, path } of app.app.declarations) {
    if (open.some(part => path.includes(part))) continue
    const { status, headers } = await call(method.toUpperCase(), `/api/v1${path.replace('*', '')}`)
    const isKept = method === 'get' && status === 200 && !path.endsWith('/download')
    expect([method, path, status, headers.get('cache-control')]).toEqual([
      method,
      path,
      status,
      isKept ? 'private, no-cache' : 'no-store',
    ])
    asked++
  }
  expect(asked).toBeGreaterThan(120)
})

it('lets nobody keep the answer that shows a new key', async () => {
  const made = await call('POST', '/api/v1/tokens', { body: { token_type: 'api_key' } })
  expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store'])
})

it('keeps 304 for records that have not changed', async () => {
  const { body } = await call('POST', '/api/v1/routes', { body: { slug: '/a', title: 'a' } })
  const path = `/api/v1/routes?q=${body.route_id}`
  const etag = (await call('GET', path)).headers.get('etag') ?? ''
  const again = await call('GET', path, { headers: { 'If-None-Match': etag } })
  expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'private, no-cache'])
})

it.each(['/api/docs', '/api/v1/openapi.json'])('renders %s once, with an ETag', async path => {
  const first = await call('GET', path, { as: 'nobody' })
  const second = await call('GET', path, { as: 'nobody' })
  expect([first.status, second.text]).toEqual([200, first.text])
  expect(first.headers.get('cache-control')).toBe('no-cache')
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
  expect(second.headers.get('etag')).toBe(etag)
  const known = await call('GET', path, { as: 'nobody', headers: { 'If-None-Match': etag } })
  expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', etag])
})

it('names the style of the documentation by its hash, which fits every answer', async () => {
  const { text, headers } = await call('GET', '/api/docs', { as: 'nobody' })
  const style = /<style>([^<]*)<\/style>/.exec(text)?.[1] ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  expect(headers.get('content-security-policy')).toContain(`'sha256-${hash}'`)
  expect(text).not.toContain('nonce')
})

it('writes no error line for a body that breaks off', async () => {
  const broken = () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"slug":'))
        controller.error(new Error('aborted'))
      },
    })
  for (const headers of [{}, { 'Content-Length': '5000' }]) {
    const answer = await app.send('POST', '/api/v1/routes', {
      body: broken(),
      headers: { 'Content-Type': 'application/json', ...headers },
    })
    expect([answer.status, answer.body.error]).toEqual([400, 'the body is incomplete'])
  }
  expect(app.logged.filter(({ level }) => level === 'error')).toEqual([])
})
