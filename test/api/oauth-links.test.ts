import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { clientId, clientSecret, oidcProvider } from '../support/oidc.js'
import { panelForms } from '../support/panel-forms.js'

const path = '/api/v1/auth/oauth'
const page = '/admin/profile/providers'
const callback = `http://localhost${path}/callback`
const [company, partner] = [
  await oidcProvider(`${callback}/company`),
  await oidcProvider(`${callback}/partner`),
]
const providers = { company, partner }
type Name = keyof typeof providers
const app = await testApp({
  app_secret: 'a long secret of this test, not to be told',
  oauth_providers: Object.entries(providers).map(([id, { origin }]) => ({
    ...{ id, name: `The ${id}`, oauth_client_id: clientId, oauth_client_secret: clientSecret },
    oauth_redirect_url: `${callback}/${id}`,
    oauth_endpoint: {
      oauth_auth_url: `${origin}/auth`,
      oauth_token_url: `${origin}/token`,
      oauth_userinfo_url: `${origin}/me`,
    },
  })),
})
const { call, clock, db, services } = app
const { post } = panelForms(app)
const table = tables.oauthConnections
const password = 'correct horse'

/** A browser of its own: keeps cookies. */
function browser() {
  const cookies = new Map<string, string>()
  const send = async (method: string, at: string, body?: unknown) => {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await call(method, at, { as: 'nobody', body, headers: Cookie ? { Cookie } : {} })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
    return answer
  }
  const comeBack = async (name: Name, url: string, subject: string) => {
    const { pathname, search } = new URL(await providers[name].signIn(url, subject))
    return pathname + search
  }
  return {
    cookies,
    send,
    comeBack,
    async signIn(name: Name, subject: string) {
      const begun = await send('GET', `${path}/login/${name}`)
      return send('GET', await comeBack(name, begun.headers.get('location') ?? '', subject))
    },
    begin: (provider: string, given: object = { current_password: password }) =>
      send('POST', `${path}/links`, { provider, ...given }),
    async link(name: Name, subject: string, given?: object) {
      const { body } = await this.begin(name, given)
      return send('GET', await comeBack(name, body.url, subject))
    },
    links: async () =>
      (await send('GET', `${path}/links`)).body as { user_oauth_id: string; provider: string }[],
  }
}

let n = 0
/** Somebody with a password, who is signed in by it. */
async function somebody() {
  const email = `ada${++n}@example.com`
  const { user_id } = await services.users.create(systemActor, {
    ...{ name: '', username: `ada${n}`, email, password },
  })
  const mine = browser()
  await mine.send('POST', '/api/v1/auth/login', { email, password })
  return Object.assign(mine, { user_id, email })
}

const outcome = ({ status, body }: { status: number; body?: { error?: string } }) => [status, body?.error]
const auditsOf = async (user_id: string) =>
  (await app.audits())
    .filter(({ table_name, user_id: by }) => table_name === table.name && by === user_id)
    .map(({ operation }) => operation)

describe('linking a provider', () => {
  it('adds it to the account of the session, which then signs in with it, whatever its address', async () => {
    const mine = await somebody()
    company.people.ada = { email: 'somebody.else@company.example', email_verified: true }
    const linked = await mine.link('company', 'ada')
    expect([linked.status, linked.headers.get('location')]).toEqual([302, page])
    expect(await mine.links()).toEqual([
      {
        user_oauth_id: expect.any(String),
        provider: 'company',
        name: 'The company',
        date_created: expect.any(String),
      },
    ])
    const again = browser()
    await again.signIn('company', 'ada')
    expect((await again.send('GET', '/api/v1/auth/me')).body.user_id).toBe(mine.user_id)
    const [link] = await mine.links()
    const removed = await mine.send('DELETE', `${path}/links/${link?.user_oauth_id}`)
    expect([removed.status, await mine.links()]).toEqual([204, []])
    expect(await auditsOf(mine.user_id)).toEqual(['INSERT', 'DELETE'])
  })

  it('needs the password again, or a new session of an account without one', async () => {
    const mine = await somebody()
    expect(outcome(await mine.begin('company', {}))).toEqual([401, 'wrong current password'])
    expect(outcome(await mine.begin('company', { current_password: 'wrong' }))).toEqual([
      401,
      'wrong current password',
    ])
    expect((await mine.begin('nowhere')).status).toBe(404)
    expect(
      (await call('POST', `${path}/links`, { as: 'nobody', body: { provider: 'company' } })).status,
    ).toBe(403)
    expect((await call('POST', `${path}/links`, { as: 'key', body: { provider: 'company' } })).status).toBe(
      401,
    )
    company.people.bob = { email: 'bob@company.example', email_verified: true }
    const bob = browser()
    await bob.signIn('company', 'bob')
    expect((await bob.begin('partner', {})).status).toBe(200)
    clock.advance(600_000)
    expect(outcome(await bob.begin('partner', {}))).toEqual([403, expect.stringContaining('10 minutes ago')])
  })

  it('refuses an identity of another account, and a second one of the same provider', async () => {
    const [mine, other] = [await somebody(), await somebody()]
    for (const subject of ['carl', 'dora']) company.people[subject] = { name: subject }
    await other.link('company', 'carl')
    expect(outcome(await mine.link('company', 'carl'))).toEqual([
      409,
      'another account signs in with this identity',
    ])
    await mine.link('company', 'dora')
    expect(outcome(await mine.link('company', 'carl'))[0]).toBe(409)
    company.people.erik = { name: 'erik' }
    expect(outcome(await mine.link('company', 'erik'))).toEqual([
      409,
      expect.stringContaining('unlink that first'),
    ])
    expect((await mine.link('company', 'dora')).status).toBe(302)
    expect(await mine.links()).toHaveLength(1)
  })

  it('ends in no other browser, session or account', async () => {
    const [mine, other] = [await somebody(), await somebody()]
    partner.people.fay = { email: 'fay@partner.example', email_verified: true }
    const refused = [400, 'invalid state: start the sign-in again']
    const way = async () => mine.comeBack('partner', (await mine.begin('partner')).body.url, 'fay')
    expect(outcome(await other.send('GET', await way()))).toEqual(refused)
    // Somebody else has signed in here in between.
    const back = await way()
    await mine.send('POST', '/api/v1/auth/login', { email: other.email, password })
    expect(outcome(await mine.send('GET', back))).toEqual(refused)
    await mine.send('POST', '/api/v1/auth/login', { email: mine.email, password })
    const late = await way()
    await mine.send('POST', '/api/v1/auth/logout')
    expect(outcome(await mine.send('GET', late))).toEqual(refused)
    expect(await db.count(table, { oauth_provider: 'partner' })).toBe(0)
  })
})

describe('unlinking', () => {
  it('keeps the last way to sign in, and links of others', async () => {
    company.people.gil = { email: 'gil@company.example', email_verified: true }
    partner.people.gil = { email: 'gil@partner.example', email_verified: true }
    const gil = browser()
    await gil.signIn('company', 'gil')
    const [only] = await gil.links()
    const unlink = (id = '') => gil.send('DELETE', `${path}/links/${id}`)
    expect(outcome(await unlink(only?.user_oauth_id))).toEqual([409, expect.stringContaining('only way')])
    await gil.link('partner', 'gil', {})
    const other = await somebody()
    expect((await other.send('DELETE', `${path}/links/${only?.user_oauth_id}`)).status).toBe(404)
    expect((await unlink(only?.user_oauth_id)).status).toBe(204)
    const [last] = await gil.links()
    expect([last?.provider, (await unlink(last?.user_oauth_id)).status]).toEqual(['partner', 409])
  })
})

describe('the page of the providers', () => {
  it('begins a link after the password, and unlinks', async () => {
    expect((await call('GET', '/admin/profile')).text).toContain(`href="${page}"`)
    expect((await call('GET', page)).text).toContain('Link The company')
    expect((await post(page, { provider: 'company', current_password: 'wrong' })).status).toBe(401)
    const { user_id } = (await call('GET', '/api/v1/auth/me')).body
    const row = await db.write(systemActor, tx =>
      tx.insert(table, {
        ...{ user_id, oauth_provider: 'company', oauth_provider_user_id: 'of the page' },
        ...{ access_token: null, refresh_token: null, token_expires_at: null },
      }),
    )
    const shown = (await call('GET', page)).text
    expect([shown.includes('The company'), shown.includes('Link The company')]).toEqual([true, false])
    expect((await post(`${page}/${row.user_oauth_id}/delete`, {})).location).toBe(`${page}?saved`)
    expect(await db.count(table, { user_id })).toBe(0)
  })
})
