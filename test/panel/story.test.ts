import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp({ i18n_enabled: true })
const { call, services } = app
const { datatype, field, route, entry } = factories(app)
const { post, seen } = panelForms(app)

const publicPage = async (slug: string) => (await call('GET', `${slug}?format=clean`, { as: 'nobody' })).body
const valuesOf = async (id: string) =>
  (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body as {
    field_value: string
    locale: string
  }[]
const entryIn = (page: Page) => /entry\/(\w{26})/.exec(page.url())?.[1] ?? ''

const types = [
  ['text', 'One line', {}],
  ['textarea', 'Several\nlines', {}],
  ['number', '3.5', {}],
  ['date', '2026-12-24', {}],
  ['datetime', '2026-12-24T18:30', {}],
  ['boolean', 'true', {}],
  ['select', 'b', { options: ['a', { value: 'b', label: 'The second' }] }],
  ['json', '{"a": [1]}', {}],
  ['richtext', '<p>Some <strong>text</strong></p>', {}],
  ['slug', 'a-slug', {}],
  ['email', 'ada@example.com', {}],
  ['url', 'https://example.com/', {}],
] as const

describe('an entry by forms alone', () => {
  it('takes a value of each field type, changes only what was changed, and empties a field', async () => {
    const { datatype_id } = await datatype('Everything')
    for (const [type, , data] of types) await field(datatype_id, type, type, { name: `f_${type}`, data })
    await field(datatype_id, 'links', 'relation', { name: 'f_links', data: { cardinality: 'many' } })
    const { route_id } = await route('/everything')
    const other = await entry(datatype_id, { route_id: (await route('/other')).route_id })
    const { content_data_id: id } = await entry(datatype_id, { route_id })
    const path = `/admin/content/entry/${id}`
    const values: [string, string][] = types.map(([type, text]) => [`fields.f_${type}`, text])
    const links: [string, string][] = ['', other.content_data_id].map(text => ['fields.f_links', text])
    const answer = await post(path, [...values, ...links, ['seen', await seen(path)]])
    expect([answer.status, answer.location]).toEqual([
      303,
      expect.stringContaining(`${path}?saved&undo=save.`),
    ])
    const stored = await valuesOf(id)
    expect(stored.map(({ field_value }) => field_value).toSorted()).toEqual(
      [
        ...types.map(([type, text]) => (type === 'datetime' ? '2026-12-24T18:30:00Z' : text)),
        JSON.stringify([other.content_data_id]),
      ].toSorted(),
    )
    const count = (await app.audits()).length
    await post(path, [...values, ...links, ['seen', await seen(path)]])
    expect((await app.audits()).length).toBe(count)
    await post(path, [
      ['fields.f_text', ''],
      ['fields.f_links', ''],
    ])
    expect(await valuesOf(id)).toHaveLength(types.length - 1)
  })

  it('says what is wrong beside the field and keeps the rest, and never loses the words of two editors', async () => {
    const { datatype_id } = await datatype('Note')
    await field(datatype_id, 'Text', 'text')
    await field(datatype_id, 'Count', 'number')
    const { route_id } = await route('/note')
    const { content_data_id: id } = await entry(datatype_id, { route_id })
    const path = `/admin/content/entry/${id}`
    const wrong = await post(path, { 'fields.text': 'kept', 'fields.count': 'three', seen: await seen(path) })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toMatch(/id="e-fields.count"[^>]*>.*must be a number/s)
    expect(wrong.text).toContain('value="kept"')
    const mark = await seen(path)
    app.clock.advance(1000)
    expect((await post(path, { 'fields.text': 'mine', seen: mark }, { as: 'editor' })).status).toBe(303)
    const late = await post(path, { 'fields.text': 'theirs', seen: mark })
    expect(late.status).toBe(412)
    expect(late.text).toContain('value="theirs"')
    expect(late.text).toContain('<code><mark>mine</mark></code>')
    expect(late.text).toContain('<b>editor saved this while you were writing</b>')
    expect((await valuesOf(id)).map(({ field_value }) => field_value)).toEqual(['mine'])
  })

  it('is for who may change content, and publishes for who may publish', async () => {
    const { datatype_id } = await datatype('Rule')
    await field(datatype_id, 'Price', 'number', { required: true })
    const { route_id } = await route('/rule')
    const root = await entry(datatype_id, { route_id }, { fields: { price: 1 } })
    await entry(datatype_id, { parent_id: root.content_data_id })
    const path = `/admin/content/entry/${root.content_data_id}`
    for (const at of [
      '/admin/content',
      path,
      `${path}/versions`,
      `${path}/changes`,
      `/admin/content/${route_id}`,
    ])
      expect([at, (await call('GET', at, { as: 'viewer' })).status]).toEqual([at, 403])
    expect((await post(path, { next: 'publish' }, { as: 'editor' })).text).toContain('content:publish')
    const refused = await post(path, { next: 'publish' })
    expect(refused.status).toBe(400)
    expect(refused.text).toMatch(/“Rule”: Price is required/)
    for (const at of ['add', 'move', 'place', 'duplicate', 'delete', 'unpublish', 'schedule', 'versions'])
      expect([at, (await post(`${path}/${at}`, {}, { as: 'viewer' })).status]).toEqual([at, 403])
    const past = await post(`${path}/schedule`, { publish_at: '2020-01-01T00:00', unpublish_at: '' })
    expect([past.status, past.text.includes('must be in the future')]).toEqual([400, true])
    expect(
      (await post(`${path}/schedule`, { publish_at: '2026-12-01T08:00', unpublish_at: '' })).status,
    ).toBe(303)
    expect(await services.space.content.get(root.content_data_id)).toMatchObject({
      publish_at: '2026-12-01T08:00:00Z',
      status: 'draft',
    })
  })

  it('is shown along the way in a tree that is too large to be shown whole', async () => {
    const { datatype_id } = await datatype('Leaf')
    const { route_id } = await route('/large')
    const leaves = (n: number) => Array.from({ length: n }, () => ({ datatype_id }))
    const root = await entry(datatype_id, { route_id }, { children: leaves(501) })
    const deep = await entry(datatype_id, { parent_id: root.content_data_id }, { children: leaves(2) })
    const page = await call('GET', `/admin/content/entry/${deep.content_data_id}`)
    expect(page.text).toContain('This page has 505 entries.')
    expect(page.text.match(/role="treeitem"/g)?.length).toBeLessThan(210)
    expect(page.text.match(/aria-level="3"/g)).toHaveLength(2)
  })
})

describe.skipIf(chromiumMissing)(`the story${chromiumMissing ? ` (${chromiumMissing})` : ''}`, async () => {
  const { panel } = await browserOf(app)

  it('goes from a kind of page to a page that the public sees, by keyboard, and back by a version', async () => {
    const { page, open, problems } = await panel({ as: 'admin' })
    const save = () => page.keyboard.press('Control+s')
    await open('/datatypes/new')
    await page.fill('#f-label', 'Article')
    await save()
    await page.getByText('Add a field').click()
    await page.fill('#f-field_label', 'Headline')
    await page.keyboard.press('Enter')
    await page.locator('[data-order] > li', { hasText: 'Headline' }).waitFor()
    await open('/routes/new')
    await page.fill('#f-title', 'News')
    await page.fill('#f-slug', '/news')
    await save()
    await page.waitForURL(/\/routes\/\w{26}$/)
    await page.getByRole('link', { name: 'Content', exact: true }).last().click()
    await page.getByRole('button', { name: 'Article' }).click()
    await page.waitForURL(/\/content\/entry\//)
    const root = entryIn(page)
    for (const headline of ['First', 'Second']) {
      await open(`/content/entry/${root}`)
      await page.selectOption('#add', { label: 'Article' })
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.waitForURL(url => !url.href.includes(root))
      await page.fill('[id="f-fields.headline"]', headline)
      await save()
      await page.locator('#saved', { hasText: 'Saved' }).waitFor()
    }
    await page.locator('[role=treeitem]', { hasText: 'Second' }).focus()
    await page.keyboard.press('Alt+ArrowUp')
    await page.locator('#say', { hasText: 'Second, 1 of 2 in News' }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Second')
    await page
      .getByRole('treeitem', { name: 'Second' })
      .dragTo(page.getByRole('treeitem', { name: 'First' }), { targetPosition: { x: 60, y: 29 } })
    await page.locator('#say', { hasText: 'Second, 2 of 2 in News' }).waitFor()
    await page
      .getByRole('treeitem', { name: 'Second' })
      .dragTo(page.getByRole('treeitem', { name: 'First' }), { targetPosition: { x: 60, y: 3 } })
    await page.locator('#say', { hasText: 'Second, 1 of 2 in News' }).waitFor()
    await page.getByRole('treeitem', { name: 'Second' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('f')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowLeft')
    expect(await page.locator('[role=treeitem]:visible').count()).toBe(1)
    // A search of the browser finds what is closed, and opens it.
    await page.locator('[data-tree] [role=group]').first().dispatchEvent('beforematch')
    expect(await page.locator('[role=treeitem]:visible').count()).toBe(3)
    await page.keyboard.press('Enter')
    await page.waitForURL(url => url.href.endsWith(root))
    await page.keyboard.press('Control+Enter')
    await page.locator('.meta .state.live').waitFor()
    expect((await publicPage('/news')).children.map((one: { headline: string }) => one.headline)).toEqual([
      'Second',
      'First',
    ])
    await page.getByRole('treeitem', { name: 'First' }).click()
    await page.fill('[id="f-fields.headline"]', 'Changed')
    await save()
    await page.locator('h1', { hasText: 'Changed' }).waitFor()
    await open(`/content/entry/${root}/versions`)
    await page.getByRole('button', { name: 'Restore' }).first().click()
    await page.waitForURL(url => url.href.endsWith(`${root}`))
    expect(JSON.stringify(await publicPage('/news'))).toContain('First')
    await page.getByRole('button', { name: 'Unpublish' }).click()
    await page.locator('.meta .state.draft').waitFor()
    expect((await call('GET', '/news', { as: 'nobody' })).status).toBe(404)
    expect(problems).toEqual([])
  })

  it('is read and written without scripts', async () => {
    const { datatype_id } = await datatype('Plain')
    await field(datatype_id, 'Words', 'text')
    const { route_id } = await route('/plain', 'Plain')
    const root = await entry(datatype_id, { route_id }, { children: [{ datatype_id }] })
    const { page, open } = await panel({ as: 'admin', javaScriptEnabled: false })
    await open('/content')
    await page.getByRole('link', { name: 'Plain' }).click()
    await page.fill('[id="f-fields.words"]', 'Without a script')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.locator('.meta .state.live').waitFor()
    expect(await publicPage('/plain')).toMatchObject({ words: 'Without a script' })
    await page.getByRole('treeitem').last().click()
    const menu = page.locator('summary', { has: page.locator('[href$="#more"]') })
    await menu.click()
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await menu.click()
    await page.getByRole('button', { name: 'Move up' }).click()
    expect(await page.getByRole('treeitem').count()).toBe(3)
    await menu.click()
    await page.getByRole('link', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(new RegExp(root.content_data_id))
    expect(await page.getByRole('treeitem').count()).toBe(2)
  })

  for (const [look, options] of Object.entries(looks))
    it(`has nothing that axe or the policy refuses: ${look}`, async () => {
      const hostile = `${look} "><img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script></textarea>`
      const { datatype_id, name } = await datatype(hostile.slice(0, 200))
      for (const [type, , data] of types)
        await field(datatype_id, hostile.slice(0, 200), type, { name: `f_${type}`, data, translatable: true })
      const { route_id } = await route(`/axe-${look}`, hostile)
      const fields = { f_text: hostile, f_textarea: hostile, f_json: JSON.stringify(hostile) }
      const root = await entry(datatype_id, { route_id }, { fields, children: [{ datatype_id, fields }] })
      await call('POST', '/api/v1/content/publish', { body: { content_data_id: root.content_data_id } })
      const path = `/content/entry/${root.content_data_id}`
      const admin = await panel({ ...options, as: 'admin' })
      for (const at of [
        '/content',
        path,
        `${path}?locale=en`,
        `${path}/versions`,
        `${path}/changes`,
        `${path}/delete`,
      ]) {
        expect([name, at, await admin.open(at)]).toEqual([name, at, 200])
        await expectClean(admin)
        expect(await admin.page.evaluate('globalThis.hit')).toBe(undefined)
      }
    })
})
