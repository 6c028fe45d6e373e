import { describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { call, db, services } = app
const { datatype, entry, field, route } = factories(app)
const { post } = panelForms(app)
const path = '/admin/content/new'

describe('a new page', () => {
  it('needs a datatype to start from', async () => {
    const { text } = await call('GET', path)
    expect([text.includes('No datatypes for pages yet'), text.includes('id="form"')]).toEqual([true, false])
  })

  it('is an address with an entry on it, which opens to be written', async () => {
    const { datatype_id } = await datatype('Article')
    await datatype('Menu', { type: '_global' })
    const content = await call('GET', '/admin/content')
    expect(content.text).toContain(`href="${path}"`)
    const form = await call('GET', path)
    expect(
      [...form.text.matchAll(/name="datatype_id" value="(\w{26})"[^>]*><b>([^<]*)/g)].map(
        ([, ...one]) => one,
      ),
    ).toEqual([[datatype_id, 'Article']])
    const given = { title: 'About us', slug: '/about', datatype_id }
    const { status, location } = await post(path, given)
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/admin\/content\/entry\/\w{26}\?new$/)])
    const entry = await db.get(tables.contentData, location.slice(-30, -4))
    expect(entry).toMatchObject({ datatype_id, status: 'draft', parent_id: null })
    expect(await db.get(tables.routes, entry?.route_id ?? '')).toMatchObject({
      slug: '/about',
      title: 'About us',
    })
    const again = await post(path, given)
    expect([
      again.status,
      /id="e-slug">.*?\/about is taken, \/about-2 is available/s.test(again.text),
    ]).toEqual([409, true])
    expect(again.text).toContain('value="About us"')
    const wrong = await post(path, { ...given, slug: 'about us' })
    expect([wrong.status, /id="e-slug">.*?must not contain whitespace/s.test(wrong.text)]).toEqual([
      400,
      true,
    ])
    expect((await post(path, given, { as: 'viewer' })).status).toBe(403)
    expect(await db.countAll(tables.routes)).toBe(1)
  })

  it('takes the rights to make both', async () => {
    const listed = async (list: string) => (await call('GET', `/api/v1/${list}`)).body
    const idOf = async (list: string, id: string, label: string): Promise<string> =>
      (await listed(list)).find((one: { label: string }) => one.label === label)[id]
    const body = {
      role_id: await idOf('roles', 'role_id', 'viewer'),
      permission_id: await idOf('permissions', 'permission_id', 'content:create'),
    }
    expect((await call('POST', '/api/v1/role-permissions', { body })).status).toBe(201)
    const [datatype] = await listed('datatypes')
    const given = { title: 'No', slug: '/no', datatype_id: datatype.datatype_id }
    for (const answer of [
      await call('GET', path, { as: 'viewer' }),
      await post(path, given, { as: 'viewer' }),
    ])
      expect([answer.status, answer.text.includes('routes:create')]).toEqual([403, true])
    expect(await db.countAll(tables.routes)).toBe(1)
  })
})

const words = (text: string) =>
  [...text.matchAll(/name="datatype_id" value="\w{26}"[^>]*><b>([^<]*)/g)].map(([, one]) => one)

describe('D10: a new page', () => {
  it('starts from kinds that pages start from, not from those that are only inside of pages', async () => {
    const { datatype_id } = await datatype('Landing')
    const hero = await datatype('Hero')
    await datatype('Slide', { parent_id: hero.datatype_id })
    const { route_id } = await route('/landing')
    const root = await entry(datatype_id, { route_id })
    expect(words((await call('GET', path)).text)).toEqual(['Article', 'Landing', 'Hero'])
    await entry(hero.datatype_id, { parent_id: root.content_data_id })
    expect(words((await call('GET', path)).text)).toEqual(['Article', 'Landing'])
  })

  it('gets an address of its title where it has none, which is free', async () => {
    const { datatype_id } = await datatype('Diary')
    const at = async (title: string, slug = '') => {
      const { status, location } = await post(path, { title, slug, datatype_id })
      expect(status).toBe(303)
      const { route_id } = await services.space.content.get(location.slice(-30, -4))
      return (await services.space.routes.get(route_id ?? '')).slug
    }
    expect(await at('Über Bäume & Blätter')).toBe('/uber-baume-blatter')
    expect(await at('First', '/diary/first')).toBe('/diary/first')
    // Beside the newest page of its datatype.
    expect(await at("Now it's second")).toBe('/diary/now-its-second')
    expect(await at('Second', '/diary/second')).toBe('/diary/second')
    expect(await at('Second')).toBe('/diary/second-2')
    expect(await at('Second')).toBe('/diary/second-3')
    expect(await at('!!!')).toBe('/diary/page')
    const made = await call('POST', '/api/v1/pages', { body: { title: 'О нас', datatype_id } })
    expect([made.status, made.body.route.slug]).toEqual([201, '/diary/o-nas'])
    expect(
      (await call('GET', `/admin/content-slug?${new URLSearchParams({ title: 'Second', datatype_id })}`))
        .body,
    ).toEqual({ slug: '/diary/second-4' })
    for (const query of ['', '?title=', '?title=%20&datatype_id=x'])
      expect((await call('GET', `/admin/content-slug${query}`)).body).toEqual({ slug: '' })
    expect((await call('GET', '/admin/content-slug?title=x', { as: 'viewer' })).status).toBe(403)
    expect((await call('GET', '/admin/content-slug?title=x', { as: 'nobody' })).status).not.toBe(200)
    const long = `/admin/content-slug?title=${'y'.repeat(5000)}`
    expect((await call('GET', long)).body).toEqual({ slug: '' })
  })

  it('has no address that belongs to the service', async () => {
    const { datatype_id } = await datatype('Odd')
    expect(await services.space.slugs.made({ title: 'Admin', datatype_id })).toBe('/admin-2')
    expect(await services.space.slugs.free('/')).toBe('/')
    await route('/')
    expect(await services.space.slugs.free('/')).toBe('/home')
  })
})

describe.skipIf(chromiumMissing)(
  `D10 in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('is written from title to first field without a hand on the address', async () => {
      const { datatype_id } = await datatype('Story')
      await field(datatype_id, 'Lead', 'textarea')
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      const focused = () => page.evaluate(() => document.activeElement?.id)
      await open('/content/new')
      expect(await focused()).toBe('f-title')
      await page.locator(`.type-tile:has([value="${datatype_id}"])`).click()
      await page.focus('#f-title')
      await page.keyboard.type('Ride on, dear bicycle')
      await expect.poll(() => page.inputValue('#f-slug')).toBe('/ride-on-dear-bicycle')
      expect(await page.textContent('#h-slug')).toBe('created from the title')
      await expectClean(admin)
      await page.keyboard.type('!')
      await page.keyboard.press('Enter')
      await page.waitForURL(/entry\/\w{26}$/)
      await expect.poll(focused).toBe('f-fields.lead')
      await page.keyboard.type('It goes on.')
      expect(await page.inputValue('[id="f-fields.lead"]')).toBe('It goes on.')
    })

    it('keeps an address that was touched, and says which is free', async () => {
      const { datatype_id } = await datatype('Note')
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      await open('/content/new')
      await page.locator(`.type-tile:has([value="${datatype_id}"])`).click()
      await page.fill('#f-title', 'First')
      await expect.poll(() => page.inputValue('#f-slug')).toBe('/first')
      await page.fill('#f-slug', '/diary/first')
      await page.fill('#f-title', 'First of all')
      await page.keyboard.press('Enter')
      await page.getByText('/diary/first is taken, /diary/first-2 is available').first().waitFor()
      expect(await page.inputValue('#f-slug')).toBe('/diary/first')
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('f-slug')
      await expectClean(admin)
    })
  },
)
