import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { vercelStegaDecodeAll, vercelStegaEncode } from '@vercel/stega'
import { afterAll, describe, expect, it } from 'vitest'
import { formatNames } from '../../src/services/delivery/formats/index.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing } from '../support/browser.js'
import { factories } from '../support/factories.js'

const frontEnd = createServer((request, answer) => {
  answer.setHeader('Content-Type', 'text/html; charset=utf-8')
  const { searchParams } = new URL(request.url ?? '', 'http://x')
  answer.end(`<!doctype html><meta charset="utf-8"><title>Preview</title><main></main>
    <script src="${searchParams.get('api')}/admin/edit.js"></script>
    <script type="module">
      const answer = await fetch('${searchParams.get('api')}/api/v1/preview?format=native&sourcemaps=1&token=${searchParams.get('preview')}')
      const { fields } = await answer.json()
      const heading = document.createElement('h1')
      heading.textContent = fields.heading
      const body = document.createElement('div')
      body.innerHTML = fields.body
      const image = document.createElement('img')
      image.alt = fields.heading
      const forged = document.createElement('p')
      forged.textContent = fields.forged
      document.querySelector('main').append(heading, body, image, forged)
    </script>`)
})
await new Promise<void>(resolve => frontEnd.listen(0, '127.0.0.1', resolve))
afterAll(() => frontEnd.close())
const site = `http://127.0.0.1:${(frontEnd.address() as AddressInfo).port}`

const app = await testApp({
  app_secret: 'a secret of the test, long enough',
  i18n_enabled: true,
  cors_origins: [site],
})
const { call } = app
const { datatype, field, route, entry } = factories(app)

const html = '<h2>A <em>first</em> text</h2><p>And &#x3C;more></p>'
const elsewhere = `Innocent${vercelStegaEncode({ origin: 'slugline', href: 'https://evil.example/admin/x' })}`
const { datatype_id } = await datatype('Page')
await field(datatype_id, 'Heading', 'text')
await field(datatype_id, 'Deutsch', 'text', { translatable: true })
await field(datatype_id, 'Body', 'richtext')
await field(datatype_id, 'Link', 'url')
await field(datatype_id, 'Forged', 'textarea')
await call('POST', '/api/v1/locales', { body: { code: 'de', label: 'Deutsch' } })
const { route_id } = await route('/marked')
const fields = { heading: 'Hello', body: html, link: 'https://example.com/', forged: elsewhere }
const { content_data_id: id } = await entry(datatype_id, { route_id }, { fields })
await call('PUT', `/api/v1/content?q=${id}`, { body: { locale: 'de', fields: { deutsch: 'Hallo' } } })
await call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
const made = await call('POST', '/api/v1/content/preview-links', { body: { content_data_id: id } })
const { token } = made.body
const preview = (query: string) => call('GET', `/api/v1/preview?token=${token}${query}`, { as: 'nobody' })

const invisible = /\u200b{4}/
const hrefs = (text: string) =>
  [...text.matchAll(/\u200b{4}[\u200b-\u200d\ufeff]+/g)].map(
    ([mark]) => vercelStegaDecodeAll<{ href: string }>(mark)[0]?.href,
  )

describe('source marks', () => {
  it('say in every format where each text is edited, and leave addresses as they are', async () => {
    for (const format of formatNames) {
      const { text, status } = await preview(`&format=${format}&sourcemaps=1&locale=de`)
      expect([format, status]).toEqual([format, 200])
      const found = new Set(hrefs(text))
      for (const href of [`#f-fields.heading`, `?locale=de#f-fields.deutsch`, '#f-fields.body'])
        expect([format, [...found]]).toEqual([
          format,
          expect.arrayContaining([`/admin/content/entry/${id}${href}`]),
        ])
      const address = format === 'markdown' ? '<https://example.com/>' : '"https://example.com/"'
      expect([format, text.includes(address)]).toEqual([format, true])
    }
    const { body } = await preview('&format=native&sourcemaps=1')
    // The mark is in the first text, and the HTML around it is as it was.
    expect(body.fields.body.replace(/[\u200b-\u200d\ufeff]+/, '|')).toBe(html.replace('A ', 'A |'))
  })

  it('are in previews that ask for them alone, and never in public answers', async () => {
    const own = (await preview('&format=native')).body.fields
    expect([own.heading, own.body]).toEqual(['Hello', html])
    expect((await preview('&sourcemaps=0&format=native')).body.fields.heading).toBe('Hello')
    expect((await preview('&sourcemaps=yes')).status).toBe(400)
    for (const as of ['nobody', 'admin'] as const)
      for (const path of ['/marked', '/api/v1/page/marked', '/api/v1/query/page']) {
        const { text } = await call('GET', `${path}?sourcemaps=1&format=native`, { as })
        expect([path, as, invisible.test(text.replaceAll(elsewhere, ''))]).toEqual([path, as, false])
      }
    const stored = await call('GET', `/api/v1/content-fields?content_data_id=${id}`)
    expect(invisible.test(stored.text.replaceAll(elsewhere, ''))).toBe(false)
  })

  it('are read by a script that any site may load', async () => {
    const { status, headers, text } = await call('GET', '/admin/edit.js', { as: 'nobody' })
    expect([status, headers.get('content-type'), headers.get('cross-origin-resource-policy')]).toEqual([
      ...[200, 'text/javascript; charset=utf-8', 'cross-origin'],
    ])
    expect(text.length).toBeLessThan(2048)
    const panel = await call('GET', '/admin/files/x/panel.js', { as: 'nobody' })
    expect(panel.headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })
})

describe.skipIf(chromiumMissing)(
  `click to edit${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel, url } = await browserOf(app)

    it('leads from a text of a front end to its field in the panel', async () => {
      const { page } = await panel({ as: 'admin' })
      await page.goto(`${site}/?api=${encodeURIComponent(url)}&preview=${token}`)
      await page.getByText('And <more>').waitFor()
      await expect.poll(() => page.textContent('h1')).toBe('Hello')
      expect(await page.getAttribute('img', 'alt')).toBe('Hello')
      expect(invisible.test(await page.content())).toBe(false)
      const link = page.getByRole('link', { name: 'Edit' })
      // Nothing of a text that somebody has written leads elsewhere.
      await page.getByText('Innocent').hover()
      expect((await link.count()) === 0 || (await link.getAttribute('href'))?.startsWith(url)).toBe(true)
      await page.getByText('first').hover()
      await expect.poll(() => link.getAttribute('href')).toContain('#f-fields.body')
      await page.locator('h1').hover()
      await expect
        .poll(() => link.getAttribute('href'))
        .toBe(`${url}/admin/content/entry/${id}#f-fields.heading`)
      const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()])
      await opened.waitForURL(`${url}/admin/content/entry/${id}#f-fields.heading`)
      await expect.poll(() => opened.evaluate(() => document.activeElement?.id)).toBe('f-fields.heading')
    })

    it.each([
      ['de-AT', 'Bearbeiten'],
      ['fr-FR', 'Modifier'],
      ['nl-NL', 'Edit'],
    ])('has the link in the language of the browser: %s', async (locale, word) => {
      const { page } = await panel({ locale })
      await page.goto(`${site}/?api=${encodeURIComponent(url)}&preview=${token}`)
      await page.locator('h1').hover()
      await page.locator('h1').dispatchEvent('pointerover')
      await expect.poll(() => page.locator('a[target=slugline]').textContent()).toBe(word)
    })
  },
)
