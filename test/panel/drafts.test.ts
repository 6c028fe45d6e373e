import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { browserProfile, killableBrowser } from '../support/killed-browser.js'

const app = await testApp()
const { call, config } = app
const { datatype, field, route, entry } = factories(app)

const { datatype_id } = await datatype('Note')
for (const [label, type] of [
  ['Text', 'text'],
  ['Notes', 'textarea'],
  ['Body', 'richtext'],
  ['Count', 'number'],
  ['On', 'boolean'],
] as const)
  await field(datatype_id, label, type)

async function note(slug: string, fields = {}): Promise<{ id: string; path: string }> {
  const { route_id } = await route(slug)
  const { content_data_id: id } = await entry(datatype_id, { route_id }, { fields })
  return { id, path: `/content/entry/${id}` }
}

const stored = async (id: string) =>
  (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body
    .map((one: { field_value: string }) => one.field_value)
    .toSorted() as string[]

const text = (page: Page) => page.locator('[id="f-fields.text"]')
const notes = (page: Page) => page.locator('[id="f-fields.notes"]')
const offers = (page: Page) => page.getByRole('button', { name: 'Restore' })
const isKept = (page: Page) => page.locator('#saved', { hasText: 'Unsaved changes, kept here' }).waitFor()
/** The values of every draft in the browser, by the names of their fields. */
const drafts = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<Record<string, string[]>[]>(resolve => {
        const request = indexedDB.open('slugline drafts', 1)
        request.onsuccess = () => {
          const all = request.result.transaction('drafts').objectStore('drafts').getAll()
          all.onsuccess = () => resolve(all.result.map(({ values }) => Object.fromEntries(values)))
        }
      }),
  )
const isSaved = (page: Page) => page.locator('#saved', { hasText: /^Saved/ }).waitFor()

describe.skipIf(chromiumMissing)(
  `what is typed and not saved${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel, url } = await browserOf(app)
    /** A tab of somebody who leaves pages as they are. */
    const tab = async (page: Page) => {
      page.on('dialog', dialog => dialog.accept())
      return page
    }

    it('is offered after the browser was killed, with rich text and switches, until it is saved', async () => {
      const { id, path } = await note('/killed', { text: 'old' })
      const profile = browserProfile()
      const cookie = { name: config.cookie_name, value: 'admin-secret-of-this-test', url }
      const first = await killableBrowser(profile)
      await first.context.addCookies([cookie])
      const page = await tab(await first.context.newPage())
      await page.goto(`${url}/admin${path}`)
      await text(page).fill('typed')
      await notes(page).fill('two\nlines')
      await page.getByRole('textbox', { name: 'Body' }).click()
      await page.keyboard.type('Rich words')
      await page.getByRole('checkbox', { name: 'On' }).check()
      await isKept(page)
      await expect
        .poll(() => drafts(page))
        .toMatchObject([
          { 'fields.text': ['typed'], 'fields.body': ['<p>Rich words</p>'], 'fields.on': ['false', 'true'] },
        ])
      await first.kill9()

      const second = await killableBrowser(profile)
      await second.context.addCookies([cookie])
      const again = await tab(await second.context.newPage())
      await again.goto(`${url}/admin${path}`)
      await offers(again).click()
      expect(await text(again).inputValue()).toBe('typed')
      await again.getByText('Rich words').waitFor()
      await again.keyboard.press('Control+s')
      await isSaved(again)
      expect(await stored(id)).toEqual(['<p>Rich words</p>', 'true', 'two\nlines', 'typed'])
      await again.reload()
      await text(again).waitFor()
      expect(await offers(again).count()).toBe(0)
    })

    it('of two tabs is two drafts, and what was saved meanwhile is not written over in silence', async () => {
      const { id, path } = await note('/two', { text: 'old', notes: 'old notes' })
      const { page, open } = await panel({ as: 'editor' })
      await tab(page)
      const other = await tab(await page.context().newPage())
      await open(path)
      await other.goto(`${url}/admin${path}`)
      await text(page).fill('one')
      await text(other).fill('two')
      await isKept(page)
      await isKept(other)
      await other.reload()
      await expect.poll(() => offers(other).count()).toBe(2)
      await other.getByRole('button', { name: 'Discard' }).first().click()
      await expect.poll(() => offers(other).count()).toBe(1)
      await text(page).press('Control+s')
      await isSaved(page)
      // The draft of a tab that has saved is no draft any more, in that tab or another one.
      await other.reload()
      await text(other).waitFor()
      expect(await text(other).inputValue()).toBe('one')
      expect(await offers(other).count()).toBe(0)

      await text(other).fill('three')
      await isKept(other)
      await call('PUT', `/api/v1/content?q=${id}`, {
        body: { fields: { text: 'theirs', notes: 'new notes' } },
      })
      await other.reload()
      await other.getByText('Somebody else has saved this entry since').waitFor()
      await offers(other).click()
      // What the draft does not change is as it is now.
      expect([await text(other).inputValue(), await notes(other).inputValue()]).toEqual([
        'three',
        'new notes',
      ])
      await text(other).press('Control+s')
      await other.locator('#saved', { hasText: 'somebody else saved' }).waitFor()
      expect(await stored(id)).toEqual(['new notes', 'theirs'])
      await text(other).press('Control+s')
      await isSaved(other)
      expect(await stored(id)).toEqual(['new notes', 'three'])
    })

    it('stays when a save was refused and something else is done on the page', async () => {
      const { id, path } = await note('/refused')
      const child = await entry(datatype_id, { parent_id: id }, { fields: { text: 'Child' } })
      await entry(datatype_id, { parent_id: id }, { fields: { text: 'Last' } })
      const { page } = await panel({ as: 'admin' })
      await tab(page)
      await page.goto(`${url}/admin${path}`)
      await text(page).fill('typed')
      const count = page.locator('[id="f-fields.count"]')
      await count.evaluate(one => one.setAttribute('type', 'text'))
      await count.fill('three')
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: 'Not saved: 1 field' }).waitFor()
      await page.locator(`#n-${child.content_data_id}`).focus()
      await page.keyboard.press('Alt+ArrowDown')
      await page.locator('#say', { hasText: 'Child, 2 of 2' }).waitFor()
      expect(await text(page).inputValue()).toBe('typed')
      await isKept(page)
      await page.reload()
      await offers(page).click()
      expect(await text(page).inputValue()).toBe('typed')
    })

    it('D35: is saved by itself once the connection is back, and the bar says so', async () => {
      const { id, path } = await note('/connection', { text: 'old' })
      const { page } = await panel({ as: 'admin' })
      await tab(page)
      await page.goto(`${url}/admin${path}`)
      await text(page).fill('typed in a train')
      await isKept(page)
      await page.context().setOffline(true)
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: 'Not saved: no connection. Your text is kept' }).waitFor()
      // The rest is typed without a connection.
      await notes(page).fill('in a tunnel')
      expect(await stored(id)).toEqual(['old'])
      await page.evaluate(() => {
        const line = document.querySelector('#saved')
        const note = () => document.body.setAttribute('data-told', line?.textContent ?? '')
        new MutationObserver((_, watch) => {
          note()
          watch.disconnect()
        }).observe(line as Element, { childList: true, characterData: true, subtree: true })
      })
      await page.context().setOffline(false)
      await isSaved(page)
      expect(await stored(id)).toEqual(['in a tunnel', 'typed in a train'])
      expect(await page.locator('body').getAttribute('data-told')).toMatch(
        /^(The connection is back. )?Saving…$/,
      )
      await expect.poll(() => drafts(page)).toEqual([])
    })

    it('D35: is tried again while the service is down, and nothing is published by that', async () => {
      const { id, path } = await note('/down', { text: 'old' })
      const { page } = await panel({ as: 'admin' })
      await tab(page)
      await page.goto(`${url}/admin${path}`)
      let isDown = true
      await page.route('**/admin/**', request => (isDown ? request.abort() : request.continue()))
      await text(page).fill('typed')
      await isKept(page)
      await page.getByRole('button', { name: /^Publish/ }).click()
      await page.locator('#saved', { hasText: 'Not saved: no connection' }).waitFor()
      isDown = false
      await isSaved(page)
      expect(await stored(id)).toEqual(['typed'])
      const { body } = await call('GET', `/api/v1/content?q=${id}`)
      expect(body.status).toBe('draft')
    })

    const refusals = {
      'a page of ours': 'Not saved: this form has expired: reload the page. Your text is kept',
      'a page of a proxy': 'Not saved: the service responded with 502. Your text is kept',
      'no answer': 'Not saved: no connection. Your text is kept',
    }
    it.each(Object.entries(refusals))('stays when a save is answered by %s', async (what, told) => {
      const { id, path } = await note(`/answered-${what.replaceAll(' ', '-')}`)
      const child = await entry(datatype_id, { parent_id: id }, { fields: { text: 'Child' } })
      await entry(datatype_id, { parent_id: id }, { fields: { text: 'Last' } })
      const { page } = await panel({ as: 'admin' })
      await tab(page)
      await page.goto(`${url}/admin${path}`)
      const token = page.locator('form[data-draft] [name=form_token]')
      const right = await token.inputValue()
      if (what === 'a page of ours') await token.evaluate(one => one.setAttribute('value', 'of before'))
      else {
        // The page would save by itself as soon as it sees that the service is there again.
        await page.route('**/admin/form-token', request => request.abort())
        await page.route(`**/admin${path}`, request =>
          what === 'no answer'
            ? request.abort()
            : request.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }),
        )
      }
      await text(page).fill('typed')
      await isKept(page)
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: told }).waitFor()
      expect(await text(page).inputValue()).toBe('typed')
      // Another answer is not taken for that of the save.
      await page.unroute(`**/admin${path}`)
      await token.evaluate((one, value) => one.setAttribute('value', value), right)
      await page.locator(`#n-${child.content_data_id}`).focus()
      await page.keyboard.press('Alt+ArrowDown')
      await page.locator('#say', { hasText: 'Child, 2 of 2' }).waitFor()
      expect(await text(page).inputValue()).toBe('typed')
      await page.reload()
      await offers(page).click()
      expect(await text(page).inputValue()).toBe('typed')
    })

    it('is forgotten after two weeks, whoever has typed it', async () => {
      const { path } = await note('/old')
      const { page, open } = await panel({ as: 'admin' })
      await tab(page)
      const start = new Date('2026-12-01T12:00:00Z')
      await page.clock.setFixedTime(start)
      await open(path)
      await text(page).fill('typed')
      await isKept(page)
      await page.reload()
      await page.clock.setFixedTime(start.valueOf() + 13 * 86_400_000)
      await page.reload()
      await offers(page).waitFor()
      await page.clock.setFixedTime(start.valueOf() + 15 * 86_400_000)
      await page.goto(`${url}/admin`)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await expect
        .poll(async () => {
          await page.reload()
          await open(path)
          await text(page).waitFor()
          return offers(page).count()
        })
        .toBe(0)
    })

    // The last one, for it ends the session of the admin.
    it('is offered in another tab after its own was closed, to its own user alone, and until signing out', async () => {
      const { path } = await note('/closed')
      const admin = await panel({ as: 'admin' })
      const context = admin.page.context()
      await tab(admin.page)
      await admin.open(path)
      await text(admin.page).fill('of the admin')
      await isKept(admin.page)
      await admin.page.close()
      const as = (caller: string) =>
        context.addCookies([{ name: config.cookie_name, value: `${caller}-secret-of-this-test`, url }])
      const page = await tab(await context.newPage())
      await as('editor')
      await page.goto(`${url}/admin${path}`)
      await text(page).fill('of the editor')
      await isKept(page)
      expect(await offers(page).count()).toBe(0)
      await as('admin')
      await page.goto(`${url}/admin${path}`)
      await offers(page).waitFor()
      await expectClean({ ...admin, page, axe: async () => [] })
      // One who types instead of answering loses neither.
      await text(page).fill('second thoughts')
      await isKept(page)
      await page.reload()
      await offers(page).nth(1).click()
      expect(await text(page).inputValue()).toBe('of the admin')
      await isKept(page)
      await page.goto(`${url}/admin/profile`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(/sign-in/)
      expect((await drafts(page)).map(values => values['fields.text'])).toEqual([['of the editor']])
    })
  },
)
