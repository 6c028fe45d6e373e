import { describe, expect, it } from 'vitest'
import { settingLabel } from '../../src/resources/setting-fields.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { callersOf } from '../support/callers.js'

const app = await testApp({}, { file: {} })

it('D26: settings have labels in words, with the name of the configuration file beside', async () => {
  expect(['ssl_port', 'oauth_redirect_url', 'publish_mode'].map(settingLabel)).toEqual([
    ...['HTTPS port', 'OAuth redirect URL', 'Publish mode'],
  ])
  expect(['compat', 'version_max_per_content'].map(settingLabel)).toEqual([
    ...['APIs of other systems', 'Versions kept for each entry'],
  ])
  const { text } = await app.call('GET', '/admin/settings')
  expect(text.replaceAll(/\s+/g, ' ')).toContain('>Publish mode <code class="key">publish_mode</code>')
  expect(text).toContain('<a href="#group-0">Content</a>')
})

it('settings say that the file names them, and are fixed if it cannot be written', async () => {
  const { file } = app
  const page = async () => (await app.call('GET', '/admin/settings')).text.replaceAll(/\s+/g, ' ')
  const words = 'Set by the configuration file of this instance.'
  expect(await page()).not.toContain(words)
  file.text = '{"output_format":"clean"}'
  expect((await page()).split(words)).toHaveLength(2)
  expect(await page()).toContain('name="output_format"')
  file.isFixed = true
  expect(await page()).toContain('The configuration file cannot be written here.')
  expect(await page()).not.toContain('name="output_format"')
  expect(await page()).toContain('name="publish_mode"')
  file.isFixed = false
  file.text = '{}'
})

describe.skipIf(chromiumMissing)(
  `settings in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('are kept as typed until they are saved, with their units beside', async () => {
      const { page, open } = await panel({ as: 'admin' })
      page.on('dialog', dialog => dialog.accept())
      await open('/settings')
      expect(await page.locator('#h-max_upload_size').textContent()).toBe('In bytes, now 10 MiB.')
      expect(await page.locator('#h-trash_retention').textContent()).toMatch(/^Now 30 days\. /)
      expect(await page.locator('#h-webhook_retry_delays').textContent()).toMatch(
        /^Now 1 minute, 5 minutes, 30 minutes\. /,
      )
      await page.getByLabel('Backup retention').fill('12')
      await page.locator('#saved', { hasText: 'Unsaved changes, kept here' }).waitFor()
      await page.reload()
      await page.getByRole('button', { name: 'Restore' }).click()
      expect(await page.getByLabel('Backup retention').inputValue()).toBe('12')
      await page.setViewportSize({ width: 360, height: 740 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    })

    it('D26: are found by words, and hidden ones keep their values', async () => {
      const { page, open, ...seen } = await panel({ as: 'admin' })
      await open('/settings')
      const shown = () =>
        page.$$eval('#form .field', all =>
          all.filter(one => one.checkVisibility()).map(one => one.querySelector('code')?.textContent),
        )
      expect((await shown()).length).toBeGreaterThan(60)
      await page.getByLabel('Search settings').fill('publish_mode')
      expect(await shown()).toEqual(['publish_mode'])
      expect(await page.locator('[data-narrows] [role=status]').textContent()).toBe('1 found')
      expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toContain('Content')
      await page.getByLabel('Search settings').fill('nothing at all')
      expect(await page.locator('[data-narrows] [role=status]').textContent()).toBe('No results.')
      await page.getByLabel('Search settings').fill('scheduled backup retention')
      await page.getByLabel('Search settings').fill('backup_retention')
      await page.getByLabel('Backup retention').fill('0')
      await page.getByLabel('Search settings').fill('publish_mode')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('#e-backup_retention').waitFor()
      expect(await page.getByLabel('Search settings').inputValue()).toBe('')
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('f-backup_retention')
      await expectClean({ page, open, ...seen })
    })
  },
)

it('settings lead to imports and to the admin space, which are in the rail of nobody who may read settings', async () => {
  const { callerWith } = callersOf(app)
  const railOf = (text: string) => /<nav class="rail".*?<\/nav>/s.exec(text)?.[0] ?? ''
  const linksIn = (text: string) =>
    ['/admin/import', '/admin/space/content'].filter(path => text.includes(`href="${path}"`))
  const { text } = await app.call('GET', '/admin/settings')
  expect([linksIn(railOf(text)), linksIn(text)]).toEqual([[], ['/admin/import', '/admin/space/content']])
  const imports = (await app.call('GET', '/admin/import')).text
  expect(railOf(imports)).toMatch(/href="\/admin\/settings"[^>]*aria-current="page"/)
  const importer = await callerWith('import:read', 'admin_tree:update')
  const own = railOf((await importer.call('GET', '/admin')).text)
  expect(linksIn(own)).toEqual(['/admin/import', '/admin/space/content'])
  const reader = await callerWith('config:read')
  expect(linksIn((await reader.call('GET', '/admin/settings')).text)).toEqual([])
})
