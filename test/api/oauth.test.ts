import { inspect } from 'node:util'
import { base64url, decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { secretBox } from '../../src/services/secret-box.js'
import { type TestApp, testApp } from '../support/app.js'
import { clientId, clientSecret, type OidcProvider, oidcProvider } from '../support/oidc.js'

const redirect = 'http://localhost/api/v1/auth/oauth/callback'
const provider = await oidcProvider(redirect, { tokenLife: 300 })
const settings = {
  app_secret: 'a long secret of this test, not to be told',
  oauth_client_id: clientId,
  oauth_client_secret: clientSecret,
  oauth_provider_name: 'Test Provider',
  oauth_redirect_url: redirect,
  oauth_success_redirect: '/welcome',
  oauth_endpoint: {
    oauth_auth_url: `${provider.origin}/auth`,
    oauth_token_url: `${provider.origin}/token`,
    oauth_userinfo_url: `${provider.origin}/me`,
  },
}
const app = await testApp(settings)
const { db, services, clock, config, logged, audits } = app

/** A browser of its own: keeps cookies. */
function browser(of: TestApp = app) {
  const cookies = new Map<string, string>()
  const get = async (path: string, headers = {}) => {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await of.call('GET', path, {
      as: 'nobody',
      headers: { ...(Cookie ? { Cookie } : {}), ...headers },
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
    return answer
  }
  const begin = async (headers = {}) =>
    (await get('/api/v1/auth/oauth/login', headers)).headers.get('location') ?? ''
  return {
    cookies,
    get,
    begin,
    /** @returns path and query of the callback */
    async atProvider(subject: string): Promise<string> {
      const back = new URL(await provider.signIn(await begin(), subject))
      return back.pathname + back.search
    },
    async signIn(subject: string) {
      return get(await this.atProvider(subject))
    },
    me: () => get('/api/v1/auth/me'),
  }
}

describe('signing in at a provider', () => {
  it('sends the browser there with PKCE, a state and a nonce, and back to the configured address only', async () => {
    const url = new URL(await browser().begin({ Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' }))
    expect(url.origin + url.pathname).toBe(`${provider.origin}/auth`)
    const sent = Object.fromEntries(url.searchParams)
    expect(sent).toMatchObject({
      client_id: clientId,
      redirect_uri: redirect,
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    })
    for (const name of ['code_challenge', 'state', 'nonce']) expect(sent[name]).toMatch(/^[\w-]{43}$/)
    const [row] = (await db.findAll(internalTables.oauthStates)).slice(-1)
    expect(url.href).not.toContain(row?.verifier)
    const answer = await app.call('GET', '/api/v1/auth/oauth/login', { as: 'nobody' })
    expect(answer.headers.get('set-cookie')).toMatch(
      /^slugline_oauth=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })

  it('makes a viewer the first time and finds the same user the second', async () => {
    provider.people.ann = {
      email: 'Ann@Example.com',
      email_verified: true,
      name: 'Ann <b>A</b>',
      role: 'admin',
      is_admin: true,
    }
    const first = browser()
    const before = (await audits()).length
    const answer = await first.signIn('ann')
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/welcome'])
    expect(first.cookies.has('slugline_oauth')).toBe(false)
    const { body: me } = await first.me()
    expect(me).toMatchObject({
      email: 'ann@example.com',
      username: 'ann',
      name: 'Ann <b>A</b>',
      role_label: 'viewer',
    })
    expect((await audits()).slice(before).map(event => `${event.operation} ${event.table_name}`)).toEqual([
      'INSERT users',
      'INSERT user_oauth',
      'INSERT sessions',
    ])
    provider.people.ann.email = 'other@example.com'
    const second = browser()
    await second.signIn('ann')
    expect((await second.me()).body.user_id).toBe(me.user_id)
    expect((await second.me()).body.email).toBe('ann@example.com')
    expect((await first.me()).status).toBe(200)
  })

  it('keeps the provider’s tokens sealed', async () => {
    const [connection] = await db.findAll(tables.oauthConnections)
    for (const text of [connection?.access_token, connection?.refresh_token])
      expect(text).toMatch(/^eyJ[\w-]+\.\.[\w-]{16}\.[\w-]{40,}\.[\w-]{22}$/)
    const user = await app.call('GET', `/api/v1/users/full/?q=${connection?.user_id}`)
    expect(user.body.oauth_connections).toEqual([
      {
        user_oauth_id: connection?.user_oauth_id,
        user_id: connection?.user_id,
        oauth_provider: 'Test Provider',
        oauth_provider_user_id: 'ann',
        token_expires_at: connection?.token_expires_at,
        date_created: connection?.date_created,
        date_modified: connection?.date_modified,
      },
    ])
    expect(JSON.stringify(await audits())).not.toContain(connection?.access_token)
  })

  it('links an account by an e-mail that the provider has verified', async () => {
    provider.people.editor = { email: 'EDITOR@example.com', email_verified: true }
    const b = browser()
    await b.signIn('editor')
    expect((await b.me()).body).toMatchObject({ user_id: app.users.editor, role_label: 'editor' })
    expect((await app.call('GET', '/api/v1/auth/me', { as: 'editor' })).status).toBe(200)
  })

  it('links none by an e-mail that it has not verified', async () => {
    for (const claims of [{ email_verified: false }, {}, { email_verified: 'no' as never }]) {
      provider.people.thief = { email: 'viewer@example.com', ...claims }
      const b = browser()
      const answer = await b.signIn('thief')
      expect(answer.status).toBe(409)
      expect(answer.body.error).toMatch(/has not verified/)
      expect((await b.me()).status).toBe(401)
    }
    expect(await db.findAll(tables.oauthConnections, { user_id: app.users.viewer })).toEqual([])
  })

  it('refuses another identity with the e-mail of a linked account', async () => {
    provider.people.double = { email: 'editor@example.com', email_verified: true }
    expect((await browser().signIn('double')).status).toBe(409)
  })

  it('takes an account back from whoever registered with somebody else’s address', async () => {
    const post = (path: string, body: object, headers = {}) =>
      app.call('POST', `/api/v1${path}`, { as: 'nobody', body, headers })
    const victim = { email: 'victim@example.com', password: 'of the attacker' }
    await post('/auth/register', victim)
    const attacker = (await post('/auth/login', victim)).headers.get('set-cookie')?.split(';')[0] ?? ''
    const me = () => app.call('GET', '/api/v1/auth/me', { as: 'nobody', headers: { Cookie: attacker } })
    const id = (await me()).body.user_id
    const key = (await app.call('POST', '/api/v1/tokens', { body: { user_id: id } })).body.token
    provider.people.victim = { email: victim.email, email_verified: true }
    const b = browser()
    await b.signIn('victim')
    expect((await b.me()).body.user_id).toBe(id)
    expect([(await me()).status, (await post('/auth/login', victim)).status]).toEqual([401, 401])
    const byKey = await app.call('GET', '/api/v1/content', {
      as: 'nobody',
      headers: { Authorization: `Bearer ${key}` },
    })
    expect(byKey.status).toBe(403)
  })

  it('takes an account back from whoever claimed the address at the provider without proof', async () => {
    provider.people.squatter = { email: 'owner@example.com', email_verified: false }
    const squatter = browser()
    expect((await squatter.signIn('squatter')).status).toBe(302)
    const { user_id } = (await squatter.me()).body
    provider.people.owner = { email: 'owner@example.com', email_verified: true }
    const owner = browser()
    expect((await owner.signIn('owner')).status).toBe(302)
    expect((await owner.me()).body.user_id).toBe(user_id)
    expect((await squatter.me()).status).toBe(401)
    expect((await squatter.signIn('squatter')).status).toBe(409)
  })

  it('makes a new viewer when the account was deleted', async () => {
    provider.people.gone = { email: 'gone@example.com', email_verified: true }
    const b = browser()
    await b.signIn('gone')
    const { user_id } = (await b.me()).body
    await app.call('PUT', `/api/v1/users/?q=${user_id}`, { body: { role: 'editor' } })
    expect((await app.call('DELETE', `/api/v1/users/?q=${user_id}`)).status).toBe(204)
    await b.signIn('gone')
    const again = (await b.me()).body
    expect(again.user_id).not.toBe(user_id)
    expect(again.role_label).toBe('viewer')
  })

  it.each([
    ['silent', { name: 'Silent' }],
    ['blank', { name: 'Blank', email: '', email_verified: true }],
    ['unreachable', { name: 'X', email: 'user-1@no-email.invalid', email_verified: true }],
  ])('makes an account without an e-mail for %s, which no mail reaches', async (subject, claims) => {
    provider.people[subject] = claims
    const [first, again] = [browser(), browser()]
    expect((await first.signIn(subject)).status).toBe(302)
    const { user_id, email, role_label, name } = (await first.me()).body
    expect([email, role_label, name]).toEqual([
      expect.stringMatching(/^user-[0-9a-z]{26}@no-email\.invalid$/),
      'viewer',
      claims.name,
    ])
    expect((await db.get(tables.users, user_id))?.email_verified).toBe(false)
    await again.signIn(subject)
    expect((await again.me()).body.user_id).toBe(user_id)
    // Another person is not matched by the placeholder, whatever the provider says.
    provider.people[`thief-${subject}`] = { email, email_verified: true }
    const thief = browser()
    await thief.signIn(`thief-${subject}`)
    expect((await thief.me()).body.user_id).not.toBe(user_id)
    // Nor does anybody get a link by it.
    await app.call('POST', '/api/v1/auth/request-password-reset', { as: 'nobody', body: { email } })
    await services.settle()
    expect(await db.findAll(tables.tokens, { user_id })).toEqual([])
  })
})

describe('who somebody is', async () => {
  const userinfo = (claims: string) => (url: string) =>
    url.startsWith('/me')
      ? { status: 200, body: claims, headers: { 'Content-Type': 'application/json' } }
      : undefined
  // Without `openid` there is no ID token, so that userinfo alone says who it is.
  const plain = { ...settings, oauth_scopes: ['email'] }
  const replaced = await testApp(plain)

  /** Signs in while userinfo answers this. */
  async function signInAs(of: TestApp, claims: object | string) {
    const mine = browser(of)
    const path = await mine.atProvider('ann')
    provider.broken = userinfo(typeof claims === 'string' ? claims : JSON.stringify(claims))
    const { status } = await mine.get(path)
    provider.broken = undefined
    return { status, user: (await mine.me()).body.user_id }
  }

  it('is not changed by an address that folds into the address of another', async () => {
    for (const email of ['\u212aevin@example.com', 'kev\u0131n@example.com', 'kevin@example.com\u00a0'])
      expect([email, await signInAs(replaced, { sub: email, email, email_verified: true })]).toMatchObject([
        email,
        { status: 409, user: undefined },
      ])
  })

  it('is the whole subject and its type', async () => {
    const ids = new Set()
    const subjects = [
      '"sub":"42"',
      '"id":42',
      '"id":43',
      `"sub":"${'x'.repeat(255)}"`,
      '"sub":"Ann"',
      '"sub":"ann"',
    ]
    for (const [i, subject] of subjects.entries()) {
      const claims = `{${subject},"email":"whole${i}@example.com","email_verified":true}`
      const { status, user } = await signInAs(replaced, claims)
      expect([subject, status]).toEqual([subject, 302])
      ids.add(user)
      expect((await signInAs(replaced, `{${subject}}`)).user).toBe(user)
    }
    expect(ids.size).toBe(subjects.length)
  })

  it.each([
    ['too long to be kept', `"sub":"${'x'.repeat(256)}"`],
    ['rounded', '"id":9007199254740993'],
    ['no whole number', '"id":0.5'],
    ['a number where the standard has a text', '"sub":42'],
    ['what stands for a number', '"sub":"number:42"'],
    ['a line break', '"sub":"4\\n2"'],
    ['half a character', '"sub":"\\ud800"'],
    ['a list', '"sub":["42"]'],
  ])('is nobody when the subject is %s', async (_, subject) => {
    const claims = `{${subject},"email":"nobody@example.com","email_verified":true}`
    expect(await signInAs(replaced, claims)).toMatchObject({ status: 502, user: undefined })
  })

  it('is asked again when another provider has the name', async () => {
    const owner = { sub: 'root', email: 'root@example.com', email_verified: true }
    const first = await signInAs(replaced, owner)
    expect(first.status).toBe(302)
    const { oauth_endpoint } = replaced.config
    replaced.config.oauth_endpoint = { ...oauth_endpoint, oauth_userinfo_url: `${provider.origin}/me?other` }
    const stranger = await signInAs(replaced, {
      sub: 'root',
      email: 'stranger@example.com',
      email_verified: true,
    })
    expect(stranger.status).toBe(302)
    expect(stranger.user).not.toBe(first.user)
    // Who has the address is linked anew, and back at the first provider nothing of the second is left.
    expect((await signInAs(replaced, { ...owner, sub: 'other' })).user).toBe(first.user)
    replaced.config.oauth_endpoint = oauth_endpoint
    expect((await signInAs(replaced, { ...owner, sub: 'other', email: 'third@example.com' })).user).not.toBe(
      first.user,
    )
  })
})

describe('a callback', () => {
  const exchanges = () => provider.grants.length

  it('is refused without its code or its state, and never reaches the provider', async () => {
    provider.people.bob = { email: 'bob@example.com', email_verified: true }
    const before = exchanges()
    const mine = browser()
    const path = await mine.atProvider('bob')
    const url = new URL(path, 'http://localhost')
    const without = (name: string) => {
      const copy = new URL(url)
      copy.searchParams.delete(name)
      return copy.pathname + copy.search
    }
    const get = async (b: ReturnType<typeof browser>, path: string) => {
      const answer = await b.get(path)
      return [answer.status, answer.body.error]
    }
    const invalid = [400, 'invalid state: start the sign-in again']
    expect(await get(mine, '/api/v1/auth/oauth/callback')).toEqual([400, 'Missing code parameter'])
    expect(await get(mine, without('code'))).toEqual([400, 'Missing code parameter'])
    expect(await get(mine, without('state'))).toEqual(invalid)
    expect(await get(mine, path.replace(/state=[\w-]+/, `state=${'x'.repeat(43)}`))).toEqual(invalid)
    expect(await get(browser(), path)).toEqual(invalid)
    const other = browser()
    await other.begin()
    expect(await get(other, path)).toEqual(invalid)
    const member = async (path: string) => {
      const answer = await mine.get(path)
      return [answer.status, answer.body.member]
    }
    expect(await member(`${path}&code=another`)).toEqual([400, 'code'])
    expect(await member(`${path}&state=another`)).toEqual([400, 'state'])
    expect(await member(path.replace(/code=[^&]+/, `code=${'x'.repeat(5000)}`))).toEqual([400, 'code'])
    const refused = await mine.get(`${url.pathname}?error=access_denied&error_description=<script>&state=x`)
    expect([refused.status, refused.text]).toEqual([
      400,
      '{"error":"the provider did not sign you in","code":"invalid"}',
    ])
    expect(exchanges()).toBe(before)
    expect((await mine.me()).status).toBe(401)
    expect((await mine.get(path)).status).toBe(302)
    expect(exchanges()).toBe(before + 1)
  })

  it('works once, also for twenty at the same time', async () => {
    const mine = browser()
    const path = await mine.atProvider('bob')
    const kept = new Map(mine.cookies)
    const before = exchanges()
    const answers = await Promise.all(Array.from({ length: 20 }, () => mine.get(path)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([302, ...Array(19).fill(400)])
    for (const [name, value] of kept) mine.cookies.set(name, value)
    expect((await mine.get(path)).status).toBe(400)
    expect(exchanges()).toBe(before + 1)
  })

  it('is refused after ten minutes', async () => {
    const mine = browser()
    const path = await mine.atProvider('bob')
    clock.advance(600_001)
    expect((await mine.get(path)).status).toBe(400)
    await browser().begin()
    const states = await db.findAll(internalTables.oauthStates)
    expect(states.length).toBeGreaterThan(0)
    const now = new Date(clock.now()).toISOString()
    expect(states.filter(({ expires_at }) => expires_at <= now)).toEqual([])
  })

  it('with a code of another sign-in is refused by PKCE', async () => {
    const [mine, other] = [browser(), browser()]
    const theirs = new URL(await other.atProvider('ann'), 'http://localhost').searchParams.get('code')
    const path = await mine.atProvider('bob')
    const answer = await mine.get(path.replace(/code=[^&]+/, `code=${theirs}`))
    expect([answer.status, answer.body]).toEqual([
      502,
      { error: 'Error exchanging token', code: 'provider_failed' },
    ])
    expect((await mine.me()).status).toBe(401)
  })

  it.each([
    ['answers 500', () => ({ status: 500, body: 'oops' })],
    ['answers HTML', () => ({ status: 200, body: '<html>', headers: { 'Content-Type': 'text/html' } })],
    ['answers no JSON', () => ({ status: 200, body: '{', headers: { 'Content-Type': 'application/json' } })],
    [
      'answers another kind of token',
      () => ({
        status: 200,
        body: '{"access_token":"x","token_type":"mac"}',
        headers: { 'Content-Type': 'application/json' },
      }),
    ],
    [
      'answers an error with 200',
      () => ({
        status: 200,
        body: '{"error":"bad_verification_code"}',
        headers: { 'Content-Type': 'application/json' },
      }),
    ],
    [
      'sends elsewhere',
      () => ({ status: 307, body: '', headers: { Location: `${provider.origin}/token2` } }),
    ],
    [
      'sends gigabytes',
      () => ({ status: 200, body: 'x'.repeat(3_000_000), headers: { 'Content-Type': 'application/json' } }),
    ],
  ])('ends with one sentence when the token endpoint %s', async (_, broken) => {
    const mine = browser()
    const path = await mine.atProvider('bob')
    provider.broken = url => (url.startsWith('/token') ? broken() : undefined)
    const answer = await mine.get(path)
    provider.broken = undefined
    expect([answer.status, answer.body]).toEqual([
      502,
      { error: 'Error exchanging token', code: 'provider_failed' },
    ])
    expect((await mine.me()).status).toBe(401)
  })

  it.each([
    ['nobody', '{}'],
    ['somebody else', '{"sub":"ann"}'],
    ['no JSON', 'x'],
  ])('ends so when userinfo names %s', async (_, body) => {
    const mine = browser()
    const path = await mine.atProvider('bob')
    provider.broken = url =>
      url.startsWith('/me')
        ? { status: 200, body, headers: { 'Content-Type': 'application/json' } }
        : undefined
    const answer = await mine.get(path)
    provider.broken = undefined
    expect(answer.status).toBe(502)
  })
})

describe('the signature of an ID token', async () => {
  provider.people.sam = { email: 'sam@example.com', email_verified: true }
  const failed = [502, { error: 'Error exchanging token', code: 'provider_failed' }]
  const times = (path: string) => provider.requests.filter(url => url === path).length

  /** Signs in while the provider's ID tokens are replaced. */
  async function signInWith(of: TestApp, forge: OidcProvider['forge']) {
    const mine = browser(of)
    const path = await mine.atProvider('sam')
    provider.forge = forge
    const answer = await mine.get(path)
    provider.forge = undefined
    expect((await mine.me()).status).toBe(answer.status === 302 ? 200 : 401)
    return [answer.status, answer.body]
  }

  const claimsWith = (idToken: string, claims: object) => {
    const [header, , signature] = idToken.split('.')
    const changed = base64url.encode(JSON.stringify({ ...decodeJwt(idToken), ...claims }))
    return `${header}.${changed}.${signature}`
  }
  const { privateKey } = await generateKeyPair('RS256')
  const signedByAnother = (idToken: string, kid: string | undefined) =>
    new SignJWT(decodeJwt(idToken))
      .setProtectedHeader({ alg: 'RS256', ...(kid ? { kid } : {}) })
      .sign(privateKey)

  const forgeries: [string, NonNullable<OidcProvider['forge']>][] = [
    ['claims are others', async token => claimsWith(token, { email: 'admin@example.com' })],
    ['signature is cut off', async token => token.slice(0, token.lastIndexOf('.') + 1)],
    ['key is somebody else’s', token => signedByAnother(token, decodeProtectedHeader(token).kid)],
    ['key is somebody else’s and unknown', token => signedByAnother(token, 'unknown')],
    ['key is somebody else’s and unnamed', token => signedByAnother(token, undefined)],
    ['algorithm is none', async token => `${base64url.encode('{"alg":"none"}')}.${token.split('.')[1]}.`],
  ]

  it('is checked against the keys that the provider publishes, which are read once', async () => {
    const before = [times('/.well-known/openid-configuration'), times('/jwks')]
    const fresh = await testApp(settings)
    expect((await signInWith(fresh, undefined))[0]).toBe(302)
    expect((await signInWith(fresh, undefined))[0]).toBe(302)
    expect([times('/.well-known/openid-configuration'), times('/jwks')]).toEqual(before.map(n => n + 1))
  })

  it.each(forgeries)('is refused when its %s', async (_, forge) => {
    expect(await signInWith(app, forge)).toEqual(failed)
  })

  it('is not checked where the provider publishes no keys, for the token came from the provider itself', async () => {
    provider.broken = url => (url.startsWith('/.well-known/') ? { status: 404, body: '' } : undefined)
    const unpublished = await testApp(settings)
    expect((await signInWith(unpublished, undefined))[0]).toBe(302)
    expect(unpublished.logged.map(({ message }) => message)).toContain(
      'the address of the signing keys could not be read from the OAuth provider',
    )
    provider.broken = undefined
  })

  it('is never checked against keys that the token itself names', async () => {
    const before = provider.requests.length
    const elsewhere = await testApp({
      ...settings,
      oauth_endpoint: { ...settings.oauth_endpoint, oauth_auth_url: 'https://id.example/auth' },
    })
    const mine = browser(elsewhere)
    const begun = new URL(await mine.begin())
    const path = await provider.signIn(`${provider.origin}/auth${begun.search}`, 'sam')
    const { pathname, search } = new URL(path)
    expect((await mine.get(pathname + search)).status).toBe(302)
    expect(provider.requests.slice(before)).toContain('/token')
    expect(provider.requests.slice(before)).not.toContain('/.well-known/openid-configuration')
  })

  it.each([
    ['there are none', () => ({ status: 404, body: '' })],
    ['they are no JSON', () => ({ status: 200, body: 'x', headers: { 'Content-Type': 'application/json' } })],
    ['they are gigabytes', () => ({ status: 200, body: 'x'.repeat(3_000_000) })],
  ])('is refused at the address of the keys when %s', async (_, broken) => {
    const fresh = await testApp(settings)
    provider.broken = url => (url === '/jwks' ? broken() : undefined)
    const answer = await signInWith(fresh, undefined)
    provider.broken = undefined
    expect(answer).toEqual(failed)
    expect((await signInWith(fresh, undefined))[0]).toBe(302)
  })
})

describe('provider tokens', () => {
  const connectionOf = async (subject: string) =>
    (await db.findAll(tables.oauthConnections)).find(row => row.oauth_provider_user_id === subject)

  it('are renewed while a session is used, once', async () => {
    provider.people.carl = { email: 'carl@example.com', email_verified: true }
    const mine = browser()
    await mine.signIn('carl')
    const before = await connectionOf('carl')
    const refreshes = () => provider.grants.filter(grant => grant === 'refresh_token').length
    const count = refreshes()
    clock.advance(61_000)
    expect((await mine.me()).status).toBe(200)
    await services.settle()
    expect(refreshes()).toBe(count)
    clock.advance(240_000)
    await Promise.all([mine.me(), mine.me(), mine.me()])
    await services.settle()
    expect(refreshes()).toBe(count + 1)
    const after = await connectionOf('carl')
    expect(after?.access_token).not.toBe(before?.access_token)
    expect(String(after?.token_expires_at) > String(before?.token_expires_at)).toBe(true)
  })

  it('that cannot be renewed leave the session as it is', async () => {
    const mine = browser()
    await mine.signIn('carl')
    provider.broken = url =>
      url.startsWith('/token')
        ? { status: 400, body: '{"error":"invalid_grant"}', headers: { 'Content-Type': 'application/json' } }
        : undefined
    clock.advance(400_000)
    expect((await mine.me()).status).toBe(200)
    await services.settle()
    provider.broken = undefined
    expect((await mine.me()).status).toBe(200)
    expect(logged.map(({ message }) => message)).toContain('provider tokens could not be renewed')
  })

  it('that were sealed under another key are dropped, and come back with the next sign-in', async () => {
    const mine = browser()
    await mine.signIn('carl')
    const id = (await connectionOf('carl'))?.user_oauth_id ?? ''
    const foreign = await secretBox('another secret').seal('of a provider')
    for (const refresh_token of [foreign, 'v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', '....', 'x']) {
      const token_expires_at = new Date(clock.now()).toISOString()
      await db.write(systemActor, tx =>
        tx.update(tables.oauthConnections, id, { access_token: foreign, refresh_token, token_expires_at }),
      )
      const count = provider.grants.length
      clock.advance(61_000)
      expect((await mine.me()).status).toBe(200)
      await services.settle()
      expect(provider.grants.length).toBe(count)
      expect(await connectionOf('carl')).toMatchObject({
        access_token: null,
        refresh_token: null,
        token_expires_at: null,
      })
    }
    expect(await db.count(internalTables.leases, { name: `oauth:${id}` })).toBe(0)
    await browser().signIn('carl')
    expect((await connectionOf('carl'))?.refresh_token).toMatch(/^eyJ/)
  })
})

describe('without a complete configuration', () => {
  it('there is no sign-in at a provider', async () => {
    const was = config.oauth_client_id
    config.oauth_client_id = undefined
    for (const path of ['login', 'callback?code=x&state=y']) {
      const answer = await app.call('GET', `/api/v1/auth/oauth/${path}`, { as: 'nobody' })
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: 'OAuth is not configured', code: 'not_configured' },
      ])
    }
    config.oauth_client_id = was
  })

  it('nothing private is called outside of development', async () => {
    provider.people.bob = { email: 'bob@example.com', email_verified: true }
    const mine = browser()
    const path = await mine.atProvider('bob')
    const before = provider.grants.length
    config.environment = 'production'
    config.oauth_endpoint = {
      ...config.oauth_endpoint,
      oauth_token_url: provider.origin.replace('http:', 'https:'),
    }
    expect((await mine.get(path)).status).toBe(502)
    const failure = logged.findLast(({ message }) => message === 'the OAuth provider failed')
    const { err } = (failure?.fields ?? {}) as { err?: Error }
    expect(inspect(err)).toContain('is not a public address')
    expect(provider.grants.length).toBe(before)
    config.environment = 'local'
  })
})
