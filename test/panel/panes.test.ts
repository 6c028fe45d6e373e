import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks, type Panel } from '../support/browser.js'
import { factories } from '../support/factories.js'

const app = await testApp({ i18n_enabled: true })
const { call } = app
const { datatype, field, route, entry } = factories(app)

const page = await datatype('Page')
await field(page.datatype_id, 'Title', 'text', { translatable: true })
for (const [code, label] of [
  ['de', 'Deutsch (Österreich)'],
  ['fr', 'Français de Belgique'],
  ['sl', 'Slovenščina'],
])
  await call('POST', '/api/v1/locales', { body: { code, label } })

async function made(slug: string, children = 2) {
  const { datatype_id } = page
  const { route_id } = await route(slug, `Page ${slug}`)
  const root = await entry(
    datatype_id,
    { route_id },
    { children: Array.from({ length: children }, () => ({ datatype_id })) },
  )
  return root.content_data_id as string
}

const widthOf = async ({ page }: Panel, selector: string) =>
  Math.round((await page.locator(selector).boundingBox())?.width ?? 0)

describe.skipIf(chromiumMissing)(
  `D19: the panes${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('have a tree of the width that its edge was drawn to, or moved to by keys, on every page', async () => {
      const id = await made('/wide')
      const admin = await panel({ as: 'admin' })
      const { page: tab, open } = admin
      await open(`/content/entry/${id}`)
      expect(await widthOf(admin, '.tree')).toBe(300)
      const edge = tab.getByRole('separator', { name: 'Width of the tree' })
      const box = await edge.boundingBox()
      await tab.mouse.move((box?.x ?? 0) + 4, 400)
      await tab.mouse.down()
      await tab.mouse.move((box?.x ?? 0) + 64, 400, { steps: 4 })
      await tab.mouse.up()
      expect(await widthOf(admin, '.tree')).toBe(360)
      await expectClean(admin)
      await tab.mouse.move(700, 300)
      expect(await widthOf(admin, '.tree')).toBe(360)
      await edge.focus()
      await tab.keyboard.press('ArrowLeft')
      expect([await widthOf(admin, '.tree'), await edge.getAttribute('aria-valuenow')]).toEqual([344, '344'])
      await tab.keyboard.press('End')
      expect(await widthOf(admin, '.tree')).toBe(480)
      await tab.keyboard.press('ArrowRight')
      expect(await widthOf(admin, '.tree')).toBe(480)
      await tab.keyboard.press('Home')
      await tab.keyboard.press('ArrowLeft')
      expect(await widthOf(admin, '.tree')).toBe(220)
      await open(`/content/entry/${await made('/other')}`)
      expect(await widthOf(admin, '.tree')).toBe(220)
      expect(admin.problems).toEqual([])
    })

    it('of a phone stand behind their buttons, on each page anew, and are open without scripts', async () => {
      const id = await made('/phone')
      const admin = await panel({ as: 'admin', ...looks.phone })
      const { page: tab, open } = admin
      const isThere = (selector: string) => tab.locator(selector).isVisible()
      await open(`/content/entry/${id}`)
      expect(await isThere('.tree')).toBe(false)
      const fold = tab.getByRole('button', { name: 'Tree', exact: true })
      expect(await fold.getAttribute('aria-expanded')).toBe('false')
      await fold.click()
      expect([await isThere('.tree'), await fold.getAttribute('aria-expanded')]).toEqual([true, 'true'])
      await expectClean(admin)
      await tab.getByRole('treeitem').nth(1).click()
      await tab.waitForURL(url => !url.pathname.endsWith(id))
      await tab.locator('.tree').waitFor({ state: 'hidden' })
      await open('/media?type=image&sort=name')
      expect([await isThere('.tree'), await isThere('[name=type]')]).toEqual([false, false])
      await tab.getByRole('button', { name: 'Folders', exact: true }).click()
      expect(await isThere('.tree')).toBe(true)
      const filters = tab.getByRole('button', { name: 'Filters (2)' })
      expect(await filters.getAttribute('aria-expanded')).toBe('false')
      await filters.click()
      await expectClean(admin)
      await tab.locator('select[name=type]').selectOption('')
      const left = tab.getByRole('button', { name: 'Filters (1)' })
      await left.waitFor()
      // A filter that was set leaves the others where they are.
      expect([await isThere('[name=type]'), await left.getAttribute('aria-expanded')]).toEqual([true, 'true'])
      const plain = await panel({ as: 'admin', ...looks.phone, javaScriptEnabled: false })
      await plain.open('/media')
      const seen = ['.tree', '[name=type]', '[data-fold]', '[data-show-filters]'].map(at =>
        plain.page.locator(at).isVisible(),
      )
      expect(await Promise.all(seen)).toEqual([true, true, false, false])
      const wide = await panel({ as: 'admin' })
      await wide.open('/media')
      expect(await wide.page.locator('[name=type]').isVisible()).toBe(true)
      expect(await wide.page.locator('[data-show-filters]').isVisible()).toBe(false)
    })

    it('have no tree after a backslash, nor of a page of one entry until it is asked for', async () => {
      const id = await made('/fold')
      const admin = await panel({ as: 'admin' })
      const { page: tab, open } = admin
      const isThere = () => tab.locator('.tree').isVisible()
      await open(`/content/entry/${id}`)
      await tab.keyboard.press('\\')
      expect(await isThere()).toBe(false)
      await expectClean(admin)
      await tab.reload()
      expect(await isThere()).toBe(false)
      const fold = tab.getByRole('button', { name: 'Tree', exact: true })
      expect(await fold.getAttribute('aria-expanded')).toBe('false')
      await fold.click()
      expect(await isThere()).toBe(true)
      // A backslash in a text is a text.
      await tab.getByLabel('Title').first().press('\\')
      expect(await isThere()).toBe(true)

      await open(`/content/entry/${await made('/one', 0)}`)
      expect(await isThere()).toBe(false)
      await tab.locator('.bar summary').click()
      await tab.getByRole('button', { name: 'Add entry below…' }).click()
      await tab.locator('.floating input').waitFor()
      expect(await isThere()).toBe(true)
      await tab.keyboard.press('Enter')
      await expect.poll(() => tab.getByRole('treeitem').count()).toBe(2)
      expect(await isThere()).toBe(true)
    })

    it('leave 560 pixels to write in on a small screen, where the side is a drawer', async () => {
      const id = await made('/small')
      const admin = await panel({ as: 'admin', viewport: { width: 1280, height: 720 } })
      const { page: tab, open } = admin
      await open(`/content/entry/${id}`)
      expect(await widthOf(admin, '#form')).toBeGreaterThanOrEqual(560)
      await tab.getByRole('separator').focus()
      await tab.keyboard.press('End')
      expect(await widthOf(admin, '#form')).toBeGreaterThanOrEqual(560)
      const side = tab.locator('.side')
      expect(await side.isVisible()).toBe(false)
      await tab.getByRole('button', { name: 'Details' }).click()
      expect(await side.isVisible()).toBe(true)
      await expectClean(admin)
      await tab.keyboard.press('Escape')
      expect(await side.isVisible()).toBe(false)
      await tab.setViewportSize({ width: 1440, height: 900 })
      expect(await side.isVisible()).toBe(true)
      expect(admin.problems).toEqual([])
    })

    it('open the drawer without a script, and have no edge that cannot be moved', async () => {
      const id = await made('/plain')
      const admin = await panel({
        as: 'admin',
        viewport: { width: 1280, height: 720 },
        javaScriptEnabled: false,
      })
      await admin.open(`/content/entry/${id}`)
      expect(await admin.page.locator('.side').isVisible()).toBe(false)
      await admin.page.getByRole('button', { name: 'Details' }).click()
      expect(await admin.page.locator('.side').isVisible()).toBe(true)
      expect(await admin.page.locator('.tree-edge').isVisible()).toBe(false)
      expect(await admin.page.locator('.tree-button').isVisible()).toBe(false)
    })

    it('show every language whole', async () => {
      const id = await made('/languages')
      for (const width of [1440, 1280, 800, 390]) {
        const admin = await panel({ as: 'admin', viewport: { width, height: 720 } })
        await admin.open(`/content/entry/${id}`)
        const cut = await admin.page
          .locator('.tabs')
          .evaluate(tabs => tabs.scrollWidth > tabs.clientWidth || tabs.querySelectorAll('a').length < 5)
        expect([width, cut]).toEqual([width, false])
      }
    })
  },
)
