import { describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../support/app.js'

const mine = 'https://app.example.com'
const wrapped = 'capacitor://localhost'
const other = 'https://evil.example'
const app = await testApp({ cors_origins: [mine, wrapped], publish_mode: 'live' })
const open = await testApp({ cors_origins: ['*'], cors_credentials: false })
const closed = await testApp()

/** What browsers go by. */
const said = (headers: Headers) => ({
  origin: headers.get('access-control-allow-origin'),
  credentials: headers.get('access-control-allow-credentials'),
  exposed: headers.get('access-control-expose-headers'),
  vary: headers.get('vary'),
})
const nothing = { origin: null, credentials: null, exposed: null }
const readable = {
  origin: mine,
  credentials: 'true',
  exposed: 'ETag, Location, Retry-After, X-Request-Id, X-Total-Count',
  vary: 'Origin',
}
const preflight = (
  to: TestApp,
  path: string,
  origin: string,
  method = 'PUT',
  asked = 'authorization,if-match',
) =>
  to.call('OPTIONS', path, {
    as: 'nobody',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': asked,
    },
  })
const from = (origin: string) => ({ headers: { Origin: origin } })

describe('an origin of the list', () => {
  it('may ask for every endpoint', async () => {
    for (const path of new Set(app.app.declarations.map(({ path }) => `/api/v1${path}`))) {
      const answer = await preflight(app, path, mine)
      expect([path, answer.status, said(answer.headers)]).toEqual([path, 204, { ...readable, exposed: null }])
      expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, DELETE')
      expect(answer.headers.get('access-control-allow-headers')).toBe(
        'Content-Type, Authorization, If-Match, If-None-Match, Idempotency-Key',
      )
      expect(answer.headers.get('access-control-max-age')).toBe('600')
    }
    expect(said((await preflight(app, '/api/v1/routes', wrapped)).headers).origin).toBe(wrapped)
  })

  it('may read every answer: records, lists, refusals, what is not there, pages from memory', async () => {
    const type = (await app.call('POST', '/api/v1/datatypes', { body: { label: 'Page', type: 'content' } }))
      .body
    const route = (await app.call('POST', '/api/v1/routes', { body: { slug: '/here', title: 'Here' } })).body
    await app.call('POST', '/api/v1/content', {
      body: { datatype_id: type.datatype_id, route_id: route.route_id, status: 'published' },
    })
    for (const [path, status] of [
      ['/routes', 200],
      [`/routes/?q=${route.route_id}`, 200],
      ['/routes/?q=01ARZ3NDEKTSV4RRFFQ69G5FAV', 404],
      ['/nowhere', 404],
      ['/page/here?format=clean', 200],
      ['/page/here?format=clean', 200],
      ['/page/here?format=clean', 200],
      ['/page/nowhere?format=clean', 404],
    ] as const) {
      const answer = await app.call('GET', `/api/v1${path}`, from(mine))
      expect([path, answer.status, said(answer.headers)]).toEqual([path, status, readable])
    }
    const strapi = await app.call('GET', '/api/v1/page/here?format=strapi', from(mine))
    expect(strapi.headers.get('vary')).toBe('Strapi-Response-Format, Origin')
    const refused = await app.call('GET', '/api/v1/routes', { as: 'nobody', ...from(mine) })
    expect([refused.status, said(refused.headers)]).toEqual([403, readable])
    const changed = await app.call('PUT', `/api/v1/routes/?q=${route.route_id}`, {
      headers: { Origin: mine, 'Sec-Fetch-Site': 'cross-site' },
      body: { title: 'Here!' },
    })
    expect([changed.status, said(changed.headers)]).toEqual([200, readable])
  })
})

describe('any other origin', () => {
  it.each([other, 'null', `${mine}.evil.example`, `${mine}:8443`, 'http://app.example.com', '*', ''])(
    'is named to no browser: %s',
    async origin => {
      const asked = await preflight(app, '/api/v1/routes', origin)
      expect(said(asked.headers)).toEqual({ ...nothing, vary: 'Origin' })
      for (const [path, vary] of [
        ['/api/v1/routes', 'Origin'],
        ['/api/v1/auth/me', 'Origin'],
        ['/api/v1/page/here', 'Accept, Origin'],
      ] as const)
        expect(said((await app.call('GET', path, from(origin))).headers)).toEqual({ ...nothing, vary })
      const change = {
        headers: { Origin: origin, 'Sec-Fetch-Site': 'cross-site' },
        body: { slug: '/x', title: 'x' },
      }
      expect((await app.call('POST', '/api/v1/routes', change)).status).toBe(403)
    },
  )

  it('may read with a key, and never with the cookie, where all origins are allowed', async () => {
    const all = { ...nothing, origin: '*', vary: null }
    expect(said((await preflight(open, '/api/v1/routes', other)).headers)).toEqual(all)
    const byKey = await open.call('GET', '/api/v1/routes', { as: 'key', ...from(other) })
    expect([byKey.status, said(byKey.headers)]).toEqual([200, { ...all, exposed: readable.exposed }])
    const change = {
      headers: { Origin: other, 'Sec-Fetch-Site': 'cross-site' },
      body: { slug: '/x', title: 'x' },
    }
    expect((await open.call('POST', '/api/v1/routes', change)).status).toBe(403)
    expect((await open.call('POST', '/api/v1/routes', { as: 'key', ...change })).status).toBe(201)
  })

  it('hears of nothing where no origin is configured', async () => {
    expect((await preflight(closed, '/api/v1/routes', mine)).status).toBe(405)
    const answer = await closed.call('GET', '/api/v1/routes', from(mine))
    expect(said(answer.headers)).toEqual({ ...nothing, vary: null })
  })
})

it('answers whoever signs in there, and names them no origin, where none is allowed', async () => {
  const asked = await preflight(closed, '/api/v1/auth/login', mine, 'POST')
  expect([asked.status, said(asked.headers)]).toEqual([204, { ...nothing, vary: 'Origin' }])
  expect(asked.headers.get('access-control-allow-methods')).toContain('POST')
})

it.each([
  [
    'production',
    {
      environment: 'production',
      tls: 'off',
      client_site: 'www.example.com',
      admin_site: 'https://admin.example.com/',
    },
  ],
  ['local', { environment: 'local', client_site: 'http://www.example.com', admin_site: 'localhost:8443' }],
] as const)('the site and the panel are allowed by themselves in %s', async (environment, config) => {
  const own = await testApp(config)
  const allowed =
    environment === 'local'
      ? ['http://www.example.com', 'http://localhost:8443']
      : ['https://www.example.com', 'https://admin.example.com']
  for (const origin of allowed) {
    const asked = await preflight(own, '/api/v1/auth/login', origin, 'POST')
    expect([asked.status, said(asked.headers)]).toEqual([204, { ...readable, origin, exposed: null }])
    const change = {
      headers: { Origin: origin, 'Sec-Fetch-Site': 'same-site' },
      body: { slug: `/${allowed.indexOf(origin)}`, title: 'x' },
    }
    const made = await own.call('POST', '/api/v1/routes', change)
    expect([made.status, said(made.headers).origin]).toEqual([201, origin])
  }
  for (const origin of ['https://example.com', 'https://www.example.com:444', 'https://evil.example']) {
    expect(said((await preflight(own, '/api/v1/routes', origin)).headers).origin).toBe(null)
    const change = {
      headers: { Origin: origin, 'Sec-Fetch-Site': 'same-site' },
      body: { slug: '/y', title: 'x' },
    }
    expect((await own.call('POST', '/api/v1/routes', change)).status).toBe(403)
  }
})

it('holds as soon as the configuration has changed', async () => {
  const live = await testApp({}, { file: {} })
  const set = (cors_origins: string[]) => live.call('PUT', '/api/v1/config', { body: { cors_origins } })
  expect((await preflight(live, '/api/v1/routes', mine)).status).toBe(405)
  expect((await set([mine])).body.restart_required).toEqual([])
  expect((await preflight(live, '/api/v1/routes', mine)).status).toBe(204)
  expect(said((await live.call('GET', '/api/v1/routes', from(mine))).headers)).toEqual(readable)
  await set([])
  expect(said((await live.call('GET', '/api/v1/routes', from(mine))).headers).origin).toBe(null)
  for (const wrong of [
    'null',
    `${mine}/`,
    'app.example.com',
    'HTTPS://app.example.com',
    'https://app.example.com:443',
  ])
    expect([wrong, (await set([wrong])).status]).toEqual([wrong, 400])
})

it('lets every origin read public pages, whatever headers its client sends', async () => {
  for (const to of [app, closed]) {
    const asked = await preflight(to, '/here', other, 'GET', 'authorization,x-contentful-user-agent')
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(asked.headers.get('access-control-allow-headers')).toBe('*, Authorization')
    expect(asked.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
    expect(said(asked.headers).credentials).toBe(null)
  }
  const page = await app.call('GET', '/here', { as: 'nobody', ...from(other) })
  const exposed = 'ETag, Retry-After, X-Request-Id'
  expect([page.status, said(page.headers)]).toEqual([
    200,
    { ...nothing, origin: '*', exposed, vary: 'Accept' },
  ])
  const missing = await app.call('GET', '/not-here', { as: 'nobody', ...from(other) })
  expect([missing.status, said(missing.headers)]).toEqual([
    404,
    { ...nothing, origin: '*', exposed, vary: null },
  ])
  // Without the words of a preflight it is a method like others.
  expect((await app.call('OPTIONS', '/here', { as: 'nobody' })).status).toBe(405)
})
