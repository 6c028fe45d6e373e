import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { freshDatabase } from '../support/database.js'
import { freePort, type Product, startProduct } from '../support/process.js'

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

/** Values of the variables that configurations name. */
const variables = {
  SITE: 'www.example.com',
  MEDIA_SITE: 'media.example.com',
  APP_SECRET: 'secret of the service, from the environment',
  DB_PASSWORD: 'secret of the database',
  EMAIL_PASSWORD: 'secret of the mail server',
  STORAGE_SECRET: 'secret of the store',
  BUCKET_ACCESS_KEY: 'key of the store',
  BUCKET_SECRET_KEY: 'secret of the bucket',
}

const configurations = [
  ...readdirSync('deploy')
    .filter(name => name.startsWith('cms.config'))
    .map(name => `deploy/${name}`),
  ...readdirSync('.').filter(name => /^cms\.config.*\.example$/.test(name)),
]

/** The file as it is, but for where the machine of the test has its ports, its database and its store. */
async function startedWith(file: string): Promise<Product> {
  const { db_driver, db_url, db_name, db_username, db_password, metrics_port, ...given } = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  const { address, drop } = await freshDatabase()
  onTestFinished(drop)
  const port = await freePort()
  const host = String(given.port).startsWith('127.0.0.1') ? '127.0.0.1' : ''
  const config = {
    ...given,
    ...address,
    port: `${host}:${port}`,
    ...(metrics_port !== undefined && { metrics_port: await freePort() }),
    ...('bucket_endpoint' in given && { bucket_endpoint: `http://127.0.0.1:${await freePort()}` }),
    stop_delay_seconds: 0,
  }
  return startProduct(address, { port, config, env: variables })
}

it('finds configurations to try', () => expect(configurations.length).toBeGreaterThan(3))

it.each(configurations)(
  'with %s a stranger makes no account, sees no draft and gets no secret',
  async file => {
    const product = await startedWith(file)
    const call = await callerOf(product)
    const { datatype_id } = await made(call('POST', '/datatypes', { label: 'Note', type: 'content' }))
    await made(call('POST', '/fields', { parent_id: datatype_id, label: 'Text', field_type: 'text' }))
    for (const status of ['draft', 'published']) {
      const { route_id } = await made(
        call('POST', '/routes', { slug: `/${status}`, title: `A ${status} page` }),
      )
      await made(
        call('POST', '/content', {
          datatype_id,
          route_id,
          status,
          fields: { text: `words of the ${status}` },
        }),
      )
    }
    const asked = async (path: string, body?: object) => {
      const answer = body ? await post(`${product.url}${path}`, body) : await fetch(`${product.url}${path}`)
      return { path, status: answer.status, text: await answer.text() }
    }
    const shown = await asked('/published?format=raw')
    expect(shown).toMatchObject({ status: 200, text: expect.stringContaining('words of the published') })
    const refused = [
      await asked('/api/v1/auth/register', stranger),
      ...(await Promise.all(
        [
          'content',
          'content-fields',
          'routes',
          'users',
          'tokens',
          'config',
          'admin/webhooks',
          'page/published',
        ].map(name => asked(`/api/v1/${name}`)),
      )),
    ]
    for (const { path, status } of refused) expect([path, status]).toEqual([path, 403])
    const draft = await asked('/draft')
    expect(draft.status).toBe(404)
    const open = await Promise.all(
      [
        '/',
        '/sitemap.xml',
        '/api/v1/health',
        '/api/v1/routes/published',
        '/api/v1/search?q=words',
        '/api/v1/query/note',
        '/compat/strapi/api/notes',
        '/compat/wordpress/wp-json/wp/v2/notes',
      ].map(path => asked(path)),
    )
    const secrets = Object.entries(variables).filter(([name]) => !name.endsWith('SITE'))
    for (const { path, text } of [shown, ...refused, draft, ...open]) {
      expect([path, text]).toEqual([path, expect.not.stringContaining('words of the draft')])
      for (const [, secret] of secrets)
        expect([path, text]).toEqual([path, expect.not.stringContaining(secret)])
    }
  },
)

describe('in production, unless the configuration says otherwise', () => {
  it('nobody registers, and the cookie is for HTTPS alone', async () => {
    const product = await started(production)
    const refused = await register(product)
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { error: 'registration is closed: ask an administrator for an account', code: 'forbidden' },
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
