import { describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing } from '../support/browser.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { call, db, services } = app
const { datatype, field, route, entry } = factories(app)
const { post } = panelForms(app)
const { callerWith } = callersOf(app)

const card = await datatype('Card')
await field(card.datatype_id, 'Title', 'text')

/** A published page with a card, and the same page over the API before anything is deleted. */
async function page(slug: string) {
  const { datatype_id } = card
  const { route_id } = await route(slug, `Page ${slug}`)
  const children = [{ datatype_id, fields: { title: 'One' } }]
  const more = { status: 'published', fields: { title: 'Root' }, children }
  const root = await entry(datatype_id, { route_id }, more)
  const raw = async () => (await call('GET', `${slug}?format=raw`, { as: 'nobody' })).text
  return {
    ...{ route_id, raw },
    root: root.content_data_id as string,
    child: root.children[0].content_data_id as string,
    before: await raw(),
  }
}

const remove = (id: string) => post(`/admin/content/entry/${id}/delete`, {})
const deletedIn = (location: string) =>
  new URL(location, 'http://localhost').searchParams.get('deleted') ?? ''

describe('a deletion in the panel', () => {
  it('leads to a page that takes it back, with the address and everything under it', async () => {
    const { root, raw, before } = await page('/undo')
    const { status, location } = await remove(root)
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/admin\/content\?deleted=\w{26}$/)])
    const { text } = await call('GET', location)
    expect(text).toMatch(/role="status"[^>]*>.*Deleted\./s)
    expect(text).toContain(`action="/admin/trash/restore?ids=${deletedIn(location)}"`)
    const undone = await post(`/admin/trash/restore?ids=${deletedIn(location)}`, {})
    expect([undone.status, undone.location]).toEqual([303, `/admin/content/entry/${root}?saved`])
    expect(await raw()).toBe(before)
  })

  it('of an entry leads to the entry that it was under', async () => {
    const { root, child, raw, before } = await page('/child')
    const { location } = await remove(child)
    expect(location).toMatch(new RegExp(`^/admin/content/entry/${root}\\?deleted=`))
    await post(`/admin/trash/restore?ids=${deletedIn(location)}`, {})
    expect(await raw()).toBe(before)
  })

  it('of several is taken back by one button', async () => {
    const [a, b] = [await page('/several-a'), await page('/several-b')]
    const { location } = await post('/admin/content-work', [
      ['what', 'delete'],
      ['ids', a.root],
      ['ids', b.root],
      ['sure', 'yes'],
    ])
    const ids = deletedIn(location)
    expect(ids.split('.')).toHaveLength(2)
    expect((await call('GET', location)).text).toContain('2 deleted.')
    await post(`/admin/trash/restore?ids=${ids}`, {})
    expect([await a.raw(), await b.raw()]).toEqual([a.before, b.before])
  })

  it('leaves the address to whoever may not delete addresses', async () => {
    const { root, route_id } = await page('/address')
    const author = await callerWith('content:read', 'content:update', 'content:delete')
    const asked = await author.call('GET', `/admin/content/entry/${root}/delete`)
    expect(asked.text).toContain('The address /address remains, without a page.')
    expect((await author.post(`/admin/content/entry/${root}/delete`)).status).toBe(303)
    expect(await db.exists(tables.routes, { route_id })).toBe(true)
  })

  it('is for good where nothing is kept, and says so', async () => {
    const own = await testApp({ trash_retention: '0s' })
    const make = factories(own)
    const { datatype_id } = await make.datatype('Card')
    const { route_id } = await make.route('/kept', 'Kept')
    const { content_data_id: id } = await make.entry(datatype_id, { route_id })
    const { text } = await own.call('GET', `/admin/content/entry/${id}/delete`)
    expect(text).toContain('This cannot be undone.')
    const { location } = await panelForms(own).post(`/admin/content/entry/${id}/delete`, {})
    expect(location).toBe('/admin/content?saved')
  })
})

describe('the trash', () => {
  it('lists the newest first, and deletes for good after a question', async () => {
    const { root } = await page('/listed')
    const id = deletedIn((await remove(root)).location)
    const { text } = await call('GET', '/admin/trash')
    expect(text.indexOf('Page /listed')).toBeLessThan(text.indexOf('Page /address') >>> 0)
    expect(text).toContain('2 entries')
    const asked = await call('GET', `/admin/trash/${id}/delete`)
    expect(asked.text).toContain('Delete “Page /listed”?')
    expect((await post(`/admin/trash/${id}/delete`, {})).location).toBe('/admin/trash?saved')
    expect((await call('GET', '/admin/trash')).text).not.toContain('Page /listed')
    expect(await db.count(tables.trashPieces, { trash_id: id })).toBe(0)
  })

  it('shows who may edit what there is, and only who may delete how to restore it', async () => {
    await remove((await page('/rights')).root)
    const [row] = await db.findAll(tables.trash, {}, { newestFirst: true, limit: 1 })
    const id = row?.trash_id ?? ''
    const editor = await callerWith('content:read', 'content:update')
    const { text } = await editor.call('GET', '/admin/trash')
    expect(text).toContain('Page /rights')
    expect(text).not.toContain('restore?ids=')
    for (const path of [`/admin/trash/restore?ids=${id}`, `/admin/trash/${id}/delete`])
      expect((await editor.post(path)).status).toBe(403)
    expect((await call('GET', '/admin/trash', { as: 'viewer' })).status).toBe(403)
    const without = await post(`/admin/trash/restore?ids=${id}`, {}, { token: 'x' })
    expect(without.status).toBe(403)
    expect(await db.exists(tables.trash, { trash_id: id })).toBe(true)
  })

  it('asks no more of the database for many rows, whoever may delete but not publish', async () => {
    const own = await testApp()
    const made = factories(own)
    const { datatype_id } = await made.datatype('Card')
    const author = await callersOf(own).callerWith('content:read', 'content:update', 'content:delete')
    const add = async (n: number, status: string) => {
      const { route_id } = await made.route(`/many-${n}`, `Many ${n}`)
      const { content_data_id } = await made.entry(datatype_id, { route_id }, { status })
      await panelForms(own).post(`/admin/content/entry/${content_data_id}/delete`, {})
    }
    const list = async () => {
      const before = own.db.statementCounts.read
      const { text } = await author.call('GET', '/admin/trash')
      return {
        restored: text.match(/ action="\/admin\/trash\/restore/g)?.length,
        reads: own.db.statementCounts.read - before,
      }
    }
    await add(0, 'published')
    await add(1, 'draft')
    const few = await list()
    for (let n = 2; n < 32; n++) await add(n, n % 2 ? 'draft' : 'published')
    const many = await list()
    // Whatever has something published in it is left to those who may publish.
    expect([few.restored, many.restored]).toEqual([1, 16])
    // Names of people and datatypes are read in pieces.
    expect(many.reads - few.reads).toBeLessThan(5)
  })

  it('refuses what is no id, too many, and what is gone', async () => {
    const statusOf = async (ids: string) => (await post(`/admin/trash/restore?ids=${ids}`, {})).status
    expect([await statusOf(''), await statusOf('x')]).toEqual([400, 400])
    expect(await statusOf('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(404)
    expect(await statusOf(Array(201).fill('01ARZ3NDEKTSV4RRFFQ69G5FAV').join('.'))).toBe(400)
  })

  it('says what stands in the way of a restore', async () => {
    const { root, child } = await page('/way')
    const id = deletedIn((await remove(child)).location)
    await remove(root)
    const refused = await post(`/admin/trash/restore?ids=${id}`, {})
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('its parent entry is deleted: restore that entry first'),
    ])
  })

  it('is there for the admin space', async () => {
    expect((await call('GET', '/admin/space/trash')).text).toContain('The trash is empty.')
    const author = await callerWith('content:read', 'content:update', 'content:delete')
    expect((await author.call('GET', '/admin/space/trash')).status).toBe(403)
  })
})

describe.skipIf(chromiumMissing)(
  `the trash in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('takes a deletion back by one click, and restores from the list', async () => {
      const { root, raw, before } = await page('/clicks')
      const admin = await panel({ as: 'admin' })
      const { page: tab, open } = admin
      const deletePage = async () => {
        await open(`/content/entry/${root}`)
        await tab.locator('.bar summary').click()
        await tab.getByRole('link', { name: 'Delete…' }).click()
        await tab.locator('dialog[open]').getByRole('button', { name: 'Delete' }).click()
        await tab.getByText('Deleted.').waitFor()
      }
      await deletePage()
      expect(await admin.axe()).toEqual([])
      expect(await services.space.content.count({ content_data_id: root })).toBe(0)
      await tab.getByRole('button', { name: 'Undo' }).click()
      await tab.locator('h1', { hasText: 'Page /clicks' }).waitFor()
      expect(await raw()).toBe(before)
      await deletePage()
      await open('/trash')
      expect(await admin.axe()).toEqual([])
      await tab.getByRole('button', { name: 'Restore Page /clicks' }).click()
      await tab.waitForURL(`**/content/entry/${root}*`)
      expect(await raw()).toBe(before)
    })
  },
)
