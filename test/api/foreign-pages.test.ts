import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'

const trusted = 'https://site.example'
const app = await testApp({
  cookie_samesite: 'none',
  cookie_secure: true,
  cors_origins: [trusted],
  cors_credentials: true,
})
let made = 0
const create = (
  headers: Record<string, string>,
  as: 'admin' | 'editor' | 'key' | 'nobody' = 'editor',
  to = app,
) =>
  to.call('POST', '/api/v1/routes', {
    as,
    headers,
    body: { slug: `/page-${made++}`, title: 'x', status: 10 },
  })

describe('a change by the session cookie', () => {
  it.each([
    ['a program', {}],
    ['a page of its own', { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://other.example' }],
    ['the person at the browser', { 'Sec-Fetch-Site': 'none' }],
    ['a page of its own in an old browser', { Origin: 'http://localhost' }],
    ['a page of its own behind a proxy that ends TLS', { Origin: 'https://localhost' }],
    ['a configured origin', { Origin: trusted }],
    ['a configured origin in a new browser', { Origin: trusted, 'Sec-Fetch-Site': 'cross-site' }],
  ])('is taken from %s', async (_, headers) => {
    expect((await create(headers)).status).toBe(201)
  })

  it.each([
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another host of the same site', { 'Sec-Fetch-Site': 'same-site', Origin: 'http://evil.localhost' }],
    ['another site in an old browser', { Origin: 'https://evil.example' }],
    ['another port', { Origin: 'http://localhost:8081' }],
    ['a frame without an origin', { Origin: 'null' }],
    ['a name that begins alike', { Origin: `${trusted}.evil.example` }],
    ['a word that is no site', { 'Sec-Fetch-Site': 'x' }],
  ])('is refused from %s, whatever type its body has', async (_, headers) => {
    const before = (await app.audits()).length
    const answer = await create(headers, 'admin')
    expect([answer.status, answer.body]).toEqual([
      403,
      { error: 'requests of other sites must not use the session', code: 'forbidden' },
    ])
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']
    for (const type of types)
      for (const path of ['/api/v1/media/upload', '/api/v1/auth/logout', '/api/v1/auth/login'])
        expect([
          type,
          path,
          (await app.call('POST', path, { headers: { ...headers, 'Content-Type': type }, body: 'x' })).status,
        ]).toEqual([type, path, 403])
    for (const method of ['PUT', 'DELETE'])
      expect((await app.call(method, '/api/v1/routes?q=x', { headers })).status).toBe(403)
    expect((await app.audits()).length).toBe(before)
  })

  it('is not looked at in this way when it only reads, or comes by a key or from nobody', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
    expect((await app.call('GET', '/api/v1/routes', { headers })).status).toBe(200)
    expect((await app.call('HEAD', '/api/v1/routes', { headers })).status).toBe(200)
    expect((await create(headers, 'key')).status).toBe(201)
    const nobody = await create(headers, 'nobody')
    expect([nobody.status, nobody.body.code]).toEqual([403, 'unauthenticated'])
  })

  it('is refused from configured origins that may not send the cookie', async () => {
    const without = await testApp({ cors_origins: [trusted], cors_credentials: false })
    expect((await create({ Origin: trusted }, 'editor', without)).status).toBe(403)
    const all = await testApp({ cors_origins: ['*'], cors_credentials: false })
    expect((await create({ Origin: trusted }, 'editor', all)).status).toBe(403)
  })
})
