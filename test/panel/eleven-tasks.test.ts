import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { picture } from '../support/media.js'
import { testStorage } from '../support/storage.js'

/**
 * What editors do most, with the clicks of the best of five other systems as the limit. Typing is not counted. A datatype
 * with fourteen fields is in field-list.test.ts.
 */
const storage = await testStorage()
const app = await testApp({ ...storage.config })
const { call } = app
const { datatype, field, route, entry } = factories(app)

const post = await datatype('Post')
await field(post.datatype_id, 'Body', 'richtext')
const section = await datatype('Section')
await field(section.datatype_id, 'Heading', 'text')

/** A post with three sections. @returns the ids of all, the post first */
async function posted(slug: string, body = '<p>Salt on the road</p>'): Promise<string[]> {
  const { route_id } = await route(slug, `Post ${slug}`)
  const children = ['One', 'Two', 'Three'].map(heading => ({
    datatype_id: section.datatype_id,
    fields: { heading },
  }))
  const made = await entry(post.datatype_id, { route_id }, { fields: { body }, children })
  const under = made.children.map(({ content_data_id }: { content_data_id: string }) => content_data_id)
  return [made.content_data_id, ...under]
}
const statusOf = async (id: string) => (await call('GET', `/api/v1/content?q=${id}`)).body.status
const bodyOf = async (id: string) =>
  (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body[0]?.field_value
const publish = (id: string) => call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })

const png = (await picture(300, 200).png().toBuffer()).toString('base64')
const dropPicture = (target: Locator) =>
  target.evaluate((at, bytes) => {
    const data = new DataTransfer()
    const file = new File([Uint8Array.from(atob(bytes), c => c.charCodeAt(0))], 'sea.png', {
      type: 'image/png',
    })
    data.items.add(file)
    const box = (at.querySelector('p') ?? at).getBoundingClientRect()
    const place = { clientX: box.right - 4, clientY: box.top + box.height / 2 }
    at.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true, ...place }))
  }, png)

/** Counts the clicks and drags of a task. */
function handOn(page: Page) {
  let clicks = 0
  return {
    clicks: () => clicks,
    async click(place: Locator) {
      clicks++
      await place.click()
    },
    async drag(from: Locator, to: Locator, y: number) {
      clicks++
      await from.dragTo(to, { targetPosition: { x: 60, y } })
    },
    saved: () => page.locator('#saved', { hasText: /^\s*Saved/ }).waitFor(),
  }
}

describe.skipIf(chromiumMissing)(`tasks${chromiumMissing ? ` (${chromiumMissing})` : ''}`, async () => {
  const { panel } = await browserOf(app)
  const begin = async (path: string, timezoneId = 'UTC') => {
    const admin = await panel({ as: 'admin', timezoneId })
    const { page, open } = admin
    // The first page tells the server the time zone.
    if (timezoneId !== 'UTC') await open('')
    await open(path)
    return { admin, page, ...handOn(page) }
  }
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  it('a new post, published: 3', async () => {
    const { page, click, clicks } = await begin('')
    await click(page.getByRole('link', { name: 'New page' }))
    // What is typed before the page is there goes nowhere.
    await page.locator('[name=title]:focus').waitFor()
    await page.keyboard.type('Winter chains')
    await click(page.getByText('Post', { exact: true }))
    await page.keyboard.press('Enter')
    await page.locator('.ProseMirror:focus').waitFor()
    await page.keyboard.type('Oil them.')
    await click(button(page, 'Publish'))
    await expect
      .poll(async () => (await call('GET', '/winter-chains?format=clean', { as: 'nobody' })).status)
      .toBe(200)
    expect(clicks()).toBe(3)
    // The page came into the page of its form: its frame follows the save, and others see who has it open.
    await page.frameLocator('#page-frame iframe:not(.coming)').getByText('Oil them.').waitFor()
    const other = await panel({ as: 'editor' })
    await other.page.goto(page.url())
    await other.page.locator('#presence', { hasText: 'has this page open too' }).waitFor()
  })

  it('a picture from the disk in a text: 1 drop', async () => {
    const [id = ''] = await posted('/picture')
    const { page } = await begin(`/content/entry/${id}`)
    await page.locator('.ProseMirror').waitFor()
    await dropPicture(page.locator('.ProseMirror'))
    await page.locator('.ProseMirror .picture img').waitFor()
    await page.keyboard.press('Control+s')
    await expect.poll(() => bodyOf(id)).toContain('<img')
  })

  it('a block under a section: 2', async () => {
    const [id = ''] = await posted('/block')
    const { page, click, clicks } = await begin(`/content/entry/${id}`)
    const row = page.locator(`[id="n-${id}"]`)
    await row.hover()
    await click(row.locator('[data-hand=add]'))
    await click(page.locator('.floating [role=option]', { hasText: 'Section' }))
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('f-fields.heading')
    expect(clicks()).toBeLessThanOrEqual(2)
  })

  it('a block moved up by two: 1 drag', async () => {
    const [id = '', one, two, three = ''] = await posted('/moved')
    const { page, drag, clicks } = await begin(`/content/entry/${id}`)
    await drag(page.locator(`[id="n-${three}"]`), page.locator(`[id="n-${one}"]`), 2)
    const order = async () => {
      const { body } = await call('GET', '/api/v1/content')
      const rows = body.filter(({ parent_id }: { parent_id: string }) => parent_id === id)
      rows.sort((a: { sort_order: number }, b: { sort_order: number }) => a.sort_order - b.sort_order)
      return rows.map(({ content_data_id }: { content_data_id: string }) => content_data_id)
    }
    await expect.poll(order).toEqual([three, one, two])
    expect(clicks()).toBe(1)
  })

  it('a schedule in the own time zone: 2', async () => {
    const [id = ''] = await posted('/planned')
    const { page, click, clicks } = await begin(`/content/entry/${id}`, 'Europe/Berlin')
    await click(page.locator('summary', { hasText: 'Schedule' }))
    await page.locator('input[name=publish_at]').fill('2030-12-24T09:00')
    await click(button(page, 'Schedule'))
    const plan = async () => (await call('GET', `/api/v1/content?q=${id}`)).body.publish_at
    await expect.poll(plan).toBe('2030-12-24T08:00:00Z')
    expect(clicks()).toBeLessThanOrEqual(4)
  })

  it('unpublish: 1', async () => {
    const [id = ''] = await posted('/withdrawn')
    await publish(id)
    const { page, click, clicks } = await begin(`/content/entry/${id}`)
    await click(button(page, 'Unpublish'))
    await expect.poll(() => statusOf(id)).toBe('draft')
    expect(clicks()).toBe(1)
  })

  it('the version before: 4', async () => {
    const [id = ''] = await posted('/version', '<p>Before</p>')
    await publish(id)
    await call('PUT', `/api/v1/content?q=${id}`, { body: { fields: { body: '<p>After</p>' } } })
    const { page, click, clicks } = await begin(`/content/entry/${id}`)
    await click(page.locator('.side').getByRole('link', { name: /^All/ }))
    await click(button(page, 'Restore').first())
    await expect.poll(() => bodyOf(id)).toBe('<p>Before</p>')
    expect(clicks()).toBeLessThanOrEqual(4)
  })

  it('a new title: 1', async () => {
    const [id = ''] = await posted('/title')
    const { page, click, clicks, saved } = await begin(`/content/entry/${id}`)
    await click(page.locator('.page-title input, [id="f-title"]').first())
    await page.keyboard.press('Control+a')
    await page.keyboard.type('A better title')
    await page.keyboard.press('Enter')
    await saved()
    expect(await page.locator('h1').first().textContent()).toContain('A better title')
    expect(clicks()).toBe(1)
  })

  it('50 drafts of a list published: 3', async () => {
    const drafts: string[] = []
    for (let n = 1; n <= 50; n++) {
      const { route_id } = await route(`/draft-${n}`, `Draft ${n}`)
      drafts.push((await entry(section.datatype_id, { route_id })).content_data_id)
    }
    const { admin, page, click, clicks } = await begin(`/content?datatype_id=${section.datatype_id}`)
    expect(await page.locator('.work-bar').isVisible()).toBe(false)
    await click(page.getByRole('checkbox', { name: 'Select all 50' }))
    await page.locator('.work-bar', { hasText: '50 selected' }).waitFor()
    await expectClean(admin)
    await click(button(page, 'Publish'))
    await page.getByText('50 entries published.').waitFor()
    expect(clicks()).toBeLessThanOrEqual(3)
    expect(new Set(await Promise.all(drafts.map(statusOf)))).toEqual(new Set(['published']))
    expect(page.url()).not.toContain('done=')
    await expectClean(admin)
  })

  it('a post found by a word of its text: 2', async () => {
    await publish((await posted('/found', '<p>About derailleurs</p>'))[0] ?? '')
    const { page, click, clicks } = await begin('')
    await click(page.locator('[data-palette]'))
    await page.keyboard.type('derailleurs')
    await click(page.locator('#palette [role=option]', { hasText: 'Post /found' }).first())
    await page.locator('h1', { hasText: 'Post /found' }).waitFor()
    expect(clicks()).toBe(2)
  })
})
