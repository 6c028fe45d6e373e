import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { amount } from '../support/effort.js'
import { picture, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp({ ...storage.config, readers_see_drafts: false })
const { call } = app

/** Markup that runs a script wherever it becomes markup, in text, in an attribute or in a script. */
const hostile = (n: number) =>
  `"><img src=x onerror="globalThis.hit=${n}"><script nonce>globalThis.hit=${n}</script><b hx-post="/admin/sign-out" hx-trigger="load">x</b></textarea><svg onload=alert(${n})>'\``

async function made(path: string, body: object, key: string): Promise<string> {
  const answer = await call('POST', `/api/v1${path}`, { body })
  expect([path, answer.text, answer.status]).toEqual([path, answer.text, 201])
  return answer.body[key]
}

/** A record of each resource, every text of it hostile. @returns the pages that show them */
async function filled(): Promise<string[]> {
  const label = hostile(1).slice(0, 250)
  const user = await made(
    '/users',
    { name: label, username: 'x"><script>hit=1</script>', email: 'x@example.com' },
    'user_id',
  )
  const role = await made('/roles', { label }, 'role_id')
  const token = await made('/tokens', { label }, 'token_id')
  const locale = await made('/locales', { label, code: 'eo' }, 'locale_id')
  const webhook = await made(
    '/admin/webhooks',
    {
      name: label,
      url: 'https://x.example/"><script>hit=1</script>',
      events: ['*'],
      headers: { 'X-A': '"><script>' },
    },
    'webhook_id',
  )
  const datatype = await made('/datatypes', { label, type: 'content' }, 'datatype_id')
  const field = await made(
    '/fields',
    { label, parent_id: datatype, field_type: 'text', ui_config: { x: label }, data: { default: label } },
    'field_id',
  )
  const route = await made('/routes', { title: label, slug: '/a"><script>hit=1<' }, 'route_id')
  const { body: media } = await uploader(app)(
    '<img src=x onerror=hit=1>.png',
    await picture(20, 20).png().toBuffer(),
    {
      fields: { alt_text: label, caption: label, description: label, display_name: label },
    },
  )
  const folder = await made('/media-folders', { name: label.replaceAll(/[\\/]/g, '') }, 'folder_id')
  await call('PUT', `/api/v1/users?q=${app.users.admin}`, { body: { name: label } })
  const audit = await call('GET', '/api/v1/audit-events?limit=1')
  return [
    '',
    '/profile',
    ...[
      'media',
      'routes',
      'redirects',
      'datatypes',
      'locales',
      'users',
      'roles',
      'tokens',
      'webhooks',
      'audit',
      'backups',
    ].map(name => `/${name}`),
    '/settings',
    `/find?q=${encodeURIComponent(label.slice(0, 12))}`,
    `/media?folder=${folder}`,
    `/media?text=${encodeURIComponent(label)}`,
    `/audit?table_name=${encodeURIComponent(label.slice(0, 60))}`,
    `/sign-in?to=${encodeURIComponent(`/admin/${label}`)}`,
    `/new-password?token=${encodeURIComponent(label)}`,
    `/users/${user}`,
    `/users/${user}/delete`,
    `/roles/${role}`,
    `/tokens/${token}`,
    `/locales/${locale}`,
    `/webhooks/${webhook}`,
    `/datatypes/${datatype}`,
    `/datatypes/${datatype}/delete`,
    `/fields/${field}`,
    `/fields/new?of=${encodeURIComponent(label)}`,
    `/routes/${route}`,
    `/media/${media.media_id}`,
    `/audit/${audit.body[0].audit_event_id}`,
    `/${encodeURIComponent(label)}`,
  ]
}

describe.skipIf(chromiumMissing)(
  `hostile markup${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('runs nowhere, and every page that shows it is accessible', async () => {
      const paths = await filled()
      for (const look of amount(1, 0) === 1 ? (['light'] as const) : (['light', 'dark', 'phone'] as const)) {
        const admin = await panel({ ...looks[look], as: 'admin' })
        admin.page.on('dialog', dialog => dialog.dismiss().then(() => admin.problems.push('a dialog')))
        for (const path of paths) {
          await admin.open(path)
          await expectClean(admin)
          expect([path, await admin.page.evaluate('globalThis.hit')]).toEqual([path, undefined])
        }
      }
    })

    it('is text too where a form that holds it was refused', async () => {
      const { page, open, problems } = await panel({ as: 'admin' })
      await open('/locales/new')
      await page.fill('#f-label', hostile(2))
      await page.fill('#f-code', hostile(3))
      await page.keyboard.press('Control+s')
      await page.locator('#e-code').waitFor()
      expect(await page.inputValue('#f-code')).toBe(hostile(3))
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('f-code')
      expect(await page.textContent('#saved')).toBe('Not saved: 1 field')
      expect(await page.evaluate('globalThis.hit')).toBe(undefined)
      expect(problems).toEqual([])
    })
  },
)

describe.skipIf(chromiumMissing)(
  `what is typed${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('is offered again after the page was left, and forgotten when it is saved', async () => {
      const { page, open } = await panel({ as: 'admin' })
      await open('/locales/new')
      await page.fill('#f-label', 'Suomi')
      await page.locator('#saved', { hasText: 'Unsaved changes, kept here' }).waitFor()
      page.on('dialog', dialog => dialog.accept())
      await open('/locales/new')
      expect(await page.inputValue('#f-label')).toBe('')
      await page.getByRole('button', { name: 'Restore' }).click()
      expect(await page.inputValue('#f-label')).toBe('Suomi')
      await page.fill('#f-code', 'fi')
      await page.keyboard.press('Control+s')
      await page.waitForURL(/\/admin\/locales\/\w{26}$/)
      expect(await page.textContent('#saved')).toContain('Saved')
      await open('/locales/new')
      expect(await page.getByRole('button', { name: 'Restore' }).count()).toBe(0)
    })

    it('stays where it is when the session has ended', async () => {
      const { page, open } = await panel({ as: 'editor' })
      await open('/routes/new')
      await page.fill('#f-title', 'Nearly lost')
      await page.fill('#f-slug', '/nearly')
      await page.context().clearCookies()
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: 'you are signed out' }).waitFor()
      expect(await page.inputValue('#f-title')).toBe('Nearly lost')
    })

    it('asks before something is deleted, and keeps it', async () => {
      const { page, open } = await panel({ as: 'admin' })
      await open('/locales')
      await page.getByRole('link', { name: 'English' }).click()
      await page.locator('[data-dialog=delete]').click()
      await page.locator('dialog[open]').waitFor()
      await page.keyboard.press('Escape')
      expect(await page.locator('dialog[open]').count()).toBe(0)
      await page.keyboard.press('?')
      await page.locator('#keys[open]').waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('g')
      await page.keyboard.press('r')
      await page.waitForURL(/\/admin\/routes$/)
    })
  },
)
