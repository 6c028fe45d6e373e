import type { Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call } = app
const { datatype, field, route, entry } = factories(app)

describe.skipIf(chromiumMissing)(
  `the preview beside an entry${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('D33: shows the page as it is now, in each format, after each save and what others save', async () => {
      const { datatype_id } = await datatype('Note')
      await field(datatype_id, 'Words', 'text')
      const { route_id } = await route('/preview', 'Preview')
      const { content_data_id: id } = await entry(datatype_id, { route_id }, { fields: { words: 'A draft' } })
      const admin = await panel({ as: 'admin' })
      const { page } = admin
      const shown = page.locator('.preview-text')
      // D33: nothing under the frame moves when the page in it comes.
      const publication = page.getByRole('heading', { name: 'Publication' })
      const top = async () => (await publication.boundingBox())?.y
      const held: Route[] = []
      await page.route('**/*', async route => {
        if (route.request().frame() === page.mainFrame()) await route.continue()
        else held.push(route)
      })
      await page.goto(`${admin.url}/admin/content/entry/${id}`, { waitUntil: 'domcontentloaded' })
      await publication.waitFor()
      await expect.poll(() => held.length).toBeGreaterThan(0)
      const before = await top()
      for (const route of held) await route.continue()
      await page.unroute('**/*')
      await page.frameLocator('#page-frame iframe').locator('h1').waitFor()
      expect(await top()).toBe(before)
      await page.getByRole('radio', { name: 'Data' }).check()
      await shown.getByText('"A draft"').waitFor()
      await expectClean(admin)
      for (const format of ['native', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress', 'clean']) {
        await page.getByRole('link', { name: format, exact: true }).click()
        await page.getByRole('region', { name: `Preview as ${format}` }).waitFor()
        const expected = await call('GET', `/api/v1/page/preview?format=${format}`)
        await expect.poll(async () => JSON.parse((await shown.textContent()) ?? '')).toEqual(expected.body)
      }
      await page.fill('[id="f-fields.words"]', 'My words')
      await page.keyboard.press('Control+s')
      await shown.getByText('"My words"').waitFor()
      await call('PUT', `/api/v1/content?q=${id}`, {
        as: 'editor',
        body: { fields: { words: 'Their words' } },
      })
      await shown.getByText('"Their words"').waitFor()
      expect(await page.inputValue('[id="f-fields.words"]')).toBe('My words')
      expect(admin.problems).toEqual([])
    })
  },
)
