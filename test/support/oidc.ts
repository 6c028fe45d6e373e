import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
// The package has no types of its own.
// @ts-expect-error
import Provider from 'oidc-provider'
import { whenDone } from './when-done.js'

interface Person {
  email?: string
  email_verified?: boolean
  name?: string
  [claim: string]: unknown
}

export interface OidcProvider {
  origin: string
  /** The claims of each person, by subject. */
  people: Record<string, Person>
  /** Requests to the token endpoint, by grant type. */
  grants: string[]
  /** Replaces the response of the token endpoint. */
  broken:
    | ((url: string) => { status: number; body: string; headers?: Record<string, string> } | undefined)
    | undefined
  /** Replaces the ID token of the token endpoint. */
  forge: ((idToken: string) => Promise<string>) | undefined
  /** Paths of all requests. */
  requests: string[]
  /**
   * Passes the provider's login and consent pages as this person. @returns the address that the browser is sent back to
   */
  signIn(authorizationUrl: string, subject: string): Promise<string>
}

export const clientId = 'slugline'
export const clientSecret = 'a secret of the client'

/** Starts a real, certified OpenID provider on loopback. */
export async function oidcProvider(
  redirectUri: string,
  { tokenLife = 3600, secret = clientSecret } = {},
): Promise<OidcProvider> {
  let listener: (request: never, response: never) => void = () => undefined
  const grants: string[] = []
  const requests: string[] = []
  const state: Pick<OidcProvider, 'broken' | 'forge'> = { broken: undefined, forge: undefined }
  const server: Server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const answer = state.broken?.(request.url ?? '')
    if (answer) response.writeHead(answer.status, answer.headers).end(answer.body)
    else listener(request as never, response as never)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people: Record<string, Person> = {}
  const provider = new Provider(origin, {
    clients: [
      {
        client_id: clientId,
        client_secret: secret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
    issueRefreshToken: () => true,
    ttl: {
      AccessToken: tokenLife,
      AuthorizationCode: 60,
      IdToken: 3600,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 86_400,
      Interaction: 3600,
    },
    cookies: { keys: ['of the test'] },
  })
  provider.on('grant.success', (ctx: { oidc: { params: { grant_type: string } } }) => {
    grants.push(ctx.oidc.params.grant_type)
  })
  provider.use(async (ctx: { body: { id_token?: string } }, next: () => Promise<void>) => {
    await next()
    const idToken = ctx.body?.id_token
    if (idToken && state.forge) ctx.body = { ...ctx.body, id_token: await state.forge(idToken) }
  })
  listener = provider.callback()
  whenDone(() => {
    server.closeAllConnections()
    server.close()
  })

  async function signIn(authorizationUrl: string, subject: string): Promise<string> {
    const cookies = new Map<string, string>()
    let next = authorizationUrl
    let form: URLSearchParams | undefined
    for (let steps = 0; steps < 15; steps++) {
      const answer = await fetch(next, {
        method: form ? 'POST' : 'GET',
        ...(form ? { body: form } : {}),
        redirect: 'manual',
        headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      })
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        if (value) cookies.set(name, value)
        else cookies.delete(name)
      }
      form = undefined
      const location = answer.headers.get('location')
      if (location) {
        next = new URL(location, next).href
        if (next.startsWith(redirectUri)) return next
        continue
      }
      const page = await answer.text()
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
      if (!prompt) throw new Error(`the provider shows ${answer.status} ${page.slice(0, 300)}`)
      form = new URLSearchParams(prompt === 'login' ? { prompt, login: subject, password: 'x' } : { prompt })
      next = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? next, next).href
    }
    throw new Error('the provider goes round in circles')
  }

  return Object.assign(state, { origin, people, grants, requests, signIn })
}
