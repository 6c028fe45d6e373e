import { expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { loadSampleSite } from '../../src/sample-site.js'
import { testApp } from '../support/app.js'

const { call, db, services, users, audits } = await testApp()
const actor = {
  userId: users.admin,
  surface: 'cli',
  requestId: '',
  ipAddress: '',
  userAgent: 'quickstart',
} as const

it('loads a site that looks like something, once', async () => {
  expect(await loadSampleSite(services.space, actor)).toBe(true)
  const page = async (path: string) => (await call('GET', `${path}?format=clean`, { as: 'nobody' })).body
  const home = await page('/')
  expect(home).toMatchObject({ type: 'page', title: 'Freilauf – the bicycle workshop', slug: '/' })
  expect(home.children.map(({ type }: { type: string }) => type)).toEqual(['hero', 'section'])
  expect(home.children[0]).toMatchObject({ headline: 'Ride on, dear bicycle 🚲', mood: 'bright' })
  expect(home.children[1].children).toEqual([
    expect.objectContaining({ type: 'card', price: '39', popular: 'true' }),
    expect.objectContaining({ type: 'card', price: '119.5', popular: 'false' }),
    expect.objectContaining({ type: 'card', price: '25', popular: 'true' }),
  ])
  for (const slug of ['/about', '/blog', '/blog/winter-chain', '/blog/silent-brakes'])
    expect(await page(slug)).toMatchObject({ slug, type: expect.any(String) })
  const globals = await call('GET', '/api/v1/globals?format=clean&status=published', { as: 'viewer' })
  expect(globals.body).toMatchObject([
    { type: 'navigation', children: [{ path: '/' }, { path: '/about' }, { path: '/blog' }] },
  ])

  const before = (await audits()).length
  expect(await loadSampleSite(services.space, actor)).toBe(false)
  expect((await audits()).length).toBe(before)
  expect(await db.count(tables.routes)).toBe(5)
})
