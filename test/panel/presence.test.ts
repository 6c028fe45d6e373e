import type { Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { internalTables } from '../../src/db/tables.js'
import { type Caller, testApp } from '../support/app.js'
import { browserOf, chromiumMissing } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { call, db, clock, services } = app
const { datatype, field, route, entry } = factories(app)
const { post } = panelForms(app)

const { datatype_id } = await datatype('Note')
await field(datatype_id, 'Text', 'text')
await field(datatype_id, 'More', 'text')
const { route_id } = await route('/note')
const { content_data_id: id } = await entry(datatype_id, { route_id })

const at = `/admin/presence/${id}`
const others = async (as: Caller) => (await post(at, {}, { as })).body.others
const present = async () => (await db.findAll(internalTables.leases)).filter(({ holder }) => holder === id)

describe('who has an entry open', () => {
  it('is told to the others, until they leave or say nothing for a while', async () => {
    expect(await others('admin')).toEqual([])
    expect(await others('editor')).toEqual(['Administrator'])
    expect(await others('admin')).toEqual(['editor'])
    const count = (await app.audits()).length
    expect((await post(`${at}/leave`, {}, { as: 'editor' })).status).toBe(204)
    expect(await others('admin')).toEqual([])
    await others('editor')
    clock.advance(46_000)
    expect(await others('admin')).toEqual([])
    await services.presence.removeOld()
    expect((await present()).map(({ name }) => name.split(' ').at(-1))).toEqual([app.users.admin])
    expect((await app.audits()).length).toBe(count)
  })

  it('is for who works on content, of this browser, about what is there', async () => {
    const before = await present()
    const viewer = await post(at, {}, { as: 'viewer' })
    expect([viewer.status, viewer.text.includes('<code>content:update</code>')]).toEqual([403, true])
    expect((await post(at, {}, { as: 'nobody', token: 'x' })).status).toBe(403)
    expect((await post(at, {}, { as: 'editor', token: 'x' })).status).toBe(403)
    expect((await post(`/admin/presence/${route_id}`, {}, { as: 'editor' })).status).toBe(404)
    // An entry of the one space is none of the other.
    expect((await post(`/admin/space/presence/${id}`, {}, { as: 'editor' })).status).toBe(404)
    expect(await present()).toEqual(before)
  })
})

describe.skipIf(chromiumMissing)(
  `two people in one entry${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)
    const look = (page: Page) => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))

    it('see each other, and what the other saves, and neither loses a word', async () => {
      const path = `/content/entry/${id}`
      const one = await panel({ as: 'admin' })
      const streams: string[] = []
      one.page.on('request', request => {
        if (request.url().endsWith('/api/v1/events')) streams.push(request.url())
      })
      await one.open(path)
      const two = await panel({ as: 'editor' })
      await two.open(path)
      await two.page.locator('#presence', { hasText: 'Administrator has this page open too' }).waitFor()
      await look(one.page)
      await one.page.locator('#presence', { hasText: 'editor has this page open too' }).waitFor()

      await two.page.fill('[name="fields.text"]', 'by the editor')
      await two.page.keyboard.press('Control+s')
      await two.page.locator('#saved', { hasText: 'Saved' }).waitFor()
      await expect.poll(() => one.page.inputValue('[name="fields.text"]')).toBe('by the editor')

      await two.page.fill('[name="fields.more"]', 'half a sent')
      await call('PUT', `/api/v1/content?q=${id}`, { body: { fields: { text: 'by a program' } } })
      await two.page.getByText('This entry was saved elsewhere in the meantime').waitFor()
      expect(await two.page.inputValue('[name="fields.more"]')).toBe('half a sent')
      await expect.poll(() => one.page.inputValue('[name="fields.text"]')).toBe('by a program')
      expect([...one.problems, ...two.problems]).toEqual([])
      // Browsers allow six connections to a server, for all tabs together.
      expect(streams).toHaveLength(1)

      await two.page.evaluate(() => sessionStorage.clear())
      two.page.on('dialog', dialog => dialog.accept())
      await two.open('/')
      await expect.poll(async () => (await present()).length).toBe(1)
    })

    it('a reload that began before a save is not shown after it', async () => {
      const path = `/content/entry/${id}`
      const { page, open, problems } = await panel({ as: 'admin' })
      await open(path)
      let [go, begun] = [() => {}, () => {}]
      const isGone = new Promise<void>(resolve => (go = resolve))
      const isBegun = new Promise<void>(resolve => (begun = resolve))
      const hold = async (sent: Route) => {
        const response = await sent.fetch()
        begun()
        await isGone
        await sent.fulfill({ response })
      }
      await page.route(`**/admin${path}`, hold, { times: 1 })
      const comment = { content_data_id: id, body: 'news' }
      await call('POST', '/api/v1/comments', { as: 'editor', body: comment })
      // The stream says nothing of comments: the tab asks as if it came into view again.
      await look(page)
      await isBegun
      await page.fill('[name="fields.text"]', 'mine')
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: /^\s*Saved/ }).waitFor()
      const shown = await page.evaluateHandle(() => {
        const stored: (string | undefined)[] = []
        const text = () => document.querySelector<HTMLInputElement>('[name="fields.text"]')
        document.addEventListener('htmx:after:swap', () => stored.push(text()?.defaultValue))
        return stored
      })
      const isAnswered = page.waitForEvent('requestfinished', request => request.url().endsWith(path))
      go()
      await isAnswered
      await call('PUT', `/api/v1/content?q=${id}`, { body: { fields: { more: 'later' } } })
      await expect.poll(() => page.inputValue('[name="fields.more"]')).toBe('later')
      expect(new Set(await shown.jsonValue())).toEqual(new Set(['mine']))
      expect(problems).toEqual([])
    })
  },
)
