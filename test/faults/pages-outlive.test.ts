import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { engine, migratedDatabase } from '../support/database.js'
import { lineTo } from '../support/line.js'
import { startProduct } from '../support/process.js'

/** Status and `Age` of a public page. */
async function pageAt(url: string, slug: string) {
  const answer = await fetch(`${url}${slug}?format=clean`)
  await answer.arrayBuffer()
  return { status: answer.status, age: answer.headers.get('age') }
}

/** After this time each instance has noticed what another has changed, in milliseconds. */
const noticedMs = 1500

/** Two instances on one database, the second by a line that can be cut. */
async function twoInstances() {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const there = await lineTo(address)
  const [one, two] = await Promise.all([startProduct(address), startProduct(there.address)])
  const Cookie = await one.login()
  const call = await callerOf(one, Cookie)
  const { datatype_id } = await made(call('POST', '/datatypes', { label: 'Page', type: 'content' }))
  const page = async (slug: string): Promise<string> => {
    const body = { slug, title: slug, datatype_id, status: 'published' }
    return (await made(call('POST', '/pages', body))).entry.content_data_id
  }
  return { one, two, there, call, page }
}

describe.skipIf(engine === 'sqlite')('pages without a database', () => {
  it('are those that are known not to have been taken back', async () => {
    const { one, two, there, call, page } = await twoInstances()
    await page('/kept')
    const gone = await page('/gone')
    await page('/unread')
    // What is read before a change is noticed is read again after it.
    await sleep(noticedMs)
    for (const slug of ['/kept', '/gone'])
      for (const { url } of [one, two])
        expect([slug, await pageAt(url, slug)]).toEqual([slug, { status: 200, age: null }])
    const { token } = await made(call('POST', '/tokens', { label: 'x', token_type: 'api_key' }))
    const byKey = () =>
      fetch(`${two.url}/api/v1/page/kept`, { headers: { Authorization: `Bearer ${token}` } })
    expect((await byKey()).status).toBe(200)
    await made(call('POST', '/content/unpublish', { content_data_id: gone }))
    // The other instance is not asked for it again.
    await sleep(noticedMs)

    const signIn = ({ url }: { url: string }) =>
      fetch(`${url}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: 'nobody@example.com', password: 'a wrong password' }),
      }).then(({ status }) => status)
    // One has passed already, with the right password.
    const tries = await Promise.all(Array.from({ length: 30 }, (_, i) => signIn(i % 2 ? one : two)))
    expect(tries.toSorted()).toEqual([...Array(9).fill(401), ...Array(21).fill(429)])

    there.silence()
    // Many at once, of which none knows yet.
    const many = await Promise.all(Array.from({ length: 40 }, () => pageAt(two.url, '/kept')))
    expect(many.map(({ status }) => status)).toEqual(Array(40).fill(200))
    await expect
      .poll(() => pageAt(two.url, '/kept'), { interval: 50 })
      .toEqual({
        status: 200,
        age: expect.stringMatching(/^\d+$/),
      })
    there.cut()
    await expect.poll(async () => (await pageAt(two.url, '/unread')).status).toBe(503)
    expect((await pageAt(two.url, '/gone')).status).toBe(503)
    expect((await pageAt(two.url, '/kept')).status).toBe(200)
    expect((await byKey()).status).toBe(503)
    expect([429, 503]).toContain(await signIn(two))
    expect((await fetch(`${two.url}/api/v1/health/ready`)).status).toBe(503)
    // The other one has its database.
    expect(await pageAt(one.url, '/kept')).toEqual({ status: 200, age: null })
    expect((await pageAt(one.url, '/gone')).status).toBe(404)

    there.mend()
    await expect.poll(() => pageAt(two.url, '/kept')).toEqual({ status: 200, age: null })
    expect((await pageAt(two.url, '/gone')).status).toBe(404)
    expect((await pageAt(two.url, '/unread')).status).toBe(200)
  })
})
