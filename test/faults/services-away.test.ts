import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { afterAll, describe, expect, it } from 'vitest'
import { callerOf, statusOf } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { lineToPort } from '../support/line.js'
import { mailServer } from '../support/mail.js'
import { startProduct } from '../support/process.js'
import { samplePage } from '../support/sample-page.js'
import { testStorage } from '../support/storage.js'

/** So long a service is away that refuses, in milliseconds; one that is silent is for less. */
const [away, silentFor] = [amount(3_000, 60_000), amount(3_000, 10_000)]
/** A service has 5 s to be given up; the rest is for a machine that is busy. */
const patience = 60_000

const [storage, mail] = [await testStorage(), await mailServer()]

async function started(mailPort: number) {
  const { address, drop } = await migratedDatabase()
  afterAll(drop)
  const product = await startProduct(address, {
    until: afterAll,
    config: {
      ...storage.config,
      email_enabled: true,
      ...{ email_host: '127.0.0.1', email_port: mailPort, email_username: 'user', email_password: 'pass' },
      ...{ email_tls: false, email_from_address: 'cms@example.com' },
      password_reset_url: 'https://site.example/new-password',
    },
  })
  const cookie = await product.login()
  const call = await callerOf(product, cookie)
  await samplePage(call)
  return { product, cookie, call }
}

const picture = await sharp({ create: { width: 400, height: 300, channels: 3, background: 'teal' } })
  .png()
  .toBuffer()

describe('a service beside the database that is away', async () => {
  const line = await lineToPort(mail.port, { until: afterAll })
  const { product, cookie, call } = await started(line.port)
  const page = `${product.url}/?format=clean`

  const upload = async () => {
    const body = new FormData()
    body.append('file', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'picture.png')
    const answer = await fetch(`${product.url}/api/v1/media/upload`, {
      method: 'POST',
      headers: { Cookie: cookie },
      body,
      signal: AbortSignal.timeout(patience),
    })
    return [answer.status, answer.headers.has('retry-after')]
  }

  /** What has nothing to do with it, over and over until the time is over. */
  async function goesOn(milliseconds: number): Promise<void> {
    for (const until = performance.now() + milliseconds; performance.now() < until; await sleep(100)) {
      expect(await statusOf(page, patience)).toBe(200)
      expect((await call('GET', '/content')).status).toBe(200)
      expect((await call('POST', '/routes', { slug: `/${crypto.randomUUID()}`, title: 'New' })).status).toBe(
        201,
      )
    }
  }

  it.each([
    ['refuses connections', away, () => storage.cut()],
    ['takes everything and answers nothing', silentFor, () => storage.stall()],
  ])(
    'a storage that %s is a 503 for media, all else goes on, and it is used again',
    async (_, milliseconds, fail) => {
      expect(await upload()).toEqual([201, false])
      fail()
      const [refused] = await Promise.all([upload(), goesOn(milliseconds)])
      expect(refused).toEqual([503, true])
      expect(await upload()).toEqual([503, true])
      expect((await call('GET', '/media')).body).toHaveLength(1)
      storage.mend()
      await expect.poll(upload, { interval: 200 }).toEqual([201, false])
      for (const { media_id } of (await call('GET', '/media')).body)
        expect((await call('DELETE', `/media/?q=${media_id}`)).status).toBe(204)
    },
  )

  const mailTo = (address: string) => mail.messages.filter(message => message.includes(`To: ${address}`))
  const askFor = async (email: string) =>
    (await call('POST', '/auth/request-password-reset', { email })).status

  it.each([
    ['refuses connections', 'refused', away, () => line.cut()],
    ['takes everything and answers nothing', 'silent', silentFor, () => line.silence()],
  ])('a mail server that %s holds nobody up, and is used again', async (_, name, milliseconds, fail) => {
    const [before, during, after] = ['before', 'during', 'after'].map(when => `${when}-${name}@example.com`)
    for (const email of [before, during, after] as string[])
      expect((await call('POST', '/users', { name, email, password: 'correct horse 7' })).status).toBe(201)
    expect(await askFor(before ?? '')).toBe(200)
    await expect.poll(() => mailTo(before ?? '')).toHaveLength(1)
    fail()
    expect(await askFor(during ?? '')).toBe(200)
    await goesOn(milliseconds)
    expect(mailTo(during ?? '')).toEqual([])
    line.mend()
    expect(await askFor(after ?? '')).toBe(200)
    await expect.poll(() => mailTo(after ?? '')).toHaveLength(1)
    // What could not be sent is tried again after a minute.
    if (milliseconds > 10_000)
      await expect.poll(() => mailTo(during ?? ''), { timeout: 180_000 }).toHaveLength(1)
  })
})
