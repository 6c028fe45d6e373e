import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/app.js'
import { testApp } from '../support/app.js'

const limited = await testApp({}, { limited: true })
let hosts = 0
const freshHost = () => `198.51.100.${++hosts}`
const attempt = (path: string, address: string, headers: Record<string, string> = {}, app = limited) =>
  app.call('POST', `/api/v1/auth/${path}`, {
    as: 'nobody',
    address,
    headers,
    body: { email: `${Math.random()}@example.com`, password: 'wrong' },
  })
const paths = [
  ...['login', 'login/', 'register', 'device'],
  ...['request-password-reset', 'confirm-password-reset', 'reset'],
]

describe('the limit of the auth endpoints', () => {
  it('refuses the eleventh try in a minute, whichever endpoint and spelling, and the right password too', async () => {
    const address = freshHost()
    for (let i = 0; i < 10; i++)
      expect((await attempt(paths[i % paths.length] ?? '', address)).status).not.toBe(429)
    for (const path of paths) {
      const answer = await attempt(path, address)
      expect([path, answer.status, answer.body]).toEqual([
        path,
        429,
        { error: 'too many requests, try again later', code: 'too_many_requests' },
      ])
      const wait = Number(answer.headers.get('retry-after'))
      expect(wait > 0 && wait <= 60).toBe(true)
    }
    for (const path of ['oauth/login', 'oauth/callback', 'oauth/login/other', 'oauth/callback/other'])
      expect((await limited.call('GET', `/api/v1/auth/${path}`, { as: 'nobody', address })).status).toBe(429)
    const correct = { email: 'admin@example.com', password: 'correct horse' }
    const signIn = (from: string) =>
      limited.call('POST', '/api/v1/auth/login', { as: 'nobody', address: from, body: correct })
    expect((await signIn(address)).status).toBe(429)
    expect((await signIn(freshHost())).status).toBe(200)
    // Nothing else is counted.
    for (let i = 0; i < 20; i++)
      expect((await limited.call('GET', '/api/v1/auth/me', { as: 'editor', address })).status).toBe(200)
    expect((await limited.call('POST', '/api/v1/auth/logout', { as: 'nobody', address })).status).toBe(200)
  })

  it('cannot be got around by headers', async () => {
    const address = freshHost()
    const statuses = []
    for (let i = 0; i < 12; i++) {
      const forged = `203.0.113.${i}`
      const headers = {
        'X-Forwarded-For': forged,
        'X-Real-IP': forged,
        Forwarded: `for=${forged}`,
        'CF-Connecting-IP': forged,
        'True-Client-IP': forged,
      }
      statuses.push((await attempt('login', address, headers)).status)
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
  })

  it('counts IPv6 by /64', async () => {
    const statuses = []
    for (let i = 0; i < 11; i++) statuses.push((await attempt('login', `2001:db8:1:2::${i + 1}`)).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429])
    expect((await attempt('login', '2001:db8:1:3::1')).status).toBe(401)
  })

  it('is the same limit for every instance that shares a database server', async () => {
    if (limited.config.db_driver === 'sqlite') return
    const second = createApp(limited.otherInstance())
    const address = freshHost()
    const statuses = []
    for (let i = 0; i < 12; i++) {
      const request = new Request('http://localhost/api/v1/auth/login', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: 'x@example.com', password: 'x' }),
      })
      const answer = await (i % 2 ? second : limited.app).fetch(request, { address })
      statuses.push(answer.status)
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
  })
})

describe('behind trusted proxies', async () => {
  const app = await testApp({ trusted_proxies: ['10.0.0.0/8', '2001:db8:ffff::1'] }, { limited: true })
  const seen = async (address: string, forwarded: string) => {
    const before = (await app.audits()).length
    await app.call('POST', '/api/v1/auth/register', {
      as: 'nobody',
      address,
      headers: forwarded ? { 'X-Forwarded-For': forwarded } : {},
      body: { email: `${before}.${Math.random()}@example.com`, password: 'long enough' },
    })
    return (await app.audits())[before]?.ip_address
  }

  it.each([
    ['10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['10.0.0.1', '1.2.3.4, 203.0.113.7', '203.0.113.7'],
    ['10.0.0.1', '203.0.113.7, 10.0.0.2, 10.0.0.3', '203.0.113.7'],
    ['10.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
    ['10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['10.0.0.1', '::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:ffff::1', '203.0.113.7', '203.0.113.7'],
    ['10.0.0.1', 'unknown', '10.0.0.1'],
    ['10.0.0.1', '203.0.113.7, <script>', '10.0.0.1'],
    ['10.0.0.1', `${'1.1.1.1,'.repeat(200)}203.0.113.7`, '203.0.113.7'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['192.0.2.1', '203.0.113.7', '192.0.2.1'],
  ])('from %s with %j it is %s', async (peer, forwarded, client) => {
    expect(await seen(peer, forwarded)).toBe(client)
  })
})

describe('other origins', async () => {
  const origin = 'https://site.example'
  const open = await testApp({ cors_origins: [origin] })
  const from = (method: string, path: string, from: string, headers = {}) =>
    open.call(method, `/api/v1${path}`, {
      as: 'nobody',
      headers: { Origin: from, ...headers },
      ...(method === 'POST' ? { body: { email: 'x@example.com', password: 'x' } } : {}),
    })

  it('may sign in when they are configured', async () => {
    const asked = await from('OPTIONS', '/auth/login', origin, {
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type',
    })
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-origin')).toBe(origin)
    expect(asked.headers.get('access-control-allow-credentials')).toBe('true')
    expect(asked.headers.get('access-control-allow-methods')).toContain('POST')
    const refused = await from('POST', '/auth/login', origin)
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin])
    expect((await from('GET', '/auth/me', origin)).headers.get('access-control-allow-credentials')).toBe(
      'true',
    )
  })

  it('may not otherwise', async () => {
    for (const [method, path, who] of [
      ['OPTIONS', '/auth/login', 'https://evil.example'],
      ['POST', '/auth/login', 'https://evil.example'],
      ['POST', '/auth/login', 'null'],
      ['POST', '/auth/login', `${origin}.evil.example`],
    ] as const)
      expect([path, who, (await from(method, path, who)).headers.get('access-control-allow-origin')]).toEqual(
        [path, who, null],
      )
    const closed = await limited.call('OPTIONS', '/api/v1/auth/login', {
      as: 'nobody',
      headers: { Origin: origin },
    })
    expect([closed.status, closed.headers.get('access-control-allow-origin')]).toEqual([405, null])
  })

  it('may be all, but then without the cookie', async () => {
    const any = await testApp({ cors_origins: ['*'], cors_credentials: false })
    const answer = await any.call('GET', '/api/v1/auth/me', { as: 'nobody', headers: { Origin: origin } })
    expect([
      answer.headers.get('access-control-allow-origin'),
      answer.headers.get('access-control-allow-credentials'),
    ]).toEqual(['*', null])
    await expect(testApp({ cors_origins: ['*'] })).rejects.toThrow(/cors_origins/)
  })
})
