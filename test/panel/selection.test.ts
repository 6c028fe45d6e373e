import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { services } = app
const { datatype, field, route, entry } = factories(app)
const { post } = panelForms(app)

/** A page with four entries on it. */
async function page(slug: string) {
  const { datatype_id } = await datatype('Card')
  await field(datatype_id, 'Title', 'text')
  const { route_id } = await route(slug, `Page ${slug}`)
  const children = ['One', 'Two', 'Three', 'Four'].map(title => ({ datatype_id, fields: { title } }))
  const root = await entry(datatype_id, { route_id }, { children })
  const ids: string[] = root.children.map((one: { content_data_id: string }) => one.content_data_id)
  return { root: root.content_data_id as string, ids, datatype_id }
}

const statusOf = async (id: string) => (await services.space.content.get(id)).status
const statuses = (ids: readonly string[]) => Promise.all(ids.map(statusOf))

describe('several entries at once', () => {
  it('are published, taken back, moved and deleted by who may, and what is refused is told by name', async () => {
    const { root, ids, datatype_id } = await page('/forms')
    const send = (what: string, more = {}, as: 'admin' | 'editor' | 'viewer' = 'admin') =>
      post(`/admin/content-selection?open=${root}`, { what, ids: ids.slice(0, 2).join(), ...more }, { as })
    expect((await send('publish', {}, 'viewer')).status).toBe(403)
    expect((await send('publish', {}, 'editor')).text).toContain('content:publish')
    expect((await send('publish')).location).toBe(`/admin/content/entry/${root}?saved`)
    expect(await statuses(ids)).toEqual(['published', 'published', 'draft', 'draft'])
    expect((await send('unpublish')).status).toBe(303)
    expect(await statuses(ids)).toEqual(['draft', 'draft', 'draft', 'draft'])
    expect((await send('move', { parent_id: ids[3] })).status).toBe(303)
    expect((await services.space.content.get(ids[0] ?? '')).parent_id).toBe(ids[3])
    const circular = await send('move', { parent_id: ids[0] })
    expect([circular.status, circular.text.includes('1 of 2 moved. “One”')]).toEqual([400, true])
    expect((await send('delete', { ids: [ids[3], ids[0]].join() })).status).toBe(303)
    expect(await services.space.content.count({ root_id: root })).toBe(2)
    const required = await field(datatype_id, 'Must', 'text', { required: true })
    expect(required).toBeDefined()
    expect((await send('publish', { ids: ids[2] })).text).toMatch(/0 of 1 published. “Three”: .*required/)
  })
})

describe('several entries of the admin space', () => {
  it('are deleted by who may delete there, and by no right of the public space', async () => {
    const made = async (path: string, body: object) =>
      (await app.call('POST', `/api/v1/admin${path}`, { body })).body
    const { datatype_id } = await made('/datatypes', { label: 'Help', type: 'content' })
    const { entry: root } = await made('/pages', { slug: '/help', title: 'Help', datatype_id })
    const ids: string = root.content_data_id
    const isThere = async () => (await services.adminSpace.content.count({ content_data_id: ids })) === 1
    const { callerWith } = callersOf(app)
    const outside = await callerWith(
      'content:delete',
      'content:update',
      'admin_tree:update',
      'admin_tree:read',
    )
    const refused = await outside.post('/admin/space/content-selection', { what: 'delete', ids })
    expect([refused.status, refused.text.includes('admin_tree:delete')]).toEqual([403, true])
    expect((await outside.post(`/admin/space/content/entry/${ids}/delete`)).status).toBe(403)
    expect(await isThere()).toBe(true)
    const inside = await callerWith('admin_tree:delete', 'admin_tree:update')
    expect((await inside.post('/admin/space/content-selection', { what: 'publish', ids })).status).toBe(303)
    expect((await inside.post('/admin/space/content-selection', { what: 'delete', ids })).status).toBe(303)
    expect(await isThere()).toBe(false)
  })
})

describe.skipIf(chromiumMissing)(
  `the selection${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('is made by keys and by the mouse, and what is typed beside it stays', async () => {
      const { root, ids } = await page('/tree')
      const admin = await panel({ as: 'admin' })
      const { page: tab, open } = admin
      await open(`/content/entry/${root}`)
      await tab.fill('[id="f-fields.title"]', 'Not saved')
      await tab.getByRole('treeitem', { name: 'One' }).focus()
      await tab.keyboard.press('Shift+ArrowDown')
      await tab.locator('#selection', { hasText: '2 entries selected' }).waitFor()
      await expectClean(admin)
      await tab.getByRole('treeitem', { name: 'Four' }).click({ modifiers: ['Control'] })
      await tab.locator('#selection', { hasText: '3 entries selected' }).waitFor()
      await tab.locator('#selection').getByRole('button', { name: 'Publish', exact: true }).click()
      await expect.poll(() => statuses(ids)).toEqual(['published', 'published', 'draft', 'published'])
      await tab.locator('#saved', { hasText: 'Unsaved changes' }).waitFor()
      expect(await tab.inputValue('[id="f-fields.title"]')).toBe('Not saved')
      await tab.locator('#selection', { hasText: '3 entries selected' }).waitFor()
      await tab.getByRole('treeitem', { name: 'Four' }).focus()
      await tab.keyboard.press('Escape')
      await tab.keyboard.press('Space')
      await tab.locator('#selection').getByRole('button', { name: 'Move…' }).click()
      await tab.getByRole('combobox', { name: 'Search entries' }).fill('One')
      await tab.getByRole('option', { name: 'One' }).first().waitFor()
      await tab.keyboard.press('Enter')
      await expect.poll(async () => (await services.space.content.get(ids[3] ?? '')).parent_id).toBe(ids[0])
      await tab.getByRole('treeitem', { name: 'Three' }).focus()
      await tab.keyboard.press('Escape')
      await tab.keyboard.press('Delete')
      await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await expect.poll(() => services.space.content.count({ root_id: root })).toBe(4)
      expect(admin.problems).toEqual([])
    })
  },
)
