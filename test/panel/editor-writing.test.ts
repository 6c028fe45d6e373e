import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing } from '../support/browser.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call } = app
const { datatype, field, route, entry } = factories(app)

async function richEntry(slug: string, body = ''): Promise<string> {
  const { datatype_id } = await datatype('Article')
  await field(datatype_id, 'Body', 'richtext')
  const { route_id } = await route(slug, `Page ${slug}`)
  return (await entry(datatype_id, { route_id }, { fields: { body } })).content_data_id
}

const text = (page: Page) => page.getByRole('textbox', { name: 'Body' }).and(page.locator('.ProseMirror'))

const paste = (page: Page, plain: string, html = '') =>
  text(page).evaluate(
    (target, given) => {
      const data = new DataTransfer()
      data.setData('text/plain', given.plain)
      if (given.html !== '') data.setData('text/html', given.html)
      target.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      )
    },
    { plain, html },
  )

/** The editor takes over where a click has put the cursor a moment later. */
async function clickInto(page: Page): Promise<void> {
  await text(page).click()
  await page.evaluate(() => new Promise(done => setTimeout(done, 50)))
}

async function stored(page: Page, id: string): Promise<string | undefined> {
  await page.keyboard.press('Control+s')
  await page.locator('#saved', { hasText: /^Saved/ }).waitFor()
  return (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body[0]?.field_value
}

describe.skipIf(chromiumMissing)(
  `writing in rich text${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    const written = async (slug: string, keys: readonly string[]) => {
      const id = await richEntry(slug)
      const { page, open, problems } = await panel({ as: 'admin' })
      await open(`/content/entry/${id}`)
      await clickInto(page)
      for (const one of keys)
        if (one.startsWith('<')) await page.keyboard.press(one.slice(1, -1))
        else await page.keyboard.type(one)
      expect(problems).toEqual([])
      return stored(page, id)
    }

    it('makes marks of Markdown signs as they are typed', async () => {
      const typed =
        'a **bold** b *it* c `x*y*` d ~~no~~ e [site](https://a.example/b) f _u_ snake_case_x 2*3*4 ![x](/y) [z](javascript:1) g'
      expect(await written('/marks', [typed])).toBe(
        '<p>a <strong>bold</strong> b <em>it</em> c <code>x*y*</code> d <s>no</s> e <a href="https://a.example/b">site</a> f <em>u</em> snake_case_x 2*3*4 ![x](/y) [z](javascript:1) g</p>',
      )
    })

    it('gives back the signs by Backspace or Undo, and the text before by the next Undo', async () => {
      expect(await written('/signs', ['**bold**', '<Backspace>', ' *it*', '<Control+z>', '!'])).toBe(
        '<p>**bold** *it*!</p>',
      )
      expect(await written('/hash', ['# ', '<Control+z>', 'x'])).toBe('<p># x</p>')
    })

    it('begins a block of code without its language', async () => {
      const code = ['```js', '<Enter>', 'let **a**', '<Enter>', 'b']
      expect(await written('/code', code)).toBe('<pre><code>let **a**\nb</code></pre>')
      expect(await written('/code-blank', ['``` ', 'x'])).toBe('<pre><code>x</code></pre>')
    })

    it('reads Markdown that is pasted, and gives the plain text by Undo', async () => {
      const id = await richEntry('/markdown')
      const { page, open, problems } = await panel({ as: 'admin' })
      await open(`/content/entry/${id}`)
      await clickInto(page)
      const markdown =
        '# Title\n\nSome **bold** and `code` <b>x</b>\nwith [a link](https://a.example/).\n\n- one\n  - two\n- three\n\n```js\nlet a\n```'
      await paste(page, markdown)
      const rich =
        '<h1>Title</h1><p>Some <strong>bold</strong> and <code>code</code> &lt;b>x&lt;/b> with <a href="https://a.example/">a link</a>.</p><ul><li>one<ul><li>two</li></ul></li><li>three</li></ul><pre><code>let a</code></pre>'
      expect(await stored(page, id)).toBe(rich)
      await page.keyboard.press('Control+z')
      expect(await stored(page, id)).toContain('<p># Title</p><p>Some **bold** and `code` &lt;b>x&lt;/b></p>')
      await page.keyboard.press('Control+z')
      expect((await stored(page, id)) ?? '').toBe('')
      for (const plain of ['Just words - and 2 * 3', 'one line', '- a dash alone', 'a_b_c [1] (2)']) {
        await page.keyboard.press('Control+a')
        await paste(page, plain)
        expect(await stored(page, id)).toBe(`<p>${plain}</p>`)
      }
      expect(problems).toEqual([])
    })

    it('links the selected words to an address that is pasted over them', async () => {
      const id = await richEntry('/linked', '<p>See <strong>this</strong> page</p>')
      const { page, open } = await panel({ as: 'admin' })
      await open(`/content/entry/${id}`)
      await clickInto(page)
      await page.keyboard.press('Control+a')
      await paste(page, 'javascript:alert(1)')
      await page.keyboard.press('Control+z')
      await page.keyboard.press('Control+a')
      await paste(
        page,
        ' https://a.example/x?y=1 ',
        '<a href="https://a.example/x?y=1">https://a.example/x?y=1</a>',
      )
      expect(await stored(page, id)).toBe(
        '<p><a href="https://a.example/x?y=1">See <strong>this</strong> page</a></p>',
      )
    })

    it('starts a table in its first cell, and adds a row by Tab in the last', async () => {
      const id = await richEntry('/table')
      const { page, open } = await panel({ as: 'admin' })
      await open(`/content/entry/${id}`)
      await clickInto(page)
      await page.getByRole('button', { name: 'Table', exact: true }).click()
      for (const word of ['a', 'b', 'c', 'd']) {
        await page.keyboard.type(word)
        await page.keyboard.press('Tab')
      }
      await page.keyboard.type('e')
      expect(await stored(page, id)).toContain(
        '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td>d</td></tr><tr><td>e</td><td></td></tr></tbody></table>',
      )
      const bar = await page.locator('.toolbar').boundingBox()
      const last = await page.getByRole('button', { name: 'Remove table' }).boundingBox()
      expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual((bar?.x ?? 0) + (bar?.width ?? 0))
    })
  },
)
