import { describe, expect, it } from 'vitest'
import { made } from '../support/calls.js'
import { mailServer, textOf } from '../support/mail.js'
import { clientId, clientSecret, oidcProvider } from '../support/oidc.js'
import { freePort } from '../support/process.js'
import { newClient, password, startedSite, timestamp, ulid } from '../support/site.js'

/** Accounts in the words of the product document (4.1, 4.2, 5.2 to 5.5), at the started product. */

const port = await freePort()
const callback = `http://127.0.0.1:${port}/api/v1/auth/oauth/callback`
const provider = await oidcProvider(callback)
const mail = await mailServer()
const { admin, nobody, send, signIn, account } = await startedSite({
  port,
  config: {
    cookie_name: 'site_cookie',
    email_enabled: true,
    email_host: '127.0.0.1',
    email_port: mail.port,
    email_tls: false,
    email_username: 'user',
    email_password: 'pass',
    email_from_address: 'cms@example.com',
    password_reset_url: 'https://site.example/reset',
    oauth_client_id: clientId,
    oauth_client_secret: clientSecret,
    oauth_provider_name: 'Test',
    oauth_redirect_url: callback,
    oauth_success_redirect: '/welcome',
    oauth_endpoint: {
      oauth_auth_url: `${provider.origin}/auth`,
      oauth_token_url: `${provider.origin}/token`,
      oauth_userinfo_url: `${provider.origin}/me`,
    },
  },
})
const administrator = (await made(admin('GET', '/auth/me'))).user_id as string
const noMatch = { error: "sessions don't match", code: 'session_expired' }

let registered = 0
async function register(more: object = {}) {
  const email = `registered-${++registered}@example.com`
  return { email, answer: await nobody('POST', '/auth/register', { email, password, ...more }, newClient()) }
}

/** Asks for so many reset links. @returns their tokens, when all mails have come */
async function resetTokens(email: string, links: number): Promise<string[]> {
  for (let i = 0; i < links; i++)
    await made(nobody('POST', '/auth/request-password-reset', { email }, newClient()))
  const tokens = () =>
    mail.messages
      .filter(message => message.includes(`To: ${email}`))
      .map(message => /reset\?token=([\w-]+)/.exec(textOf(message))?.[1] ?? '')
  await expect.poll(tokens, { timeout: 120_000 }).toHaveLength(links)
  return tokens()
}

async function confirm(token: string, secret: string) {
  const body = { token, password: secret }
  const answer = await nobody('POST', '/auth/confirm-password-reset', body, newClient())
  return [answer.status, answer.body.error]
}

describe('signing in', () => {
  it('answers 200 with user_id, email, username, name and created_at', async () => {
    const { answer } = await signIn('admin@example.com', 'correct horse')
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        user_id: administrator,
        email: 'admin@example.com',
        username: 'admin',
        name: expect.any(String),
        created_at: expect.stringMatching(timestamp),
      },
    ])
  })

  it('sets a cookie of the configured name: HttpOnly, of /, lax, not Secure, of 24 hours', async () => {
    const { answer } = await signIn('admin@example.com', 'correct horse')
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^site_cookie=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
  })

  it('is told by /auth/me, with the role as an identifier', async () => {
    const { body } = await admin('GET', '/auth/me')
    expect(body).toMatchObject({ user_id: administrator, email: 'admin@example.com', username: 'admin' })
    expect(body).toMatchObject({ name: expect.any(String), role: expect.stringMatching(ulid) })
    expect(await nobody('GET', '/auth/me')).toMatchObject({ status: 401, body: noMatch })
  })

  it('ends with a logout, which answers 200 with and without a session and clears the cookie', async () => {
    const { call } = await account('viewer')
    expect((await nobody('POST', '/auth/logout')).status).toBe(200)
    const { status, headers } = await call('POST', '/auth/logout')
    expect([status, headers.getSetCookie()]).toEqual([
      200,
      [expect.stringMatching(/^site_cookie=; Max-Age=0;/)],
    ])
    expect((await call('GET', '/auth/me')).status).toBe(401)
    expect((await call('POST', '/auth/logout')).status).toBe(200)
  })

  it('has ten requests a minute from an address, with registration, OAuth and password resets', async () => {
    const client = newClient()
    const person = { email: 'nobody@example.com', password }
    const answers = await Promise.all([
      ...Array.from({ length: 7 }, () => nobody('POST', '/auth/login', person, client)),
      nobody('POST', '/auth/register', {}, client),
      send('GET', '/api/v1/auth/oauth/login', { headers: client }),
      send('GET', '/api/v1/auth/oauth/callback', { headers: client }),
      nobody('POST', '/auth/request-password-reset', { email: 'nobody@example.com' }, client),
      nobody('POST', '/auth/confirm-password-reset', {}, client),
    ])
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
    const late = await nobody('POST', '/auth/login', person, client)
    expect([late.status, Number(late.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await nobody('POST', '/auth/login', person, newClient())).status).toBe(401)
  })

  it('can be asked for by pages of the configured origins', async () => {
    const Origin = 'https://app.example'
    const asks = { Origin, 'Access-Control-Request-Method': 'POST' }
    const preflight = async () =>
      (await nobody('OPTIONS', '/auth/login', undefined, asks)).headers.get('access-control-allow-origin')
    expect(await preflight()).toBeNull()
    await made(admin('PUT', '/config', { cors_origins: [Origin] }))
    expect(await preflight()).toBe(Origin)
    const { headers } = await nobody('GET', '/auth/me', undefined, { Origin })
    expect(headers.get('access-control-allow-origin')).toBe(Origin)
  })
})

describe('registration', () => {
  it('answers 201 with user_id, email and name; username and name may be absent', async () => {
    const { email, answer } = await register()
    expect([answer.status, answer.body]).toEqual([
      201,
      expect.objectContaining({ user_id: expect.stringMatching(ulid), email, name: '' }),
    ])
  })

  it('always assigns the viewer role, whatever role the body has', async () => {
    const { email } = await register({ role: 'admin' })
    const { call } = await signIn(email)
    expect((await call('GET', '/auth/me')).body).toMatchObject({ email, role_label: 'viewer' })
  })

  it('is a conflict for an e-mail address that has an account', async () => {
    const { email } = await register()
    expect((await nobody('POST', '/auth/register', { email, password }, newClient())).status).toBe(409)
  })
})

describe('a password reset', () => {
  it('is asked for with one answer, 200, whether or not there is such an account', async () => {
    const { email } = await register()
    const ask = async (address: unknown) => {
      const body = { email: address }
      const answer = await nobody('POST', '/auth/request-password-reset', body, newClient())
      return [answer.status, answer.body]
    }
    const known = await ask(email)
    expect(known).toEqual([200, { message: expect.any(String) }])
    for (const other of ['nobody@example.com', 'no address', '', 42, undefined, '\u212aevin@example.com'])
      expect([other, await ask(other)]).toEqual([other, known])
  })

  it('is made by the token that was mailed, once, and all other tokens of the user are removed', async () => {
    const { email } = await register()
    const [first = '', second = ''] = await resetTokens(email, 2)
    const secret = 'even nicer weather now'
    expect(await confirm(first, secret)).toEqual([200, undefined])
    for (const token of [first, second])
      expect(await confirm(token, secret)).toEqual([400, expect.stringMatching(/^token: is not valid/)])
    expect((await signIn(email, secret)).answer.status).toBe(200)
    expect((await signIn(email)).answer.status).toBe(401)
  })

  it('is at /auth/reset for who has signed in', async () => {
    const { email, call } = await account('viewer')
    const secret = 'even nicer weather now'
    const body = { current_password: password, password: secret }
    expect((await call('POST', '/auth/reset', body, newClient())).status).toBe(200)
    expect((await signIn(email, secret)).answer.status).toBe(200)
  })
})

/** A browser of its own: keeps cookies. */
function browser() {
  const cookies = new Map<string, string>()
  const get = async (path: string) => {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await send('GET', path, { headers: { Cookie, ...newClient() } })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    return answer
  }
  const begin = async () =>
    new URL((await get('/api/v1/auth/oauth/login')).headers.get('location') ?? 'no:location')
  return {
    get,
    begin,
    async signIn(subject: string) {
      const { pathname, search } = new URL(await provider.signIn((await begin()).href, subject))
      return get(pathname + search)
    },
    me: async () => (await get('/api/v1/auth/me')).body,
  }
}

describe('OAuth 2.0', () => {
  it('begins with a redirect to oauth_auth_url, with a state and a challenge of PKCE', async () => {
    const url = await browser().begin()
    expect(url.origin + url.pathname).toBe(`${provider.origin}/auth`)
    expect(url.searchParams.get('redirect_uri')).toBe(callback)
    expect(url.searchParams.get('code_challenge_method')).toBe('S256')
    for (const name of ['state', 'code_challenge']) expect(url.searchParams.get(name)).toMatch(/^[\w-]{43}$/)
  })

  it('makes an account for who has none, creates a session and redirects to oauth_success_redirect', async () => {
    provider.people.ann = { email: 'ann@example.com', email_verified: true, name: 'Ann' }
    const ann = browser()
    const { status, headers } = await ann.signIn('ann')
    expect([status, headers.get('location')]).toEqual([302, '/welcome'])
    expect(await ann.me()).toMatchObject({ email: 'ann@example.com', name: 'Ann', role_label: 'viewer' })
    const { user_id } = await ann.me()
    const again = browser()
    await again.signIn('ann')
    expect((await again.me()).user_id).toBe(user_id)
  })

  it('makes an account for who has no e-mail address, with one that nobody has', async () => {
    provider.people.nameless = {}
    const nameless = browser()
    await nameless.signIn('nameless')
    const { user_id, email } = await nameless.me()
    expect(email).toMatch(/@no-email\.invalid$/)
    expect((await admin('GET', `/users?q=${user_id}`)).body.email_verified).toBe(false)
  })

  it('says of a callback without a code "Missing code parameter"', async () => {
    const { body } = await nobody('GET', '/auth/oauth/callback?state=x', undefined, newClient())
    expect(body.error).toBe('Missing code parameter')
  })

  it('says of a code that the provider refuses "Error exchanging token"', async () => {
    const visitor = browser()
    const state = (await visitor.begin()).searchParams.get('state')
    const { body } = await visitor.get(`/api/v1/auth/oauth/callback?code=wrong&state=${state}`)
    expect(body.error).toBe('Error exchanging token')
  })
})

describe('users', () => {
  it('are listed without their passwords', async () => {
    const { email } = await account('viewer')
    const { status, body } = await admin('GET', '/users')
    expect(status).toBe(200)
    const user = body.find((one: { email: string }) => one.email === email)
    expect(user).toMatchObject({ role_label: 'viewer', created_at: expect.stringMatching(timestamp) })
    expect(user.user_id).toMatch(ulid)
    expect(JSON.stringify(body)).not.toMatch(/argon2|"password/)
  })

  it('are created with a role by its name or by role_id', async () => {
    const roles: { role_id: string; label: string }[] = (await admin('GET', '/roles')).body
    const role_id = roles.find(({ label }) => label === 'editor')?.role_id
    for (const [username, role] of [
      ['by-name', { role: 'editor' }],
      ['by-id', { role_id }],
    ] as const) {
      const body = { username, name: username, email: `${username}@example.com`, password, ...role }
      expect(await admin('POST', '/users', body)).toMatchObject({
        status: 201,
        body: { username, role: role_id, role_label: 'editor' },
      })
    }
  })

  it('are updated with user_id in the body, the role too', async () => {
    const { user_id } = await account('editor')
    const body = { user_id, username: 'changed', email: 'changed@example.com', role: 'viewer' }
    expect(await admin('PUT', '/users/', body)).toMatchObject({
      status: 200,
      body: { username: 'changed', email: 'changed@example.com', role_label: 'viewer' },
    })
  })

  it('who are no administrators cannot set roles: the field is ignored', async () => {
    const { user_id, call } = await account('editor')
    expect(await call('PUT', '/users/', { user_id, name: 'Robert', role: 'admin' })).toMatchObject({
      status: 200,
      body: { name: 'Robert', role_label: 'editor' },
    })
  })

  it('are shown in full with OAuth connections, SSH keys, sessions and tokens', async () => {
    const { user_id } = await account('viewer')
    const list = expect.any(Array)
    expect((await admin('GET', `/users/full/?q=${user_id}`)).body).toMatchObject({
      user_id,
      oauth_connections: list,
      ssh_keys: list,
      sessions: [expect.objectContaining({ user_id })],
      tokens: list,
    })
  })

  it('are deleted with their content given to another user', async () => {
    const { user_id } = await account('editor')
    const reassign_to = administrator
    const { status, body } = await admin('POST', '/users/reassign-delete', { user_id, reassign_to })
    expect([status, body]).toEqual([200, expect.objectContaining({ user_id, reassign_to })])
    expect((await admin('GET', `/users?q=${user_id}`)).status).toBe(404)
  })
})

describe('sessions', () => {
  it('are listed with who, where, by what and until when, which is 24 hours', async () => {
    const before = Date.now()
    const { user_id } = await account('viewer')
    const after = Date.now()
    const { body } = await admin('GET', '/sessions')
    const session = body.find((one: { user_id: string }) => one.user_id === user_id)
    expect(session).toMatchObject({
      session_id: expect.stringMatching(ulid),
      ip_address: expect.stringMatching(/^198\.18\./),
      user_agent: 'node',
    })
    const signedIn = Date.parse(session.expires_at) - 86_400_000
    expect([before <= signedIn, signedIn <= after]).toEqual([true, true])
  })

  it('are invalid after DELETE /sessions/?q=: "sessions don\'t match"', async () => {
    const { user_id, call } = await account('editor')
    const { body } = await admin('GET', '/sessions')
    const { session_id } = body.find((one: { user_id: string }) => one.user_id === user_id)
    expect((await call('GET', '/users')).status).toBe(200)
    expect((await admin('DELETE', `/sessions/?q=${session_id}`)).status).toBe(204)
    expect(await call('GET', '/users')).toMatchObject({ status: 403, body: noMatch })
  })
})
