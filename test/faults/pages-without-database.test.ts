import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { engine } from '../support/database.js'
import { siteBalancer } from '../support/haproxy.js'
import { ownPostgres } from '../support/own-postgres.js'
import { startProduct } from '../support/process.js'
import { programPath } from '../support/programs.js'

it('pages go on behind the balancer while the database is away, and everything after it', async ({
  skip,
}) => {
  if (engine !== 'postgres') return skip('of one engine')
  if (!programPath('haproxy') && process.env.TEST_ALL === undefined) return skip('haproxy is not installed')
  const database = await ownPostgres()
  if (!database) return skip('PostgreSQL is not installed')
  onTestFinished(() => database.remove())
  const one = await startProduct(database.address)
  const two = await startProduct(database.address)
  const Cookie = await one.login()
  const post = async (to: string, path: string, body: object) => {
    const headers = { Cookie, 'Content-Type': 'application/json' }
    const answer = await fetch(`${to}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: answer.status, body: (await answer.json()) as Record<string, string> }
  }
  const { datatype_id } = (await post(one.url, '/datatypes', { label: 'Page', type: 'content' })).body
  const { route_id } = (await post(one.url, '/routes', { slug: '/', title: 'Home' })).body
  expect((await post(one.url, '/content', { datatype_id, route_id, status: 'published' })).status).toBe(201)
  const site = await siteBalancer([one.port, two.port])
  await expect.poll(async () => (await post(site, '/routes', { slug: 'x' })).status).toBe(400)
  // Longer than the instances take to notice each other's last change.
  await sleep(1500)
  // The other one does not have it in memory: the balancer asks on.
  for (const { url } of [one, one]) expect((await fetch(`${url}/`)).status).toBe(200)

  database.crash()
  const api = () => fetch(`${site}/api/v1/routes`, { headers: { Cookie } })
  await expect.poll(async () => (await api()).status, { timeout: 180_000 }).toBe(503)
  await expect
    .poll(async () => (await api()).headers.get('content-type'), { timeout: 180_000 })
    .toBe('application/json')
  for (let i = 0; i < 40; i++) {
    const page = await fetch(`${site}/`)
    expect([i, page.status]).toEqual([i, 200])
    expect(page.headers.get('cache-control')).toContain('stale-if-error=86400')
    await sleep(50)
  }
  for (const { url } of [one, two]) {
    expect((await fetch(`${url}/api/v1/health/pages`)).status).toBe(200)
    expect((await fetch(`${url}/api/v1/health/ready`)).status).toBe(503)
  }

  database.restart()
  const made = async () => (await post(site, '/routes', { slug: '/after', title: 'After' })).status
  await expect.poll(made, { timeout: 180_000, interval: 200 }).toBe(201)
  expect((await fetch(`${site}/`)).status).toBe(200)
})
