import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing } from '../support/browser.js'
import { factories } from '../support/factories.js'

/** A front end as docs/previews.md has it: it shows what it is told, and says what was clicked. */
const frontEnd = createServer((request, answer) => {
  answer.setHeader('Content-Type', 'text/html; charset=utf-8')
  answer.end(`<!doctype html><title>Site</title><h1>The site</h1><p id="query"></p><p id="told"></p><button>Edit</button>
    <script>
      const panel = new URLSearchParams(location.hash.slice(1)).get('panel')
      document.querySelector('#query').textContent = ${JSON.stringify(new URL(request.url ?? '', 'http://x').search)}
      addEventListener('message', ({ data, source }) => {
        if (source !== parent || data?.type !== 'slugline:changed') return
        document.querySelector('#told').textContent = JSON.stringify(data)
      })
    </script>`)
})
await new Promise<void>(resolve => frontEnd.listen(0, '127.0.0.1', resolve))
afterAll(() => frontEnd.close())
const site = `http://127.0.0.1:${(frontEnd.address() as AddressInfo).port}`

const app = await testApp({
  app_secret: 'a secret of sixteen characters and more',
  preview_url: `${site}/preview?x=1`,
})
const { call, clock } = app
const { datatype, field, route, entry } = factories(app)
const { datatype_id } = await datatype('Page')
await field(datatype_id, 'Heading', 'text')
const { route_id } = await route('/draft', 'Draft')
const { content_data_id: id } = await entry(datatype_id, { route_id }, { fields: { heading: 'Not yet' } })
const siteOf = `/admin/content/entry/${id}/site`

describe('the page of the site beside the form', () => {
  it('is the only foreign one that the policy lets into a frame', async () => {
    const { headers } = await call('GET', `/admin/content/entry/${id}`)
    const policy = headers.get('content-security-policy') ?? ''
    expect(/frame-src ([^;]*)/.exec(policy)?.[1]).toBe(`'self' ${site}`)
    expect(policy).toContain("frame-ancestors 'none'")
    const plain = await testApp({})
    const without = (await plain.call('GET', '/admin/content')).headers.get('content-security-policy') ?? ''
    expect(/frame-src ([^;]*)/.exec(without)?.[1]).toBe("'self'")
  })

  it('is reached by a link of who edits, which is made once, and by nobody else', async () => {
    const reached = async (as: 'admin' | 'editor') =>
      (await call('GET', siteOf, { as })).headers.get('location')
    const first = await reached('admin')
    expect(first).toMatch(new RegExp(`^${site}/preview\\?x=1&preview=[\\w.-]+$`))
    expect(await reached('admin')).toBe(first)
    expect(await reached('editor')).not.toBe(first)
    const list = async () => (await call('GET', '/api/v1/content/preview-links')).body.length
    expect(await list()).toBe(2)
    clock.advance(23.5 * 3_600_000)
    expect(await reached('admin')).not.toBe(first)
    expect((await call('GET', siteOf, { as: 'viewer' })).status).toBe(403)
    expect((await call('GET', siteOf, { as: 'nobody' })).status).toBe(303)
    expect((await call('GET', '/admin/content/entry/01ARZ3NDEKTSV4RRFFQ69G5FAV/site')).status).toBe(404)
    expect((await call('GET', `/admin/space/content/entry/${id}/site`)).status).toBe(404)
  })
})

describe.skipIf(chromiumMissing)(
  `the page of the site in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('is told what is typed, and leads to a field; no other page does', async () => {
      const { page, open, problems } = await panel({ as: 'admin' })
      await open(`/content/entry/${id}`)
      const shown = page.frameLocator('#page-frame iframe:not(.coming)')
      await shown.locator('#query').getByText('preview=').waitFor()
      expect(await page.getAttribute('#page-frame iframe', 'sandbox')).not.toContain('top-navigation')
      await page.fill('[id="f-fields.heading"]', 'Typed')
      await shown.locator('#told').getByText('Typed').waitFor()
      expect(JSON.parse((await shown.locator('#told').textContent()) ?? '')).toEqual({
        type: 'slugline:changed',
        entry: id,
        locale: null,
        fields: { heading: 'Typed' },
      })
      const focused = () => page.evaluate(() => document.activeElement?.id)
      const edit = { type: 'slugline:edit', entry: id, field: 'heading' }
      await page.focus('#main')
      // Its own window, and what is no message of ours.
      await page.evaluate(message => window.postMessage(message, '*'), edit)
      for (const message of [null, 1, {}, { ...edit, entry: '../x' }, { ...edit, type: 'edit' }])
        await shown.locator('html').evaluate((_, sent) => parent.postMessage(sent, '*'), message)
      await page.waitForTimeout(200)
      expect([await focused(), new URL(page.url()).pathname]).toEqual(['main', `/admin/content/entry/${id}`])
      await shown.locator('html').evaluate((_, sent) => parent.postMessage(sent, '*'), edit)
      await expect.poll(focused).toBe('f-fields.heading')
      // Another origin in the same frame is neither told nor heard.
      expect(problems).toEqual([])
      await page.evaluate(() => {
        const frame = document.querySelector<HTMLIFrameElement>('#page-frame iframe')
        if (frame) frame.src = 'https://elsewhere.example/'
      })
      await expect.poll(() => problems.join()).toMatch(/frame-src/)
    })

    it('is loaded again after a save', async () => {
      const { page, open } = await panel({ as: 'admin' })
      await open(`/content/entry/${id}`)
      const shown = page.frameLocator('#page-frame iframe:not(.coming)')
      await shown.locator('h1').evaluate(h1 => {
        h1.textContent = 'Old'
      })
      await page.fill('[id="f-fields.heading"]', 'Saved')
      await page.keyboard.press('Control+s')
      await shown.getByText('The site').waitFor()
    })
  },
)
