import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { engine, migratedDatabase } from '../support/database.js'
import { uploader } from '../support/media.js'
import { freePort, startProduct } from '../support/process.js'
import { missing, newClient, password, startedSite } from '../support/site.js'

/** Configuration, limits and answers in the words of the product document (1, 2.3, 2.4, 4.9, 6, 7), at the started product. */

const { product, admin, nobody, send, signIn, rows } = await startedSite({
  config: {
    environment: 'local-docker',
    cookie_secure: true,
    cookie_samesite: 'strict',
    max_upload_size: 1000,
    bucket_media: 'media',
    // Nobody listens there.
    bucket_endpoint: `http://127.0.0.1:${await freePort()}`,
    bucket_access_key: 'key',
    bucket_secret_key: 'secret of the storage',
    oauth_client_secret: 'secret of the client',
  },
})
const upload = uploader({ send })

/** A start of its own. */
async function other(config: Record<string, unknown>) {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  return startProduct(address, { config })
}
const refusal = (config: Record<string, unknown>) => other(config).then(() => 'it started', String)

describe('a start', () => {
  it('fails without the certificate directory: "Certificate Directory path is invalid"', async () => {
    const said = await refusal({ environment: 'production', cert_dir: '/nowhere' })
    expect(said).toContain('Certificate Directory path is invalid')
  })

  it('fails in an environment that there is not', async () => {
    expect(await refusal({ environment: 'nowhere' })).toContain('environment: must be local, development')
  })

  it('goes on when the media storage cannot be reached: uploads are answered with 503', async () => {
    expect((await upload('note.txt', 'text')).status).toBe(503)
    expect((await nobody('GET', '/health/live')).status).toBe(200)
  })

  it('without media storage refuses uploads: "S3 storage must be configured for media uploads"', async () => {
    const site = await other({})
    const form = new FormData()
    form.append('file', new Blob(['text']), 'note.txt')
    const headers = { Cookie: await site.login() }
    const answer = await fetch(`${site.url}/api/v1/media/upload`, { method: 'POST', headers, body: form })
    expect(await answer.json()).toMatchObject({ error: 'S3 storage must be configured for media uploads' })
  })

  it('in production has no registration by default and a cookie for HTTPS only', async () => {
    const call = await callerOf(await other({ environment: 'production', tls: 'off' }), '')
    const person = { email: 'ann@example.com', password }
    expect((await call('POST', '/auth/register', person)).status).toBe(403)
    const login = { email: 'admin@example.com', password: 'correct horse' }
    const { headers } = await call('POST', '/auth/login', login)
    expect(headers.get('set-cookie')).toMatch(/; Secure/)
  })

  it.runIf(engine === 'sqlite')(
    'without app_secret makes one and keeps it where only its user reads',
    async () => {
      const site = await other({ db_url: undefined })
      const file = join(site.folder, 'modula.db.secret')
      expect(existsSync(file) && statSync(file).mode & 0o777).toBe(0o600)
    },
  )
})

describe('the configuration', () => {
  it('says with cookie_secure and cookie_samesite how the cookie is', async () => {
    const { answer } = await signIn('admin@example.com', 'correct horse')
    expect(answer.headers.get('set-cookie')).toMatch(/; Secure; SameSite=Strict$/)
  })

  it('says with max_upload_size how large a file may be', async () => {
    expect((await upload('note.txt', 'x'.repeat(1001))).status).toBe(413)
  })

  it('is read without its secrets', async () => {
    const { status, body } = await admin('GET', '/config')
    expect(status).toBe(200)
    expect(JSON.stringify(body)).toContain('local-docker')
    expect(JSON.stringify(body)).not.toMatch(/secret of the (client|storage)/)
  })

  it('is changed by any subset, such as cookie_duration in hours, and kept', async () => {
    await made(admin('PUT', '/config', { cookie_name: 'other_cookie', cookie_duration: '12h' }))
    const { answer } = await signIn('admin@example.com', 'correct horse')
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=43200;')
    // The document does not say where: docs/decisions/079-configuration-by-api.md.
    const { body } = await admin('GET', '/config')
    expect(body).toMatchObject({ cookie_name: 'other_cookie', cookie_duration: '12h' })
    const saved = JSON.parse(readFileSync(join(product.folder, 'cms.config.json'), 'utf8'))
    expect(Object.keys(saved)).not.toContain('cookie_duration')
  })
})

describe('webhooks by default', () => {
  const webhook = (url: string, more: object = {}) =>
    admin('POST', '/admin/webhooks', { name: 'site', url, events: ['*'], ...more })

  it('have HTTPS addresses only, and none of this machine', async () => {
    expect((await webhook('http://receiver.example/')).status).toBe(400)
    expect((await webhook('https://127.0.0.1/')).status).toBe(400)
    expect((await webhook('https://receiver.example/')).status).toBe(201)
  })

  it('are not enabled: events are silently ignored', async () => {
    const { webhook_id } = await made(webhook('https://receiver.example/', { is_active: true }))
    const { datatype_id } = await rows.datatype('Page')
    const { route_id } = await rows.route('/page')
    await rows.entry(datatype_id, { route_id }, { status: 'published' })
    expect(await made(admin('GET', `/admin/webhooks/${webhook_id}/deliveries`))).toEqual([])
  })
})

describe('an error', () => {
  const refused = { error: expect.any(String) }

  it('is 400 for a body that is malformed', async () => {
    const headers = { 'Content-Type': 'application/json' }
    const answer = await send('POST', '/api/v1/routes', { as: 'admin', body: '{', headers })
    expect(answer).toMatchObject({ status: 400, body: refused })
  })

  it('is 401 for a wrong password', async () => {
    const person = { email: 'admin@example.com', password: 'wrong wrong wrong' }
    const answer = await nobody('POST', '/auth/login', person, newClient())
    expect(answer).toMatchObject({ status: 401, body: refused })
  })

  it('is 404 for a path or a record that there is not', async () => {
    for (const path of ['/nowhere', `/routes/?q=${missing}`])
      expect(await admin('GET', path)).toMatchObject({ status: 404, body: refused })
  })

  it('is 405 for a method that there is not', async () => {
    expect(await admin('PATCH', '/routes')).toMatchObject({ status: 405, body: refused })
  })

  it('is 409 for what is there already', async () => {
    await rows.route('/twice')
    const route = { slug: '/twice', title: 'Twice' }
    expect(await admin('POST', '/routes', route)).toMatchObject({ status: 409, body: refused })
  })
})
