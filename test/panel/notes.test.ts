import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, looks } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { browserProfile, killableBrowser } from '../support/killed-browser.js'

const app = await testApp({ publish_mode: 'staged' })
const { call, config } = app
const { datatype, field, route, entry } = factories(app)
const kind = (await datatype('Page')).datatype_id
const teaser = await field(kind, 'Teaser', 'text')

async function page(slug: string) {
  const { route_id } = await route(slug)
  const { content_data_id } = await entry(kind, { route_id })
  return { id: content_data_id as string, path: `/content/entry/${content_data_id}` }
}
const bodies = async (id: string) =>
  (await call('GET', `/api/v1/comments?content_data_id=${id}`)).body.map((one: { body: string }) => one.body)

describe.skipIf(chromiumMissing)('a comment that is typed and not sent', async () => {
  const { panel, url } = await browserOf(app)

  it('is offered after the browser was killed, beside the form, until it is sent', async () => {
    const { id, path } = await page('/killed')
    const profile = browserProfile()
    const cookie = { name: config.cookie_name, value: 'editor-secret-of-this-test', url }
    const first = await killableBrowser(profile)
    await first.context.addCookies([cookie])
    const tab = await first.context.newPage()
    await tab.setViewportSize(looks.light.viewport)
    await tab.goto(`${url}/admin${path}`)
    await tab.locator('textarea[data-names]').pressSequentially('Half a thought')
    const kept = () =>
      tab.evaluate(
        () =>
          new Promise<number>(resolve => {
            const request = indexedDB.open('slugline drafts', 1)
            request.onsuccess = () => {
              const all = request.result.transaction('drafts').objectStore('drafts').getAll()
              all.onsuccess = () =>
                resolve(all.result.filter(({ values }) => JSON.stringify(values).includes('thought')).length)
            }
          }),
      )
    await expect.poll(kept, { timeout: 180_000 }).toBe(1)
    await first.kill9()

    const second = await killableBrowser(profile)
    await second.context.addCookies([cookie])
    const again = await second.context.newPage()
    await again.setViewportSize(looks.light.viewport)
    await again.goto(`${url}/admin${path}`)
    const box = again.locator('textarea[data-names]')
    await again.locator('.comment-new').getByRole('button', { name: 'Restore' }).click()
    expect(await box.inputValue()).toBe('Half a thought')
    await again.getByRole('button', { name: 'Comment', exact: true }).click()
    await expect.poll(() => bodies(id)).toEqual(['Half a thought'])
    await again.locator('.comment .comment-body').waitFor()
    await again.reload()
    await box.waitFor()
    expect(await box.inputValue()).toBe('')
    await expect.poll(() => again.getByRole('button', { name: 'Restore' }).count()).toBe(0)
  })

  it('is kept when the sending fails, and forgotten when it is discarded', async () => {
    const { id, path } = await page('/refused')
    const seen = await panel({ as: 'editor' })
    const { page: tab } = seen
    tab.on('dialog', dialog => dialog.accept())
    await seen.open(path)
    const box = tab.locator('textarea[data-names]')
    await box.fill('Not yet sent')
    await tab.route('**/comments', request => request.abort())
    await tab.getByRole('button', { name: 'Comment', exact: true }).click()
    await tab.locator('#saved', { hasText: 'no connection' }).waitFor()
    expect(await box.inputValue()).toBe('Not yet sent')
    await tab.unroute('**/comments')
    await tab.reload()
    await tab.locator('.comment-new').getByRole('button', { name: 'Restore' }).waitFor()
    expect(await seen.axe()).toEqual([])
    await tab.locator('.comment-new').getByRole('button', { name: 'Discard' }).click()
    await tab.reload()
    await box.waitFor()
    await expect.poll(() => tab.locator('.offered').count()).toBe(0)
    expect(await bodies(id)).toEqual([])
  })

  it('is kept for the answer to a review too, which is folded', async () => {
    const { id, path } = await page('/review')
    await call('POST', '/api/v1/review-requests', { as: 'editor', body: { content_data_id: id, note: '' } })
    const { page: tab, open } = await panel({ as: 'admin' })
    await open(path)
    const note = tab.locator('form[action$="/return"] textarea')
    await tab.getByText('Send back with a note').click()
    await note.fill('Please shorten')
    await tab.reload()
    await tab.locator('form[action$="/return"]').getByRole('button', { name: 'Restore' }).click()
    expect(await note.inputValue()).toBe('Please shorten')
    await tab.getByRole('button', { name: 'Send back', exact: true }).click()
    await tab.getByText('requested a review').waitFor({ state: 'detached' })
    const [request] = (await call('GET', `/api/v1/review-requests?content_data_id=${id}`)).body
    expect([request.status, request.answer]).toEqual(['returned', 'Please shorten'])
  })

  const saveElsewhere = async (id: string, text: string) => {
    const rows = (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body
    const { content_field_id, field_id } = rows.find(
      (one: { field_id: string }) => one.field_id === teaser.field_id,
    ) ?? { field_id: teaser.field_id }
    const body = { content_data_id: id, field_id, field_value: text }
    const saved =
      content_field_id === undefined
        ? await call('POST', '/api/v1/content-fields', { body })
        : await call('PUT', '/api/v1/content-fields', { body: { content_field_id, field_value: text } })
    expect(saved.status).toBeLessThan(300)
  }
  const look = (tab: Page) => tab.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  const places = {
    comment: 'textarea[data-names]',
    'note of a review': 'form[action$="/return"] textarea',
  }

  it.for(Object.entries(places))('a %s stays under the caret when somebody saves', async ([name, box]) => {
    const { id, path } = await page(`/typed-${name.length}`)
    await call('POST', '/api/v1/review-requests', { as: 'editor', body: { content_data_id: id, note: '' } })
    const { page: tab, open } = await panel({ as: 'admin' })
    await open(path)
    const note = tab.locator(box)
    if (name !== 'comment') await tab.getByText('Send back with a note').click()
    await note.pressSequentially('Half a wo')
    await tab.keyboard.press('ArrowLeft')
    await saveElsewhere(id, 'Saved by somebody')
    await look(tab)
    await tab.locator('#elsewhere', { hasText: 'Send your text' }).waitFor()
    await tab.keyboard.type('X')
    expect(await note.inputValue()).toBe('Half a wXo')
    await tab.keyboard.press('Control+a')
    await tab.keyboard.press('Delete')
    await look(tab)
    // Nothing is typed now, so that the page shows what was saved; the caret stays where it is.
    await tab.locator('#elsewhere').waitFor({ state: 'detached' })
    expect(await tab.locator('[id="f-fields.teaser"]').inputValue()).toBe('Saved by somebody')
    await tab.keyboard.type('Typed on')
    expect(await note.inputValue()).toBe('Typed on')
    expect(await note.isVisible()).toBe(true)
  })

  const unfolded = async (slug: string) => {
    const { id, path } = await page(slug)
    await call('POST', '/api/v1/review-requests', { as: 'editor', body: { content_data_id: id, note: '' } })
    const seen = await panel({ as: 'admin' })
    await seen.open(path)
    await seen.page.getByText('Send back with a note').click()
    return { id, ...seen, note: seen.page.locator(places['note of a review']) }
  }

  it('stays unfolded, with the caret and the text, when the page is saved by Ctrl S', async () => {
    const { page: tab, note } = await unfolded('/folded')
    await note.pressSequentially('Half a wo')
    await tab.keyboard.press('ArrowLeft')
    await tab.keyboard.press('Control+s')
    await tab.locator('#saved', { hasText: /^Saved/ }).waitFor()
    await tab.keyboard.type('X')
    expect(await note.inputValue()).toBe('Half a wXo')
    expect(await note.isVisible()).toBe(true)
  })

  it('is not replaced by the page to sign in when a live reload finds the session gone', async () => {
    const { id, page: tab, note } = await unfolded('/gone')
    await tab.route(`**/content/entry/${id}`, async request => {
      await tab.context().clearCookies()
      await request.continue()
    })
    await saveElsewhere(id, 'Saved by somebody')
    await look(tab)
    await tab.locator('#session-ended').waitFor()
    await note.pressSequentially('Typed on')
    expect(await note.inputValue()).toBe('Typed on')
  })

  it('typed while the one before is sent is kept', async () => {
    const { page: tab } = await unfolded('/next')
    const box = tab.locator(places.comment)
    await box.fill('First')
    await tab.route('**/comments', async request => {
      await box.fill('Second')
      await request.continue()
    })
    await tab.getByRole('button', { name: 'Comment', exact: true }).click()
    await tab.locator('.comment .comment-body').waitFor()
    expect(await box.inputValue()).toBe('Second')
  })

  it('a review that is requested without a save is shown', async () => {
    const { id, path } = await page('/asked')
    const { page: tab, open } = await panel({ as: 'admin' })
    await open(path)
    await call('POST', '/api/v1/review-requests', { as: 'editor', body: { content_data_id: id, note: '' } })
    await look(tab)
    await tab.getByText('Send back with a note').waitFor()
  })
})
