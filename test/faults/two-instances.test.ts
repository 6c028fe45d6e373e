import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { freshDatabase } from '../support/database.js'
import { type Product, startProduct } from '../support/process.js'

/** Asks until the answer fits. @returns how long that took, in milliseconds */
async function until(fits: () => Promise<boolean>): Promise<number> {
  const from = performance.now()
  while (!(await fits())) {
    if (performance.now() - from > 5000) throw new Error('it did not come')
    await sleep(20)
  }
  return performance.now() - from
}

it('lets two instances start together on an empty database and see each other’s changes', async () => {
  const { address, drop } = await freshDatabase()
  const [one, two] = (await Promise.all([startProduct(address), startProduct(address)])) as [Product, Product]
  const cookie = await one.login()
  const api = async (product: Product, method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${product.url}/api/v1${path}`, {
      method,
      headers: { Cookie: cookie, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    expect([path, answer.ok]).toEqual([path, true])
    return answer.json() as Promise<Record<string, string>>
  }
  const me = await api(two, 'GET', '/auth/me')
  expect(me).toMatchObject({ email: 'admin@example.com', role_label: 'admin' })
  const types = await fetch(`${two.url}/api/v1/field-types`, { headers: { Cookie: cookie } })
  expect(types.headers.get('x-total-count')).toBe('14')

  const datatype = await api(one, 'POST', '/datatypes', { label: 'Page', type: 'content' })
  await api(two, 'POST', '/fields', { label: 'Head', field_type: 'text', parent_id: datatype.datatype_id })
  const route = await api(one, 'POST', '/routes', { slug: '/', title: 'Home' })
  const entry = await api(two, 'POST', '/content', {
    datatype_id: datatype.datatype_id,
    route_id: route.route_id,
    status: 'published',
    fields: { head: 'first' },
  })
  const head = async (product: Product) => {
    const answer = await fetch(`${product.url}/?format=clean`)
    return answer.ok ? ((await answer.json()) as { head: string }).head : undefined
  }
  for (const product of [one, two]) expect(await head(product)).toBe('first')
  for (const value of ['second', 'third', 'fourth']) {
    await api(one, 'PUT', `/content?q=${entry.content_data_id}`, { fields: { head: value } })
    expect(await head(one)).toBe(value)
    expect(await until(async () => (await head(two)) === value)).toBeLessThan(1000)
  }
  await api(two, 'PUT', `/datatypes?q=${datatype.datatype_id}`, { name: 'sheet' })
  const type = async () => ((await (await fetch(`${one.url}/?format=clean`)).json()) as { type: string }).type
  expect(await until(async () => (await type()) === 'sheet')).toBeLessThan(1000)
  expect([await one.stop(), await two.stop()]).toEqual([0, 0])
  await drop()
})
