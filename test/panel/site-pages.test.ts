import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { listen } from '../../src/node/http-listener.js'
import { testApp } from '../support/app.js'
import { scratchFolder } from '../support/backups.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp({ backup_dir: scratchFolder() })
const { call, db, services } = app
const { route } = factories(app)
const { post, seen } = panelForms(app)

/** What a descriptor of this process is open on. */
function linkOf(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return undefined
  }
}

describe('redirects', () => {
  it('are made to a page, follow it, and are changed to lead elsewhere', async () => {
    const { route_id } = await route('/new')
    const form = { slug: '/old', target: '/new', status: '301' }
    const { location } = await post('/admin/redirects/new', form)
    const id = /\w{26}/.exec(location)?.[0] ?? ''
    expect(await services.redirects.get(id)).toMatchObject({ route_id, target: null, status: 301 })
    await call('PUT', `/api/v1/routes?q=${route_id}`, { body: { slug: '/newer' } })
    const list = await call('GET', '/admin/redirects')
    expect(list.text).toContain('<code>/old</code>')
    expect(list.text).toContain('<code>/newer</code>')
    const path = `/admin/redirects/${id}`
    expect((await call('GET', path)).text).toContain('the page that is now at /newer')
    const kept = await post(path, { slug: '/older', target: '', status: '308', seen: await seen(path) })
    expect(kept.status).toBe(303)
    expect(await services.redirects.get(id)).toMatchObject({ slug: '/older', route_id, status: 308 })
    const mark = await seen(path)
    const away = { slug: '/older', target: 'https://example.com/', status: '308' }
    expect((await post(path, { ...away, seen: mark })).status).toBe(303)
    expect(await services.redirects.get(id)).toMatchObject({ target: 'https://example.com/', route_id: null })
    expect((await post(path, { ...away, slug: '/late', seen: mark })).status).toBe(412)
    expect((await post(`${path}/delete`, {})).location).toBe('/admin/redirects?saved')
  })

  it('are refused in the words of the service, beside the field', async () => {
    const nowhere = await post('/admin/redirects/new', { slug: '/x', target: '', status: '308' })
    expect(nowhere.status).toBe(400)
    expect(nowhere.text).toMatch(/id="e-target"[^>]*>.*give either target or route_id/s)
    const circle = await post('/admin/redirects/new', { slug: '/x', target: '/x', status: '308' })
    expect(circle.text).toMatch(/id="e-target"[^>]*>.*leads back to the slug itself/s)
    expect(await services.redirects.count({ slug: '/x' })).toBe(0)
    const viewer = await post('/admin/redirects/new', { slug: '/x', target: '/y' }, { as: 'viewer' })
    expect([viewer.status, viewer.text.includes('<code>routes:create</code>')]).toEqual([403, true])
  })
})

describe('backups', () => {
  it('are made at once, and listed with how they went', async () => {
    expect((await call('GET', '/admin/backups')).text).toContain('No backups yet')
    expect((await post('/admin/backups', {}, { as: 'editor' })).status).toBe(403)
    expect((await post('/admin/backups', {}, { token: 'x' })).status).toBe(403)
    expect(await db.countAll(tables.backups)).toBe(0)
    expect((await post('/admin/backups', {})).location).toBe('/admin/backups?saved')
    await expect.poll(async () => (await call('GET', '/admin/backups')).text).toContain('Complete')
    const { text } = await call('GET', '/admin/backups')
    expect(text).toMatch(/slugline backup restore [^<]*slugline-[\w-]+\.tar\.gz/)
    expect(text).not.toContain('hx-trigger')
  })

  it('are downloaded whole by administrators alone, which is in the audit log', async () => {
    const [row] = await db.findAll(tables.backups)
    const { backup_id = '', location = '', checksum, size_bytes } = row ?? {}
    const path = `/admin/backups/${backup_id}/archive`
    const cookie = `${app.config.cookie_name}=admin-secret-of-this-test`
    const get = (at: string, init: RequestInit = {}) =>
      app.app.fetch(new Request(`http://localhost${at}`, { ...init, headers: { cookie } }), {
        address: '127.0.0.1',
      })
    const answer = await get(path)
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(bytes.equals(readFileSync(location))).toBe(true)
    expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([size_bytes, checksum])
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/gzip',
      'content-length': String(size_bytes),
      'content-disposition': `attachment; filename*=UTF-8''${basename(location)}`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    const downloads = (await app.audits()).filter(({ table_name }) => table_name === 'backups.download')
    expect(downloads).toMatchObject([{ record_id: backup_id, user_id: app.users.admin, surface: 'panel' }])
    expect((await call('GET', '/admin/backups')).text).toContain(`href="${path}"`)
    for (const as of ['viewer', 'editor', 'nobody'] as const) {
      const refused = await call('GET', path, { as })
      expect([as, refused.status, refused.text.includes('slugline-')]).toEqual([
        as,
        as === 'nobody' ? 303 : 403,
        false,
      ])
    }
    // Whoever may make and list them gets none, and is offered none.
    const maker = await callersOf(app).callerWith('deploy:create', 'deploy:read')
    const list = await maker.call('GET', '/admin/backups')
    expect([list.status, list.text.includes('Back up now'), list.text.includes('/archive')]).toEqual([
      ...[200, true, false],
    ])
    const taken = await maker.call('GET', path)
    expect([taken.status, taken.headers.get('content-type'), taken.text.includes('slugline-')]).toEqual([
      ...[403, 'text/html; charset=UTF-8', false],
    ])
    await expect(services.backupDownloads.download(maker.actor, backup_id)).rejects.toMatchObject({
      status: 403,
    })
    const file = join(scratchFolder(), 'taken.tar.gz')
    await expect(services.backups.make(maker.actor, file, () => undefined)).rejects.toMatchObject({
      status: 403,
    })
    expect(existsSync(file)).toBe(false)
    expect((await app.audits()).filter(one => one.table_name === 'backups.download')).toEqual(downloads)
    expect((await call('GET', `/admin/backups/${app.users.admin}/archive`)).status).toBe(404)
    const change = (patch: { status?: string; location?: string; storage?: string }) =>
      db.write(systemActor, tx => tx.update(tables.backups, backup_id, patch))
    for (const [patch, status] of [
      [{ status: 'running' }, 409],
      [{ status: 'completed', storage: 'file' }, 404],
      [{ storage: 'local', location: `${location}.gone` }, 404],
      [{ location: dirname(location) }, 404],
      [{ location }, 200],
    ] as const) {
      await change(patch)
      const found = await get(path)
      await found.body?.cancel()
      expect([patch, found.status]).toEqual([patch, status])
    }
  })

  it('are downloaded without being held in memory', async () => {
    const location = join(scratchFolder(), 'slugline-large.tar.gz')
    const size = 400 * 2 ** 20
    writeFileSync(location, '')
    truncateSync(location, size)
    const { backup_id } = await db.write(systemActor, tx =>
      tx.insert(tables.backups, {
        status: 'completed',
        started_at: tx.now,
        storage: 'local',
        location,
        size_bytes: size,
      }),
    )
    const cookie = `${app.config.cookie_name}=admin-secret-of-this-test`
    const listener = await listen('127.0.0.1:0', app.app.fetch, {
      log: app.parts.ports.log,
      maxConnections: 10,
    })
    onTestFinished(() => listener.stop())
    const url = `http://127.0.0.1:${listener.port}/admin/backups/${backup_id}/archive`
    const answer = await fetch(url, { headers: { cookie } })
    let [received, most] = [0, 0]
    const before = process.memoryUsage().arrayBuffers
    for await (const piece of answer.body ?? []) {
      received += piece.length
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    expect(received).toBe(size)
    expect(most).toBeLessThan(size / 4)
    // Who goes away leaves nothing open.
    const left = await fetch(url, { headers: { cookie } })
    await left.body?.cancel()
    const isOpen = () => readdirSync('/proc/self/fd').some(fd => linkOf(fd) === location)
    await expect.poll(isOpen, { timeout: 180_000 }).toBe(false)
    await db.write(systemActor, tx => tx.remove(tables.backups, backup_id))
  })

  it('tell why one has failed', async () => {
    const [{ backup_id = '' } = {}] = await db.findAll(tables.backups)
    await db.write(systemActor, tx =>
      tx.update(tables.backups, backup_id, { status: 'failed', error_message: 'the disk <is> full' }),
    )
    expect((await call('GET', '/admin/backups')).text).toContain('the disk &lt;is&gt; full')
  })
})

describe.skipIf(chromiumMissing)(
  `pages of the site${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('are accessible, and say by themselves when a backup is complete', async () => {
      await post('/admin/redirects/new', { slug: '/a', target: '/b', status: '308' })
      for (const look of ['light', 'dark', 'phone'] as const) {
        const seen = await panel({ ...looks[look], as: 'admin' })
        for (const path of ['/redirects', '/redirects/new', '/backups']) {
          await seen.open(path)
          await expectClean(seen)
        }
      }
      const { page, open, problems } = await panel({ as: 'admin' })
      await open('/backups')
      const complete = page.getByText('Complete')
      const before = await complete.count()
      await page.getByRole('button', { name: 'Back up now' }).click()
      await expect.poll(() => complete.count()).toBe(before + 1)
      expect(problems).toEqual([])
    })
  },
)

describe('a datatype of more trees than are deleted together', () => {
  it('opens, and says so when one asks for its deletion', async () => {
    const author_id = app.users.admin
    const { datatype_id } = await factories(app).datatype('Many')
    await db.write(systemActor, async tx => {
      const rows = Array.from({ length: 1001 }, () => {
        const id = tx.newId()
        return { content_data_id: id, root_id: id, datatype_id, status: 'draft' as const, author_id }
      })
      for (const { root_id } of rows) await tx.createTree(tables.contentTrees, root_id)
      await tx.insertAll(tables.contentData, rows)
    })
    const path = `/admin/datatypes/${datatype_id}`
    expect((await call('GET', path)).status).toBe(200)
    const asked = await call('GET', `${path}/delete`)
    expect([asked.status, asked.text.includes('this affects 1001 trees')]).toEqual([200, true])
    expect((await post(`${path}/delete`, {})).status).toBe(400)
    expect((await call('GET', path)).status).toBe(200)
  })
})
