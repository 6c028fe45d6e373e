import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call } = app
const { datatype, field, route, entry } = factories(app)

const page = await datatype('Page')
const blog = await datatype('Blog')
const section = await datatype('Section')
await field(section.datatype_id, 'Heading', 'text')
const card = await datatype('Workshop course with a very long name', { parent_id: section.datatype_id })
await field(card.datatype_id, 'Title', 'text')
await datatype('Menu', { type: '_global' })

const { route_id } = await route('/blog')
await entry(blog.datatype_id, { route_id })

/** A page with two sections. */
async function made(slug: string) {
  const { route_id } = await route(slug, `Page ${slug}`)
  const one = (heading: string) => ({ datatype_id: section.datatype_id, fields: { heading } })
  const root = await entry(page.datatype_id, { route_id }, { children: [one('First'), one('Second')] })
  return { root: root.content_data_id as string, first: root.children[0].content_data_id as string }
}

describe('D22: what may be added under an entry', () => {
  it('is what belongs there first, no tree without a page, and kinds of pages last', async () => {
    const { root, first } = await made('/order')
    const kindsOf = async (id: string) =>
      (await call('GET', `/admin/content/entry/${id}/starts`)).body.kinds.map(
        ({ word, isPage }: { word: string; isPage: boolean }) => [word, isPage],
      )
    expect(await kindsOf(root)).toEqual([
      ['Section', false],
      ['Page', true],
      ['Blog', true],
    ])
    expect(await kindsOf(first)).toEqual([
      ['Workshop course with a very long name', false],
      ['Section', false],
      ['Page', true],
      ['Blog', true],
    ])
    const { text } = await call('GET', `/admin/content/entry/${first}`)
    const [, adds = ''] = text.split('<select class="input" id="add"')
    expect([...adds.matchAll(/<option value="\w{26}">([^<]*)/g)].map(([, word]) => word)).toEqual([
      'Workshop course with a very long name',
      'Section',
      'Page',
      'Blog',
    ])
  })

  it('is first what was added there last, also of a kind that has pages', async () => {
    const { first } = await made('/newest')
    const kindsOf = async () => (await call('GET', `/admin/content/entry/${first}/starts`)).body.kinds
    expect((await kindsOf())[0].word).toBe('Workshop course with a very long name')
    await entry(section.datatype_id, { parent_id: first })
    expect((await kindsOf())[0]).toMatchObject({ word: 'Section', isPage: false })
    await entry(page.datatype_id, { parent_id: first })
    expect((await kindsOf())[0]).toMatchObject({ word: 'Page', isPage: false })
    expect((await kindsOf()).filter(({ isPage }: { isPage: boolean }) => isPage)).toHaveLength(1)
  })

  it('is told to who may add', async () => {
    const { root } = await made('/refused')
    const at = `/admin/content/entry/${root}/starts`
    expect((await call('GET', at, { as: 'viewer' })).status).toBe(403)
    expect((await call('GET', at, { as: 'nobody' })).status).not.toBe(200)
    expect((await call('GET', '/admin/content/entry/x/starts')).status).toBe(404)
  })
})

describe.skipIf(chromiumMissing)(
  `the rows of a tree${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('add an entry by + and a few letters, in whose first field one writes then', async () => {
      const { root, first } = await made('/add')
      const admin = await panel({ as: 'admin' })
      const { page: tab, open } = admin
      const options = tab.locator('.floating [role=option]')
      const focused = () => tab.evaluate(() => document.activeElement?.id)
      await open(`/content/entry/${root}`)
      const row = tab.locator(`[id="n-${first}"]`)
      expect(await row.locator('[data-hand=add]').isVisible()).toBe(false)
      await row.hover()
      await row.locator('[data-hand=add]').click()
      await expect
        .poll(() => options.allTextContents())
        .toEqual(['Workshop course with a very long name', 'Section'])
      await expectClean(admin)
      await tab.keyboard.type('/blo')
      await expect.poll(() => options.allTextContents()).toEqual(['Blog'])
      await tab.keyboard.press('Escape')
      await expect.poll(() => options.count()).toBe(0)
      await row.focus()
      await tab.keyboard.press('+')
      await tab.locator('.floating input').waitFor()
      await tab.keyboard.press('ArrowDown')
      await tab.keyboard.press('ArrowUp')
      await tab.keyboard.type('course')
      await tab.keyboard.press('Enter')
      await expect.poll(focused).toBe('f-fields.title')
      await tab.keyboard.type('Truing wheels')
      await tab.keyboard.press('Control+s')
      await tab.getByRole('treeitem', { name: 'Truing wheels' }).waitFor()
      expect(await tab.getByRole('treeitem', { name: 'Truing wheels' }).getAttribute('aria-level')).toBe('3')
      expect(admin.problems).toEqual([])
    })

    it('take what is typed after + before the kinds have come, and say it if none come', async () => {
      const { root } = await made('/slow')
      const { page: tab, open, problems } = await panel({ as: 'admin' })
      await open(`/content/entry/${root}`)
      let go = () => {}
      const isGone = new Promise<void>(resolve => (go = resolve))
      await tab.route('**/starts', sent => isGone.then(() => sent.continue()), { times: 1 })
      await tab.getByRole('treeitem', { name: 'Second' }).focus()
      await tab.keyboard.press('+')
      await tab.keyboard.type('course')
      await tab.keyboard.press('Enter')
      expect(await tab.locator('.floating input').inputValue()).toBe('course')
      go()
      await expect.poll(() => tab.evaluate(() => document.activeElement?.id)).toBe('f-fields.title')
      await tab.route('**/starts', sent => sent.abort(), { times: 1 })
      await tab.getByRole('treeitem', { name: 'First' }).focus()
      await tab.keyboard.press('+')
      await tab.locator('#say', { hasText: 'The action failed' }).waitFor({ state: 'attached' })
      await expect.poll(() => tab.locator('.floating').count()).toBe(0)
      expect(problems).toEqual([])
    })

    it('have a menu by Shift F10 and by the mouse: duplicate, move and delete', async () => {
      const { root } = await made('/more')
      const admin = await panel({ as: 'admin' })
      const { page: tab, open } = admin
      const names = () => tab.locator('[role=treeitem] .label').allTextContents()
      await open(`/content/entry/${root}`)
      await tab.getByRole('treeitem', { name: 'Second' }).focus()
      await tab.keyboard.press('Shift+F10')
      const items = tab.getByRole('menuitem')
      expect(await items.allTextContents()).toEqual(['Add entry below…', 'Duplicate', 'Move up', 'Delete…'])
      await expectClean(admin)
      await tab.keyboard.press('Escape')
      await expect.poll(() => tab.evaluate(() => document.activeElement?.textContent)).toContain('Second')
      await tab.keyboard.press('Shift+F10')
      await tab.keyboard.press('ArrowDown')
      await tab.keyboard.press('ArrowDown')
      await tab.keyboard.press('Enter')
      await tab.locator('#say', { hasText: 'Second, 1 of 2' }).waitFor()
      expect(await names()).toEqual(['Page /more', 'Second', 'First'])
      const first = tab.getByRole('treeitem', { name: 'First' })
      await first.hover()
      await first.locator('[data-hand=more]').click()
      await tab.getByRole('menuitem', { name: 'Duplicate' }).click()
      await expect.poll(names).toEqual(['Page /more', 'Second', 'First', 'First'])
      await first.last().hover()
      await first.last().locator('[data-hand=more]').click()
      await tab.getByRole('menuitem', { name: 'Delete…' }).click()
      await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await expect.poll(names).toEqual(['Page /more', 'Second', 'First'])
      expect(admin.problems).toEqual([])
    })

    it('D20: end with a kind that stays within the row, and have hands at once where there is no mouse', async () => {
      const { first } = await made('/narrow')
      const { content_data_id } = await entry(
        card.datatype_id,
        { parent_id: first },
        {
          fields: { title: 'A title that is far too long for the row that it stands in' },
        },
      )
      for (const look of [looks.light, looks.phone]) {
        const admin = await panel({ ...look, as: 'admin' })
        await admin.open(`/content/entry/${content_data_id}`)
        if (look === looks.phone) await admin.page.getByRole('button', { name: 'Tree', exact: true }).click()
        const row = await admin.page.locator(`[id="n-${content_data_id}"]`).boundingBox()
        const type = await admin.page.locator(`[id="n-${content_data_id}"] .type`).boundingBox()
        expect(row && type && type.x + type.width <= row.x + row.width).toBe(true)
        expect(
          await admin.page.locator('.tree-scroll').evaluate(tree => tree.scrollWidth <= tree.clientWidth),
        ).toBe(true)
        expect(await admin.page.locator(`[id="n-${content_data_id}"] [data-hand=more]`).isVisible()).toBe(
          look === looks.phone,
        )
        await expectClean(admin)
      }
    })

    it('do the same by the form at the side without a script', async () => {
      const { first } = await made('/plain')
      const admin = await panel({ as: 'admin', javaScriptEnabled: false })
      await admin.open(`/content/entry/${first}`)
      expect(await admin.page.locator('.hands').first().isVisible()).toBe(false)
      await admin.page.getByRole('button', { name: 'Add', exact: true }).click()
      await admin.page.waitForURL(url => !url.href.includes(first))
      expect(await admin.page.getByRole('treeitem').count()).toBe(4)
    })
  },
)
