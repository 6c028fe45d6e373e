import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { clientId, clientSecret, type OidcProvider, oidcProvider } from '../support/oidc.js'

const path = '/api/v1/auth/oauth'
const callback = `http://localhost${path}/callback`
const partnerSecret = 'a secret of the second client'
const company = await oidcProvider(callback, { tokenLife: 300 })
const partner = await oidcProvider(`${callback}/partner`, { tokenLife: 300, secret: partnerSecret })
const clientAt = ({ origin }: OidcProvider, secret: string, oauth_redirect_url: string) => ({
  oauth_client_id: clientId,
  oauth_client_secret: secret,
  oauth_redirect_url,
  oauth_endpoint: {
    oauth_auth_url: `${origin}/auth`,
    oauth_token_url: `${origin}/token`,
    oauth_userinfo_url: `${origin}/me`,
  },
})
const settings = {
  app_secret: 'a long secret of this test, not to be told',
  ...clientAt(company, clientSecret, callback),
  oauth_provider_name: 'Company',
  oauth_success_redirect: '/welcome',
  oauth_providers: [
    {
      ...clientAt(partner, partnerSecret, `${callback}/partner`),
      id: 'partner',
      name: 'The <b>partner</b>',
      oauth_success_redirect: '/partners',
    },
  ],
}
const app = await testApp(settings)
const { db, services, clock, config, logged } = app
const at = {
  company: { provider: company, segment: '' },
  partner: { provider: partner, segment: '/partner' },
}
type Name = keyof typeof at

/** A browser of its own: keeps cookies. */
function browser() {
  const cookies = new Map<string, string>()
  const get = async (path: string) => {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await app.call('GET', path, { as: 'nobody', headers: Cookie ? { Cookie } : {} })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
    return answer
  }
  const begin = async (name: Name) =>
    new URL((await get(`${path}/login${at[name].segment}`)).headers.get('location') ?? '')
  const atProvider = async (name: Name, subject: string) =>
    pathOf(await at[name].provider.signIn((await begin(name)).href, subject))
  return {
    get,
    begin,
    /** @returns path and query of the callback */
    atProvider,
    signIn: async (name: Name, subject: string) => get(await atProvider(name, subject)),
    me: async () => (await get('/api/v1/auth/me')).body,
  }
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

const grants = () => [company.grants.length, partner.grants.length]
const refused = [400, 'invalid state: start the sign-in again']

async function statusOf(mine: ReturnType<typeof browser>, path: string) {
  const answer = await mine.get(path)
  return [answer.status, answer.body.error]
}

describe('two providers', () => {
  it('are listed for anybody, without a secret', async () => {
    const { status, body, text } = await app.call('GET', `${path}/providers`, { as: 'nobody' })
    expect([status, body]).toEqual([
      200,
      [
        { id: 'default', name: 'Company', url: `${path}/login` },
        { id: 'partner', name: 'The <b>partner</b>', url: `${path}/login/partner` },
      ],
    ])
    expect(text).not.toContain(clientId)
  })

  it('have a callback of their own each', async () => {
    const urls = [await browser().begin('company'), await browser().begin('partner')]
    expect(urls.map(url => [url.origin, url.searchParams.get('redirect_uri')])).toEqual([
      [company.origin, callback],
      [partner.origin, `${callback}/partner`],
    ])
    const states = (await db.findAll(internalTables.oauthStates)).map(({ provider }) => provider)
    expect(states.toSorted()).toEqual(['default', 'partner'])
  })

  it('sign in different people under the same subject', async () => {
    company.people.ann = { email: 'ann@company.example', email_verified: true, name: 'Ann' }
    partner.people.ann = { email: 'ann@partner.example', email_verified: true, name: 'Another' }
    const [first, second, again] = [browser(), browser(), browser()]
    const answers = [await first.signIn('company', 'ann'), await second.signIn('partner', 'ann')]
    expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
      [302, '/welcome'],
      [302, '/partners'],
    ])
    const [one, other] = [await first.me(), await second.me()]
    expect([one.email, other.email]).toEqual(['ann@company.example', 'ann@partner.example'])
    await again.signIn('partner', 'ann')
    expect((await again.me()).user_id).toBe(other.user_id)
    const connections = await db.findAll(tables.oauthConnections)
    expect(connections.map(row => [row.oauth_provider, row.user_id]).toSorted()).toEqual([
      ['Company', one.user_id],
      ['partner', other.user_id],
    ])
  })

  it('keep their accounts when a button gets another name', async () => {
    const [mine, again] = [browser(), browser()]
    await mine.signIn('partner', 'ann')
    const [one] = config.oauth_providers ?? []
    if (one) config.oauth_providers = [{ ...one, name: 'Renamed' }]
    await again.signIn('partner', 'ann')
    expect((await again.me()).user_id).toBe((await mine.me()).user_id)
  })

  it('renew each its own tokens', async () => {
    const mine = browser()
    await mine.signIn('partner', 'ann')
    const before = grants()
    clock.advance(290_000)
    await mine.me()
    await services.settle()
    expect(grants()).toEqual([before[0], (before[1] ?? 0) + 1])
    // Those of a provider that is gone are sent nowhere.
    const providers = config.oauth_providers
    config.oauth_providers = undefined
    clock.advance(290_000)
    await mine.me()
    await services.settle()
    expect(grants()).toEqual([before[0], (before[1] ?? 0) + 1])
    config.oauth_providers = providers
  })

  it('are two for the fields oauth_* under the id default too', async () => {
    const mine = browser()
    const { headers } = await mine.get(`${path}/login/default`)
    const back = pathOf(await company.signIn(headers.get('location') ?? '', 'ann'))
    expect((await mine.get(back)).headers.get('location')).toBe('/welcome')
  })

  it.each(['login/unknown', 'login/PARTNER', 'login/__proto__', 'callback/unknown?code=x&state=y'])(
    'are all there are: %s is not found',
    async address => {
      expect(await statusOf(browser(), `${path}/${address}`)).toEqual([404, 'there is no such provider'])
    },
  )
})

describe('an account of one provider', () => {
  it('is not opened by another that confirms its address', async () => {
    company.people.bob = { email: 'bob@example.com', email_verified: true }
    const bob = browser()
    await bob.signIn('company', 'bob')
    const { user_id } = await bob.me()
    partner.people.bob = { email: 'bob@example.com', email_verified: true }
    const thief = browser()
    expect(await statusOf(thief, await thief.atProvider('partner', 'bob'))).toEqual([
      409,
      'the account with this e-mail address signs in with another provider',
    ])
    expect((await thief.me()).user_id).toBeUndefined()
    expect((await db.findAll(tables.oauthConnections, { user_id })).map(row => row.oauth_provider)).toEqual([
      'Company',
    ])
    expect((await bob.me()).user_id).toBe(user_id)
  })

  it('is not taken over by another if the first has not confirmed the address', async () => {
    company.people.cleo = { email: 'cleo@example.com' }
    partner.people.cleo = { email: 'cleo@example.com', email_verified: true }
    const cleo = browser()
    await cleo.signIn('company', 'cleo')
    const { user_id } = await cleo.me()
    expect((await browser().signIn('partner', 'cleo')).status).toBe(409)
    expect((await cleo.me()).user_id).toBe(user_id)
    const again = browser()
    await again.signIn('company', 'cleo')
    expect((await again.me()).user_id).toBe(user_id)
  })

  it('of the list is not opened by that of the fields oauth_* either', async () => {
    partner.people.dan = { email: 'dan@example.com', email_verified: true }
    company.people.dan = { email: 'dan@example.com', email_verified: true }
    expect((await browser().signIn('partner', 'dan')).status).toBe(302)
    expect((await browser().signIn('company', 'dan')).status).toBe(409)
  })

  it('is linked by the address once the first provider is no longer configured', async () => {
    const { oauth_client_id, user_id } = { ...config, user_id: (await ofAddress('bob@example.com'))?.user_id }
    config.oauth_client_id = undefined
    const bob = browser()
    expect((await bob.signIn('partner', 'bob')).status).toBe(302)
    expect((await bob.me()).user_id).toBe(user_id)
    config.oauth_client_id = oauth_client_id
  })

  it('is one with a password that the first provider to confirm its address is linked to', async () => {
    partner.people.editor = { email: 'editor@example.com', email_verified: true }
    company.people.editor = { email: 'editor@example.com', email_verified: true }
    const editor = browser()
    await editor.signIn('partner', 'editor')
    expect((await editor.me()).user_id).toBe(app.users.editor)
    expect((await browser().signIn('company', 'editor')).status).toBe(409)
    partner.people.viewer = { email: 'viewer@example.com', email_verified: false }
    expect((await browser().signIn('partner', 'viewer')).status).toBe(409)
  })

  const ofAddress = (email: string) => db.find(tables.users, { email })
})

describe('a callback', () => {
  it('of a sign-in that began at another provider is refused, and its code is sent nowhere', async () => {
    for (const [began, other] of [
      ['partner', 'company'],
      ['company', 'partner'],
    ] as const) {
      const mine = browser()
      const begun = await mine.begin(began)
      // The provider where it began sends the browser on to the other, whose code it wants.
      const url = new URL(`${at[other].provider.origin}/auth${begun.search}`)
      url.searchParams.set('redirect_uri', `${callback}${at[other].segment}`)
      const stolen = pathOf(await at[other].provider.signIn(url.href, 'ann'))
      const before = grants()
      expect(await statusOf(mine, stolen)).toEqual(refused)
      expect(grants()).toEqual(before)
      expect((await mine.me()).user_id).toBeUndefined()
      // The right one still ends the sign-in, once.
      const right = pathOf(await at[began].provider.signIn(begun.href, 'ann'))
      expect(await statusOf(mine, right.replace(/callback[^?]*/, `callback${at[other].segment}`))).toEqual(
        refused,
      )
      expect((await mine.get(right)).status).toBe(302)
      expect(await statusOf(mine, right)).toEqual(refused)
    }
  })

  it('with a wrong state, or of another browser, is refused', async () => {
    const mine = browser()
    const back = await mine.atProvider('partner', 'ann')
    const before = grants()
    expect(await statusOf(mine, back.replace(/state=[\w-]+/, `state=${'x'.repeat(43)}`))).toEqual(refused)
    expect(await statusOf(mine, back.replace(/&?state=[\w-]+/, ''))).toEqual(refused)
    expect(await statusOf(browser(), back)).toEqual(refused)
    const other = browser()
    await other.begin('partner')
    expect(await statusOf(other, back)).toEqual(refused)
    expect(grants()).toEqual(before)
    clock.advance(600_001)
    expect(await statusOf(mine, back)).toEqual(refused)
  })

  it('that names another issuer than the ID token signs nobody in', async () => {
    const mine = browser()
    const back = new URL(await mine.atProvider('partner', 'ann'), 'http://localhost')
    expect(back.searchParams.get('iss')).toBe(partner.origin)
    back.searchParams.set('iss', company.origin)
    expect(await statusOf(mine, back.pathname + back.search)).toEqual([502, 'Error exchanging token'])
    expect((await mine.me()).user_id).toBeUndefined()
  })

  it('for which a provider passes on the ID token of another signs nobody in', async () => {
    let ofCompany = ''
    company.forge = async token => {
      ofCompany = token
      return token
    }
    await browser().signIn('company', 'ann')
    company.forge = undefined
    partner.forge = async () => ofCompany
    const mine = browser()
    const answer = await mine.signIn('partner', 'ann')
    partner.forge = undefined
    expect(ofCompany).toMatch(/^eyJ/)
    expect(answer.status).toBe(502)
    expect((await mine.me()).user_id).toBeUndefined()
  })

  it('of a sign-in that an older instance began belongs to the provider of the fields oauth_*', async () => {
    const mine = browser()
    const back = await mine.atProvider('company', 'ann')
    await db.write(systemActor, async tx => {
      for (const row of await db.findAll(internalTables.oauthStates)) {
        await tx.deleteInternal(internalTables.oauthStates, row.oauth_state_id)
        await tx.insertInternal(internalTables.oauthStates, { ...row, provider: null })
      }
    })
    expect((await mine.get(back)).status).toBe(302)
  })
})

describe('the setting oauth_providers', () => {
  it('is masked, and only the file sets it', async () => {
    const ofFile = await testApp(settings, { file: settings })
    const { body, text } = await ofFile.call('GET', '/api/v1/config')
    expect(body.oauth_providers).toBe('********')
    expect(text).not.toContain(partnerSecret)
    const set = (oauth_providers: unknown) =>
      ofFile.call('PUT', '/api/v1/config', { body: { oauth_providers } })
    for (const value of [[], null, settings.oauth_providers]) {
      const answer = await set(value)
      expect([answer.status, answer.body.error]).toEqual([
        403,
        'oauth_providers: can be set only in the file',
      ])
    }
    expect((await set('********')).status).toBe(200)
    expect(JSON.stringify(await ofFile.audits())).not.toContain(partnerSecret)
    expect(JSON.stringify(logged)).not.toContain(partnerSecret)
  })

  it('is empty without a provider', async () => {
    const plain = await testApp({})
    expect((await plain.call('GET', '/api/v1/config')).body.oauth_providers).toBeNull()
    expect((await plain.call('GET', `${path}/providers`, { as: 'nobody' })).body).toEqual([])
  })

  it('is enough without the fields oauth_*', async () => {
    const only = await testApp({ oauth_providers: settings.oauth_providers })
    const call = (address: string) => only.call('GET', `${path}/${address}`, { as: 'nobody' })
    expect((await call('login/partner')).status).toBe(302)
    expect((await call('login')).body.error).toBe('OAuth is not configured')
    expect((await call('providers')).body).toHaveLength(1)
  })
})
