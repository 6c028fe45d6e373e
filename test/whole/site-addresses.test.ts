import { expect, it } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'

const { address } = await migratedDatabase()

it('leads from old addresses to pages, and lists these, as seen from outside', async () => {
  const product = await startProduct(address, { config: { client_site: 'https://site.example' } })
  const call = await callerOf(product)
  const { datatype_id } = await made(call('POST', '/datatypes', { label: 'Page', type: 'content' }))
  const page = { slug: '/old', title: 'A', datatype_id, status: 'published' }
  const { route } = await made(call('POST', '/pages', page))
  await made(call('PUT', `/routes?q=${route.route_id}`, { slug: '/neu/ä' }))

  const get = (path: string, redirect: 'manual' | 'follow' = 'manual', method = 'GET') =>
    fetch(product.url + path, { redirect, method })
  for (const method of ['GET', 'HEAD']) {
    const moved = await get('/old?format=clean', 'manual', method)
    expect([moved.status, moved.headers.get('location'), await moved.text()]).toEqual([
      308,
      '/neu/%C3%A4?format=clean',
      '',
    ])
  }
  const followed = await get('/old?format=clean', 'follow')
  expect([followed.status, await followed.json()]).toEqual([200, expect.objectContaining({ slug: '/neu/ä' })])
  const own = await fetch(`${product.url}/api/v1/page/old?format=clean`, {
    headers: { Cookie: await product.login() },
  })
  expect([own.status, own.redirected, (await own.json()).slug]).toEqual([200, true, '/neu/ä'])

  const sitemap = await get('/sitemap.xml')
  expect(await sitemap.text()).toContain('<loc>https://site.example/neu/%C3%A4</loc>')
  const again = await fetch(`${product.url}/sitemap.xml`, {
    headers: { 'If-None-Match': sitemap.headers.get('etag') ?? '' },
  })
  expect(again.status).toBe(304)
  const listed = await (await get('/api/v1/routes/published')).json()
  expect(listed.data).toMatchObject([{ type: 'page', slug: '/neu/ä', title: 'A' }])
  expect(await (await get('/robots.txt')).text()).toBe('User-agent: *\nDisallow: /\n')
  expect(await product.stop()).toBe(0)
})
