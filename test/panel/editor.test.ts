import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { picture, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp({ ...storage.config })
const { call } = app
const { datatype, field, route, entry } = factories(app)

/** A page of its own with one rich text. */
async function richEntry(slug: string, body?: string): Promise<string> {
  const { datatype_id } = await datatype('Article')
  await field(datatype_id, 'Body', 'richtext')
  const { route_id } = await route(slug, `Page ${slug}`)
  const made = await entry(datatype_id, { route_id }, body === undefined ? {} : { fields: { body } })
  return made.content_data_id
}

const stored = async (id: string): Promise<string | undefined> =>
  (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body[0]?.field_value

/** The editor, and not the text area that was there before its module came. */
const text = (page: Page) => page.getByRole('textbox', { name: 'Body' }).and(page.locator('.ProseMirror'))
const saved = (page: Page) => page.locator('#saved', { hasText: /^Saved/ }).waitFor()

/** The editor takes over where a click has put the cursor a moment later; a test would type before. */
async function clickInto(target: Locator): Promise<void> {
  await target.click()
  await target.page().evaluate(() => new Promise(done => setTimeout(done, 50)))
}

/** Puts HTML into the place of the cursor as another program does. */
const paste = (page: Page, html: string) =>
  text(page).evaluate((target, given) => {
    const data = new DataTransfer()
    data.setData('text/html', given)
    target.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    )
  }, html)

describe.skipIf(chromiumMissing)(
  `the editor of rich text${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('keeps blocks, marks and objects of own types while their texts are edited', async () => {
      const attribute = (value: unknown) => JSON.stringify(value).replaceAll('"', '&quot;')
      const own = {
        block: `<div data-block="${attribute({ _type: 'callout', tone: 'warn' })}"><p>Take care</p></div>`,
        lead: `<p data-block="${attribute({ style: 'lead' })}">Small</p>`,
        link: `<a href="/x" data-mark="${attribute({ _type: 'internalLink', _ref: 'p' })}">in</a>`,
        mark: `<span data-mark="${attribute('highlight')}">high <strong>er</strong></span>`,
        object: `<span data-block="${attribute({ _type: 'price', sku: 'a' })}"></span>`,
        code: `<pre data-block="${attribute({ _type: 'code', language: 'ts' })}"><code>a = 1</code></pre>`,
      }
      const rest = `${own.block}<p>${own.link} and ${own.mark} costs ${own.object} now</p>${own.code}`
      const id = await richEntry('/own', `${own.lead}${rest}`)
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      await open(`/content/entry/${id}`)
      await text(page).waitFor()
      await expectClean(admin)
      await text(page).locator('.opaque b', { hasText: 'callout' }).waitFor()
      await clickInto(text(page).getByText('Small'))
      await page.keyboard.press('End')
      await page.keyboard.type(' print')
      await clickInto(text(page).getByText('now'))
      await page.keyboard.press('End')
      await page.keyboard.type('!')
      await page.keyboard.press('Control+s')
      await saved(page)
      expect(await stored(id)).toBe(
        `${own.lead.replace('Small', 'Small print')}${rest.replace(' now', ' now!')}`,
      )
      // A block of its own type is deleted like any other.
      await text(page).locator('.opaque b').click()
      await page.keyboard.press('Delete')
      await page.keyboard.press('Control+s')
      await expect.poll(() => stored(id)).not.toContain('callout')
    })

    it('writes what is typed, by keys and by its toolbar, and leaves alone what nobody changed', async () => {
      const before = '<p>As it was</p><ul><li>one<li>two</ul><div class="x">kept</div>'
      const id = await richEntry('/typed', before)
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      await open(`/content/entry/${id}`)
      await text(page).waitFor()
      await expectClean(admin)
      await page.keyboard.press('Control+s')
      await saved(page)
      expect(await stored(id)).toBe(before)
      await clickInto(text(page).getByText('As it was'))
      await page.keyboard.press('End')
      await page.keyboard.press('Enter')
      await page.keyboard.type('## A heading')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Control+b')
      await page.keyboard.type('strong')
      await page.keyboard.press('Control+b')
      await page.keyboard.type(' & plain')
      await page.keyboard.press('Alt+F10')
      for (let i = 0; i < 10; i++) await page.keyboard.press('ArrowRight')
      expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('List')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Control+s')
      await saved(page)
      expect(await stored(id)).toBe(
        '<p>As it was</p><h2>A heading</h2><ul><li><strong>strong</strong> &amp; plain</li></ul><ul><li>one</li><li>two</li></ul><div class="x">kept</div>',
      )
      expect(admin.problems).toEqual([])
    })

    it('takes from Word and Google Docs what it means, and nothing that runs', async () => {
      const id = await richEntry('/pasted')
      const { page, open, problems } = await panel({ as: 'admin' })
      await open(`/content/entry/${id}`)
      await clickInto(text(page))
      await paste(
        page,
        `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal{margin:0}</style></head><body><!--StartFragment-->
          <h2 style="mso-x:1">Title<o:p></o:p></h2><p class="MsoNormal">Some <b style="mso-bidi-font-weight:normal">bold</b> text</p>
          <p class="MsoListParagraphCxSpFirst" style="mso-list:l0 level1 lfo1"><!--[if !supportLists]--><span style="mso-list:Ignore">·<span>&nbsp;</span></span><!--[endif]-->one</p>
          <p class="MsoListParagraphCxSpLast" style="mso-list:l0 level2 lfo1"><span style="mso-list:Ignore">1.</span>two</p><!--EndFragment--></body></html>`,
      )
      await page.keyboard.press('Enter')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Enter')
      await paste(
        page,
        `<b style="font-weight:normal;" id="docs-internal-guid-1"><p style="color:red"><span style="font-weight:700">Docs</span><span style="font-style:italic"> say</span> <a href="javascript:alert(1)" onclick="x()">so</a><img src="x" onerror="globalThis.hit=1"><script>globalThis.hit=1</script></p></b>`,
      )
      await page.keyboard.press('Control+s')
      await saved(page)
      expect(await stored(id)).toBe(
        '<h2>Title</h2><p>Some <strong>bold</strong> text</p><ul><li>one<ol><li>two</li></ol></li></ul><p><strong>Docs</strong><em> say</em> so</p>',
      )
      expect(await page.evaluate('globalThis.hit')).toBe(undefined)
      expect(problems).toEqual([])
    })

    it('links to a page that is found, and shows an image that is chosen or uploaded', async () => {
      await richEntry('/linked-to')
      const id = await richEntry('/links', '<p>Read more</p>')
      const png = await picture(60, 40).png().toBuffer()
      const { body: media } = await uploader(app)('tree.png', png, { fields: { alt_text: 'A tree' } })
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      await open(`/content/entry/${id}`)
      await clickInto(text(page))
      await page.keyboard.press('Control+a')
      await page.keyboard.press('Control+k')
      await page.getByRole('button', { name: 'Search pages…' }).click()
      await page.getByRole('combobox', { name: 'Search pages' }).fill('linked')
      await page.getByRole('option', { name: 'Page /linked-to' }).waitFor()
      await expectClean(admin)
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'OK' }).click()
      await text(page).locator('a').waitFor()
      await expect
        .poll(async () => {
          await page.keyboard.press('End')
          return page.evaluate(() => getSelection()?.isCollapsed)
        })
        .toBe(true)
      await page.getByRole('button', { name: 'Image' }).click()
      await page.getByRole('combobox', { name: 'Search images' }).fill('tree')
      await page.getByRole('option', { name: 'tree.png' }).click()
      expect(await page.getByRole('textbox', { name: 'Alt text' }).inputValue()).toBe('A tree')
      await page.getByRole('button', { name: 'OK' }).click()
      await page.keyboard.press('Control+s')
      await saved(page)
      expect(await stored(id)).toBe(
        `<p><a href="/linked-to">Read more</a><img src="${media.url}" alt="A tree" width="60" height="40"></p>`,
      )
      await page.getByRole('button', { name: 'Image' }).click()
      await page.setInputFiles('.picker-dialog input[type=file]', {
        name: 'new.png',
        mimeType: 'image/png',
        buffer: png,
      })
      await page.getByRole('textbox', { name: 'Alt text' }).fill('New')
      await page.getByRole('button', { name: 'OK' }).click()
      await page.keyboard.press('Control+s')
      await expect.poll(() => stored(id)).toContain('alt="New"')
      expect(admin.problems).toEqual([])
    })

    it('shows what it does not know, and writes HTML where one wants to', async () => {
      const id = await richEntry(
        '/opaque',
        '<p>a</p><video src="/v.mp4"></video><p style="color:red" onclick="x()">b</p>',
      )
      const { page, open, problems } = await panel({ as: 'admin' })
      await open(`/content/entry/${id}`)
      await text(page).waitFor()
      expect(await page.locator('.opaque pre').allTextContents()).toEqual([
        '<video src="/v.mp4"></video>',
        '<p style="color:red" onclick="x()">b</p>',
      ])
      expect(problems).toEqual([])
      await page.getByRole('button', { name: 'Convert to text' }).last().click()
      await page.getByRole('button', { name: 'HTML', exact: true }).click()
      const area = page.locator('[id="f-fields.body"]')
      expect(await area.inputValue()).toBe('<p>a</p><video src="/v.mp4"></video><p>b</p>')
      await area.fill('<h2>By hand</h2>')
      await page.getByRole('button', { name: 'HTML', exact: true }).click()
      await text(page).getByRole('heading', { name: 'By hand' }).waitFor()
      await page.keyboard.press('Control+s')
      await saved(page)
      expect(await stored(id)).toBe('<h2>By hand</h2>')
    })

    it('keeps what is typed: when the page is left, without a connection or a session, in a refusal, on the way Back', async () => {
      const { datatype_id } = await datatype('Fragile')
      await field(datatype_id, 'Body', 'richtext')
      await field(datatype_id, 'Count', 'number')
      const { route_id } = await route('/fragile')
      const { content_data_id: id } = await entry(
        datatype_id,
        { route_id },
        { fields: { body: '<p>Old</p>' } },
      )
      const path = `/content/entry/${id}`
      const { page, open } = await panel({ as: 'editor' })
      page.on('dialog', dialog => dialog.accept())
      const write = async (words: string) => {
        await clickInto(text(page))
        await page.keyboard.press('Control+End')
        await page.keyboard.type(words)
      }
      await open(path)
      await write(' one')
      await page.locator('#saved', { hasText: 'Unsaved changes' }).waitFor()
      await open(path)
      await page.getByRole('button', { name: 'Restore' }).click()
      await expect.poll(() => text(page).innerText()).toBe('Old one')

      await page.context().setOffline(true)
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: 'no connection' }).waitFor()
      await expect.poll(() => text(page).innerText()).toBe('Old one')
      const cookies = await page.context().cookies()
      await page.context().clearCookies()
      // The page saves by itself as soon as the connection is back.
      await page.context().setOffline(false)
      await page.locator('#saved', { hasText: 'you are signed out' }).waitFor()
      await page.getByRole('button', { name: 'Not now' }).click()
      await write(' two')
      await page.context().addCookies(cookies)

      await page.fill('[id="f-fields.count"]', '1')
      await page.evaluate(() => document.querySelector('[id="f-fields.count"]')?.setAttribute('type', 'text'))
      await page.fill('[id="f-fields.count"]', 'three')
      await page.keyboard.press('Control+s')
      await page.locator('[id="e-fields.count"]').waitFor()
      await expect.poll(() => text(page).innerText()).toBe('Old one two')

      await page.locator('#saved', { hasText: 'Not saved: 1 field' }).waitFor()
      await write(' three')
      await page.getByRole('link', { name: 'Overview' }).first().click()
      await page.waitForURL(/\/admin$/)
      await page.goBack()
      await page.getByRole('button', { name: 'Restore' }).click()
      await expect.poll(() => text(page).innerText()).toBe('Old one two three')
      await page.fill('[id="f-fields.count"]', '3')
      await page.keyboard.press('Control+s')
      await saved(page)
      expect(await stored(id)).toContain('Old one two three')
    })

    it('keeps what is typed while a save is on its way', async () => {
      const id = await richEntry('/meanwhile', '<p>a</p>')
      const { page, open } = await panel({ as: 'admin' })
      await open(`/content/entry/${id}`)
      await clickInto(text(page))
      await page.keyboard.press('Control+End')
      await page.keyboard.type('b')
      let go = () => {}
      const held = new Promise<void>(resolve => {
        go = resolve
      })
      await page.route('**/content/entry/*', async (sent, request) => {
        if (request.method() === 'POST') await held
        await sent.continue()
      })
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: 'Saving' }).waitFor()
      await page.keyboard.type('c')
      go()
      await expect.poll(() => stored(id)).toBe('<p>ab</p>')
      await page.locator('#saved', { hasText: 'Unsaved changes' }).waitFor()
      await expect.poll(() => text(page).innerText()).toBe('abc')
      await page.keyboard.type('d')
      await page.keyboard.press('Control+s')
      await expect.poll(() => stored(id)).toBe('<p>abcd</p>')
    })

    it('shows both texts of a conflict side by side, to keep, to take or to have both', async () => {
      const { datatype_id } = await datatype('Shared')
      for (const [label, type] of [
        ['Body', 'richtext'],
        ['Words', 'text'],
        ['Notes', 'textarea'],
      ] as const)
        await field(datatype_id, label, type)
      const { route_id } = await route('/conflict')
      const before = { body: '<p>Old</p>', words: 'old', notes: 'old' }
      const { content_data_id: id } = await entry(datatype_id, { route_id }, { fields: before })
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      const path = `/content/entry/${id}`
      await open(path)
      await clickInto(text(page))
      await page.keyboard.press('Control+End')
      await page.keyboard.type(' mine')
      await page.fill('[id="f-fields.words"]', 'mine')
      await page.fill('[id="f-fields.notes"]', 'mine')
      const theirs = { body: '<p>Old theirs</p>', words: 'theirs', notes: 'theirs' }
      await call('PUT', `/api/v1/content?q=${id}`, { as: 'editor', body: { fields: theirs } })
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: 'somebody else saved' }).waitFor()
      await expectClean(admin)
      const conflict = (name: string) => page.getByRole('region', { name, exact: true })
      expect(await conflict('Body').locator('code').allTextContents()).toEqual(['Old mine', 'Old theirs'])
      await conflict('Body').getByRole('button', { name: 'Both' }).click()
      await conflict('Words').getByRole('button', { name: 'Take theirs' }).click()
      await expect.poll(() => text(page).innerText()).toMatch(/Old theirs\s+Old mine/)
      await page.keyboard.press('Control+s')
      await saved(page)
      const values = (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body
      expect(values.map((one: { field_value: string }) => one.field_value).toSorted()).toEqual([
        '<p>Old theirs</p>\n<p>Old mine</p>',
        'mine',
        'theirs',
      ])
      expect(admin.problems).toEqual([])
    })

    it('is written as HTML without scripts', async () => {
      const id = await richEntry('/no-script', '<p>a</p>\n<p>b</p>')
      const { page, open } = await panel({ as: 'admin', javaScriptEnabled: false })
      await open(`/content/entry/${id}`)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      expect(await stored(id)).toBe('<p>a</p>\n<p>b</p>')
      await page.getByRole('textbox', { name: 'Body' }).fill('<p>c</p>')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      expect(await stored(id)).toBe('<p>c</p>')
    })

    it('has files under 150 kB in all, and under 60 kB where nothing is rich text', async () => {
      const { datatype_id } = await datatype('Plain')
      await field(datatype_id, 'Words', 'text')
      const plain = await entry(datatype_id, { route_id: (await route('/light')).route_id })
      const rich = await richEntry('/heavy', '<p>a</p>')
      const bytesOf = async (id: string, shown: string) => {
        const { page, open } = await panel({ as: 'admin' })
        const session = await page.context().newCDPSession(page)
        await session.send('Network.enable')
        /** Bytes on the wire by address: files are compressed, pages are not. */
        const sizes = new Map<string, number>()
        const addresses = new Map<string, string>()
        session.on('Network.responseReceived', ({ requestId, response }) =>
          addresses.set(requestId, response.url),
        )
        session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
          sizes.set(addresses.get(requestId) ?? '', encodedDataLength),
        )
        await open(`/content/entry/${id}`)
        await page.locator(shown).waitFor()
        await page.waitForLoadState('networkidle')
        const sum = (isCounted: (address: string) => boolean) =>
          [...sizes].reduce((total, [address, size]) => total + (isCounted(address) ? size : 0), 0)
        return {
          names: [...sizes.keys()].map(address => address.split('/').at(-1)),
          files: sum(address => address.includes('/admin/files/')),
          pages: sum(address => !address.includes('/admin/files/')),
        }
      }
      const light = await bytesOf(plain.content_data_id, '[id="f-fields.words"]')
      expect(light.names).not.toContain('editor.js')
      expect(light.files).toBeGreaterThan(10_000)
      expect(light.files).toBeLessThan(60_000)
      expect(light.pages).toBeLessThan(25_000)
      const heavy = await bytesOf(rich, '.rich-text')
      expect(heavy.names).toContain('editor.js')
      expect(heavy.files).toBeLessThan(150_000)
    })

    for (const [look, options] of Object.entries(looks))
      it(`has nothing that axe or the policy refuses: ${look}`, async () => {
        const id = await richEntry(
          `/axe-${look}`,
          '<h2>One</h2><p>Text <a href="/x">link</a> <code>code</code></p><ul><li>a</li></ul><blockquote><p>q</p></blockquote><pre><code>x</code></pre><table><thead><tr><th>h</th></tr></thead><tbody><tr><td>c</td></tr></tbody></table><video></video>',
        )
        const admin = await panel({ ...options, as: 'admin' })
        await admin.open(`/content/entry/${id}`)
        await clickInto(text(admin.page).getByText('c', { exact: true }))
        await admin.page.getByRole('button', { name: 'Add row' }).waitFor()
        await expectClean(admin)
      })
  },
)
