import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { freshDatabase } from '../support/database.js'
import { type Product, startProduct } from '../support/process.js'

const production = { environment: 'production', tls: 'off' }

async function started(config: Record<string, unknown>): Promise<Product> {
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  return startProduct(address, { config })
}

const post = (url: string, body: object) =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

const stranger = { email: 'stranger@example.com', password: 'a stranger is here' }
const register = ({ url }: Product) => post(`${url}/api/v1/auth/register`, stranger)

const cookieOf = (answer: Response) => answer.headers.get('set-cookie')?.split(';')[0] ?? ''

it('the example configuration starts as it is', async () => {
  const { port: _, db_url: __, ...example } = JSON.parse(readFileSync('cms.config.json.example', 'utf8'))
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  const product = await startProduct(address, { config: { ...example, ...address } })
  expect((await (await callerOf(product))('GET', '/config')).body).toMatchObject({ output_format: 'clean' })
})

describe('in production, unless the configuration says otherwise', () => {
  it('nobody registers, and the cookie is for HTTPS alone', async () => {
    const product = await started(production)
    const refused = await register(product)
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { error: 'registration is closed here: an administrator makes accounts', code: 'forbidden' },
    ])
    const answer = await post(`${product.url}/api/v1/auth/login`, {
      email: 'admin@example.com',
      password: 'correct horse',
    })
    expect(answer.headers.get('set-cookie')).toMatch(/; Secure/)
    const call = await callerOf(product, cookieOf(answer))
    expect((await call('GET', '/users')).body).toHaveLength(1)
    expect((await call('GET', '/config')).body).toMatchObject({
      registration_enabled: false,
      cookie_secure: true,
    })
    expect((await call('GET', '/config/meta')).body).toContainEqual(
      expect.objectContaining({ name: 'registration_enabled', default: false }),
    )

    // It opens without a restart.
    await made(call('PUT', '/config', { registration_enabled: true }))
    expect((await register(product)).status).toBe(201)
  })

  it('elsewhere they do', async () => {
    const product = await started({ environment: 'development', tls: 'off' })
    expect((await register(product)).status).toBe(201)
    const closed = await started({ registration_enabled: false })
    expect((await register(closed)).status).toBe(403)
  })
})
