import { createHmac } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { connect, type DatabaseAddress } from '../../src/db/connect.js'
import type { Session } from '../../src/db/dialects/dialect.js'
import { migratedDatabase } from '../support/database.js'
import { type Product, startProduct } from '../support/process.js'
import { receiver } from '../support/receiver.js'

/** The database as whoever has a copy of it sees it. */
async function inDatabase<T>(address: DatabaseAddress, work: (session: Session) => Promise<T>): Promise<T> {
  const dialect = await connect(address)
  return dialect.transaction(work).finally(() => dialect.close())
}

const secrets = 'webhook_id, name, secret, previous_secret, date_modified'
const storedIn = (address: DatabaseAddress) =>
  inDatabase(address, session => session.all(`select ${secrets} from webhooks order by webhook_id`, []))

async function caller({ url, login }: Product) {
  const headers = { Cookie: await login(), 'Content-Type': 'application/json' }
  return async (path: string, body?: object): Promise<Record<string, string>> => {
    const answer = await fetch(`${url}/api/v1/admin/webhooks${path}`, {
      method: 'POST',
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    expect([path, answer.ok]).toEqual([path, true])
    return answer.json()
  }
}

const target = await receiver()
target.answer = (_, response) => response.writeHead(204).end()
const config = { webhook_allow_http: true, app_secret: 'an app_secret of this test', log_level: 'warn' }

/** More webhooks than one batch takes, whose secrets are as they were stored while there was no `app_secret`. */
async function withPlainSecrets(address: DatabaseAddress): Promise<void> {
  const product = await startProduct(address, { config })
  const call = await caller(product)
  for (let i = 0; i < 30; i++)
    await call('', { name: i === 0 ? 'long' : `${i}`, url: target.origin, events: ['*'] })
  await product.stop()
  await inDatabase(address, async session => {
    await session.run(
      `update webhooks set secret = 'the present secret', previous_secret = 'the secret before'`,
      [],
    )
    await session.run(`update webhooks set previous_secret_until = '2999-01-01T00:00:00.000Z'`, [])
    await session.run(`update webhooks set secret = '${'x'.repeat(500)}' where name = 'long'`, [])
  })
}

it('encrypts the webhook secrets that were stored plain, once, whichever instances start', async () => {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  await withPlainSecrets(address)
  const [one, two] = await Promise.all([startProduct(address, { config }), startProduct(address, { config })])
  const count =
    "select count(*) as n from webhooks where secret like 'sealed:%' and previous_secret like 'sealed:%'"
  const encryptedIn = async () => Number((await inDatabase(address, session => session.all(count, [])))[0]?.n)
  await expect.poll(encryptedIn, { timeout: 180_000, interval: 200 }).toBe(29)
  const stored = await storedIn(address)
  const encrypted = expect.stringMatching(/^sealed:eyJ/)
  expect(stored).toHaveLength(30)
  for (const { name, secret, previous_secret } of stored)
    expect([name, secret, previous_secret]).toEqual([
      name,
      name === 'long' ? 'x'.repeat(500) : encrypted,
      encrypted,
    ])
  await expect.poll(() => one.output() + two.output()).toContain('too long to be encrypted')

  const call = await caller(one)
  expect((await call(`/${stored[1]?.webhook_id}/test`)).status).toBe('success')
  const sent = target.received.at(-1)
  const signed = (secret: string) => createHmac('sha256', secret).update(String(sent?.body)).digest('hex')
  expect(sent?.headers).toMatchObject({
    'x-cms-signature': signed('the present secret'),
    'x-cms-signature-previous': signed('the secret before'),
  })

  await Promise.all([one.stop(), two.stop()])
  await (await startProduct(address, { config })).stop()
  expect(await storedIn(address)).toEqual(stored)
})
