import type { TestApp } from './app.js'
import { type Answered, callerOf } from './calls.js'
import { migratedDatabase } from './database.js'
import { factories } from './factories.js'
import { type Start, startProduct } from './process.js'
import { whenDone } from './when-done.js'

export const password = 'wonderful weather today'
/** An id without a record. */
export const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
export const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
export const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

let clients = 0
/** Returns the headers of a new client address: the limit is ten sign-ins a minute from each. */
export const newClient = () => {
  clients += 1
  return { 'X-Forwarded-For': `198.18.${(clients >> 8) & 255}.${clients & 255}` }
}

/** Returns the first cookie of a response, as a browser sends it back. */
const cookieOf = ({ headers }: Answered) => headers.getSetCookie()[0]?.split(';')[0] ?? ''

/**
 * Starts one product for all tests of a file, on a database of its own; it trusts the client address in the request.
 */
export async function startedSite({ config, ...start }: Omit<Start, 'until'> = {}) {
  const { address, drop } = await migratedDatabase()
  whenDone(drop)
  const product = await startProduct(address, {
    ...start,
    config: { trusted_proxies: ['127.0.0.1'], ...config },
  })
  const own = await product.login()
  const nobody = await callerOf(product, '')

  /** Sends a raw body to any path; redirects are not followed. */
  const send = async (
    method: string,
    path: string,
    { as = 'nobody', body, headers = {} }: Partial<Parameters<TestApp['send']>[2]> = {},
  ) => {
    const answer = await fetch(`${product.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(as === 'admin' ? { Cookie: own } : {}), ...headers },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(120_000),
    })
    const text = await answer.text()
    const parsed = /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : undefined
    return { status: answer.status, headers: answer.headers, body: parsed, text }
  }

  const signIn = async (email: string, secret = password) => {
    const answer = await nobody('POST', '/auth/login', { email, password: secret }, newClient())
    const cookie = cookieOf(answer)
    return { answer, cookie, call: await callerOf(product, cookie) }
  }

  const admin = await callerOf(product, own)
  let accounts = 0
  /** Creates a signed-in user with this role. */
  const account = async (role: string) => {
    const username = `user-${++accounts}`
    const email = `${username}@example.com`
    const user = (await admin('POST', '/users', { username, name: username, email, password, role })).body
    const { cookie, call } = await signIn(email)
    return { user_id: user.user_id as string, email, cookie, call }
  }

  const rows = factories({
    call: (method, path, { body } = {}) =>
      send(method, path, {
        as: 'admin',
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json' },
      }),
  })
  return { product, address, admin, nobody, send, signIn, account, rows }
}
