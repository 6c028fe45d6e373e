import { afterAll, expect, it, onTestFinished } from 'vitest'
import type { DatabaseAddress } from '../../src/db/connect.js'
import { freshDatabase, migratedDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { type Product, startProduct } from '../support/process.js'
import { rowsOf } from './rows.js'

const startBoth = (address: DatabaseAddress) => Promise.all([startProduct(address), startProduct(address)])

/** Calls any of the instances with the one session of `product`. */
async function caller(product: Product) {
  const cookie = await product.login()
  return async (to: Product, method: string, path: string, body?: object) => {
    const answer = await fetch(`${to.url}/api/v1${path}`, {
      method,
      headers: { Cookie: cookie, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect([path, answer.ok]).toEqual([path, true])
    return answer.json() as Promise<Record<string, string>>
  }
}
type Api = Awaited<ReturnType<typeof caller>>

/** The public page, or its status where there is none. */
async function page({ url }: Product): Promise<unknown> {
  const answer = await fetch(`${url}/?format=clean`)
  return answer.ok ? answer.json() : answer.status
}

/** Asks for the page until it is as expected. `bench/instances.mjs` measures how long that takes. */
const expectSoon = (product: Product, expected: unknown) =>
  expect.poll(() => page(product), { timeout: 180_000, interval: 20 }).toEqual(expected)

const home = (head: string, type = 'page') => ({ type, title: 'Home', slug: '/', head, children: [] })

async function makeHome(api: Api, one: Product, two: Product) {
  const { datatype_id } = await api(one, 'POST', '/datatypes', { label: 'Page', type: 'content' })
  await api(two, 'POST', '/fields', { label: 'Head', field_type: 'text', parent_id: datatype_id })
  const { route_id } = await api(one, 'POST', '/routes', { slug: '/', title: 'Home' })
  const fields = { head: 'first' }
  const entry = { datatype_id, route_id, status: 'published', fields }
  const { content_data_id } = await api(one, 'POST', '/content', entry)
  return { datatype_id, content_data_id }
}

it('lets two instances that start together make one database', async () => {
  for (let round = 0; round < amount(2, 3); round++) {
    const { address, drop } = await freshDatabase()
    onTestFinished(drop)
    const [one, two] = await startBoth(address)
    const count = async (from: string) =>
      Number((await rowsOf<{ n: unknown }>(address, `select count(*) as n from ${from}`))[0]?.n)
    expect(await count('roles')).toBe(3)
    expect(await count('permissions')).toBe(72)
    expect(await count("audit_events where table_name = 'permissions'")).toBe(72)
    expect(
      await rowsOf(address, 'select u.email, r.label from users u join roles r on r.role_id = u.role'),
    ).toEqual([{ email: 'admin@example.com', label: 'admin' }])
    expect(await Promise.all([one.stop(), two.stop()])).toEqual([0, 0])
  }
})

const { address, drop } = await migratedDatabase()
afterAll(drop)
const [one, two] = await startBoth(address)
const api = await caller(one)
const adminCookie = await one.login()

it('shows what one instance changed on the other', async () => {
  for (const product of [one, two]) expect(await page(product)).toBe(404)
  const { datatype_id, content_data_id } = await makeHome(api, one, two)
  await expectSoon(two, home('first'))
  for (const [by, other, head] of [
    [one, two, 'second'],
    [two, one, 'third'],
    [one, two, 'fourth'],
  ] as const) {
    await api(by, 'PUT', `/content/?q=${content_data_id}`, { fields: { head } })
    expect(await page(by)).toEqual(home(head))
    await expectSoon(other, home(head))
  }
  await api(two, 'PUT', `/datatypes/?q=${datatype_id}`, { name: 'sheet' })
  await expectSoon(one, home('fourth', 'sheet'))
})

it('shows a change that came just after an instance had started and shown the page', async () => {
  const [root] = (await api(one, 'GET', '/content')) as unknown as Record<string, string>[]
  const three = await startProduct(address)
  expect(await page(three)).toEqual(home('fourth', 'sheet'))
  await api(one, 'PUT', `/content/?q=${root?.content_data_id}`, { fields: { head: 'fifth' } })
  await expectSoon(three, home('fifth', 'sheet'))
})

it('lets a role do at once on the other instance what it was given, and no more what was taken', async () => {
  const roles = (await api(one, 'GET', '/roles')) as unknown as Record<string, string>[]
  const viewer = roles.find(({ label }) => label === 'viewer')?.role_id
  const permissions = (await api(one, 'GET', '/permissions')) as unknown as Record<string, string>[]
  const permission_id = permissions.find(({ label }) => label === 'users:read')?.permission_id
  await api(one, 'POST', '/users', {
    username: 'reader',
    name: 'Reader',
    email: 'reader@example.com',
    password: 'a long word of theirs',
    role: 'viewer',
  })
  const signedIn = await fetch(`${two.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'reader@example.com', password: 'a long word of theirs' }),
  })
  const Cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const statusAt = async ({ url }: Product) =>
    (await fetch(`${url}/api/v1/users`, { headers: { Cookie } })).status
  expect([await statusAt(one), await statusAt(two)]).toEqual([403, 403])
  for (let round = 0; round < 5; round++) {
    const body = { role_id: viewer, permission_id }
    const { role_permission_id } = await api(one, 'POST', '/role-permissions', body)
    expect([await statusAt(two), await statusAt(one)]).toEqual([200, 200])
    await fetch(`${one.url}/api/v1/role-permissions/?q=${role_permission_id}`, {
      method: 'DELETE',
      headers: { Cookie: adminCookie },
    })
    expect([await statusAt(two), await statusAt(one)]).toEqual([403, 403])
  }
})

it('ends at once on the other instance what an account, a session and a key may no more', async () => {
  const roles = (await api(one, 'GET', '/roles')) as unknown as Record<string, string>[]
  const [viewer, admin] = ['viewer', 'admin'].map(name => roles.find(({ label }) => label === name)?.role_id)
  const member = { username: 'member', name: 'Member', email: 'member@example.com', role: viewer }
  const { user_id } = await api(one, 'POST', '/users', { ...member, password: 'a long word of theirs' })
  const signIn = async (at: Product) => {
    const answer = await fetch(`${at.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'member@example.com', password: 'a long word of theirs' }),
    })
    return { Cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' }
  }
  /** What the instances answer: the other one first, which has not made the change. */
  const answers = (headers: Record<string, string>) =>
    Promise.all(
      [two, one].map(async ({ url }) => {
        const answer = await fetch(`${url}/api/v1/roles`, { headers })
        return answer.ok ? 'allowed' : ((await answer.json()) as { code: string }).code
      }),
    )
  const remove = async (path: string) => {
    const headers = { Cookie: adminCookie }
    const { ok } = await fetch(`${one.url}/api/v1${path}`, { method: 'DELETE', headers })
    expect([path, ok]).toEqual([path, true])
  }
  const both = (answer: string) => [answer, answer]
  // More rounds would be more tries to sign in than are allowed.
  for (let round = 0; round < 2; round++) {
    const session = await signIn(two)
    expect(await answers(session)).toEqual(both('missing_permission'))
    const { token, token_id } = await api(one, 'POST', '/tokens', { token_type: 'api_key', user_id })
    const key = { Authorization: `Bearer ${token}` }
    expect(await answers(key)).toEqual(both('missing_permission'))
    // Another role ends the sessions, while keys have its rights.
    await api(one, 'PUT', `/users/?q=${user_id}`, { role: admin })
    expect([await answers(session), await answers(key)]).toEqual([both('session_expired'), both('allowed')])
    await api(one, 'PUT', `/users/?q=${user_id}`, { role: viewer })
    expect(await answers(key)).toEqual(both('missing_permission'))
    await remove(`/tokens/?q=${token_id}`)
    expect(await answers(key)).toEqual(both('unauthenticated'))

    const again = await signIn(two)
    expect(await answers(again)).toEqual(both('missing_permission'))
    const sessions = (await api(one, 'GET', '/sessions')) as unknown as Record<string, string>[]
    const { session_id } = sessions.find(found => found.user_id === user_id) ?? {}
    await remove(`/sessions/?q=${session_id}`)
    expect(await answers(again)).toEqual(both('session_expired'))
  }
})

it('makes one record of a request that comes to both many times with one Idempotency-Key', async () => {
  const cookie = await one.login()
  const send = (to: Product, slug: string) =>
    fetch(`${to.url}/api/v1/routes`, {
      method: 'POST',
      headers: { Cookie: cookie, 'Content-Type': 'application/json', 'Idempotency-Key': slug },
      body: JSON.stringify({ slug, title: 'Once' }),
    })
  for (let round = 0; round < 5; round++) {
    const slug = `/once-${round}`
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => send(i % 2 ? two : one, slug)))
    for (const { status } of answers) expect([201, 409]).toContain(status)
    const again = await send(one, slug)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    const text = await again.text()
    for (const answer of answers) if (answer.status === 201) expect(await answer.text()).toBe(text)
    expect(await rowsOf(address, `select title from routes where slug = '${slug}'`)).toEqual([
      { title: 'Once' },
    ])
  }
})
