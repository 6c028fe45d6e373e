import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp({ i18n_enabled: true })
const { call, db, services } = app
const { datatype, field, route, entry } = factories(app)
const { post } = panelForms(app)

const article = await datatype('Article')
await field(article.datatype_id, 'Lead', 'text')
await call('POST', '/api/v1/locales', { body: { code: 'de', label: 'German' } })

async function page(slug: string, title = `Page ${slug}`) {
  const { datatype_id } = article
  const { route_id } = await route(slug, title)
  const one = (lead: string, children: object[] = []) => ({ datatype_id, fields: { lead }, children })
  const root = await entry(
    datatype_id,
    { route_id },
    one('Root', [one('First', [one('Deep')]), one('Second')]),
  )
  const id = root.content_data_id as string
  await call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
  return { id, child: root.children[0].content_data_id as string, route_id: route_id as string }
}

const leads = async (root_id: string) => {
  const found: string[] = []
  for await (const rows of services.space.content.list({ root_id }, {}))
    for (const { content_data_id } of rows)
      for await (const values of services.space.contentFields.list({ content_data_id }, {}))
        found.push(...values.map(({ field_value }) => field_value))
  return found.sort()
}

describe('D9: a page is duplicated', () => {
  it('with all that is in it, as a draft of another title at an address that is free', async () => {
    const { id, route_id } = await page('/service')
    const translations = { de: { slug: '/dienst', title: 'Dienst' } }
    await call('PUT', '/api/v1/routes/', { body: { route_id, translations } })
    const made = await post(`/admin/content/entry/${id}/duplicate`, {})
    expect(made.status).toBe(303)
    const copy = await services.space.content.get(/\w{26}/.exec(made.location)?.[0] ?? '')
    expect(copy).toMatchObject({ status: 'draft', parent_id: null, author_id: app.users.admin })
    expect(await services.space.routes.get(copy.route_id ?? '')).toMatchObject({
      slug: '/service-2',
      title: 'Page /service (copy)',
      translations: { de: { title: 'Dienst (copy)' } },
    })
    expect(await leads(copy.content_data_id)).toEqual(['Deep', 'First', 'Root', 'Second'])
    expect((await call('GET', '/service-2', { as: 'nobody' })).status).toBe(404)
    const second = await services.space.copies.duplicatePage(systemActor, id)
    expect((await services.space.routes.get(second.route_id ?? '')).slug).toBe('/service-3')
  })

  it('with a title that is no longer than titles are', async () => {
    const { id } = await page('/long', 'x'.repeat(1024))
    const { route_id } = await services.space.copies.duplicatePage(systemActor, id)
    const { title } = await services.space.routes.get(route_id ?? '')
    expect([title.length, title.slice(-8)]).toEqual([1024, 'x (copy)'])
  })

  it('by who may make pages, where it is one', async () => {
    const { id, child } = await page('/refused')
    const path = `/admin/content/entry/${id}/duplicate`
    const before = await db.countAll(tables.routes)
    expect((await post(path, {}, { as: 'viewer' })).status).toBe(403)
    expect((await post(path, {}, { token: 'x' })).status).toBe(403)
    const listed = async (list: string) => (await call('GET', `/api/v1/${list}`)).body
    const { role_id } = (await listed('roles')).find((one: { label: string }) => one.label === 'viewer')
    for (const label of ['content:read', 'content:update', 'content:create']) {
      const { permission_id } = (await listed('permissions')).find(
        (one: { label: string }) => one.label === label,
      )
      await call('POST', '/api/v1/role-permissions', { body: { role_id, permission_id } })
    }
    const refused = await post(path, {}, { as: 'viewer' })
    expect([refused.status, refused.text.includes('routes:create')]).toEqual([403, true])
    expect((await call('GET', `/admin/content/entry/${id}`, { as: 'viewer' })).text).not.toContain(
      'Duplicate page',
    )
    expect((await post(`/admin/content/entry/${child}/duplicate`, {}, { as: 'viewer' })).status).toBe(303)
    expect((await post('/admin/content/entry/01ARZ3NDEKTSV4RRFFQ69G5FAV/duplicate', {})).status).toBe(404)
    const { duplicatePage } = services.space.copies
    await expect(duplicatePage(systemActor, child)).rejects.toMatchObject({
      status: 400,
      member: 'content_data_id',
    })
    await expect(duplicatePage(systemActor, 'x')).rejects.toMatchObject({ status: 404 })
    expect(await db.countAll(tables.routes)).toBe(before)
  })
})

describe.skipIf(chromiumMissing)(
  `the head menu${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('duplicates, shows the page and deletes, and is closed by Esc and by a click elsewhere', async () => {
      const { id } = await page('/menu')
      const admin = await panel({ as: 'admin' })
      const { page: tab, open } = admin
      await open(`/content/entry/${id}`)
      const items = tab.locator('.menu-items')
      expect(await items.isVisible()).toBe(false)
      await tab.locator('.bar summary').focus()
      await tab.keyboard.press('Enter')
      await expectClean(admin)
      expect((await items.locator('.button').allTextContents()).map(text => text.trim())).toEqual([
        'Add entry below…',
        'Duplicate page',
        'Copy link',
        'View page',
        'Delete… Page /menu',
      ])
      expect(await tab.getByRole('link', { name: 'View page' }).getAttribute('href')).toMatch(/\/menu$/)
      await tab.keyboard.press('Escape')
      expect(await items.isVisible()).toBe(false)
      expect(await tab.evaluate(() => document.activeElement?.tagName)).toBe('SUMMARY')
      await tab.locator('.bar summary').click()
      await tab.locator('main').click({ position: { x: 4, y: 4 } })
      expect(await items.isVisible()).toBe(false)
      await tab.locator('.bar summary').click()
      await tab.getByRole('button', { name: 'Duplicate page' }).click()
      await tab.waitForURL(url => !url.href.includes(id))
      expect(await tab.getByLabel('Title').inputValue()).toBe('Page /menu (copy)')
      expect(await tab.getByLabel('Address').inputValue()).toBe('menu-2')
      expect(await items.isVisible()).toBe(false)
    })
  },
)
