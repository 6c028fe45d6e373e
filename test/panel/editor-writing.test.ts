import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
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
async function clickInto(page: Page, words?: string): Promise<void> {
  await (words === undefined ? text(page) : text(page).getByText(words)).click()
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

    it('D37: makes marks of Markdown signs as they are typed', async () => {
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

    it('D37: begins a block of code without its language', async () => {
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
      await text(page).getByRole('heading', { name: 'Title' }).waitFor()
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

    it('D37: links the selected words to an address that is pasted over them', async () => {
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

    it('D15: starts a table in its first cell, and adds a row by Tab in the last', async () => {
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

    for (const [look, options] of Object.entries(looks))
      it(`offers commands behind a slash: ${look}`, async () => {
        const more = '<p>more</p>'.repeat(12)
        const id = await richEntry(`/slash-${look}`, `<p>one</p>${more}`)
        const admin = await panel({ ...options, as: 'admin' })
        const { page, open } = admin
        await open(`/content/entry/${id}`)
        await clickInto(page, 'one')
        await page.keyboard.press('End')
        await page.keyboard.type('/ and/or')
        const menu = page.getByRole('listbox', { name: 'Commands' })
        expect(await menu.isVisible()).toBe(false)
        await page.keyboard.press('Enter')
        await page.keyboard.type('/')
        await menu.waitFor()
        expect(await menu.getByRole('option').count()).toBeGreaterThan(20)
        await expectClean(admin)
        await page.keyboard.type('head')
        expect(await menu.getByRole('option').allTextContents()).toEqual(
          [1, 2, 3, 4, 5, 6].map(level => `Heading ${level}`),
        )
        for (const key of ['ArrowUp', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key)
        const chosen = await text(page).getAttribute('aria-activedescendant')
        expect(await page.locator(`[id="${chosen}"]`).textContent()).toBe('Heading 2')
        await page.keyboard.press('Enter')
        await page.keyboard.type('Two')
        await page.keyboard.press('Enter')
        await page.keyboard.type('kept /list')
        await page.keyboard.press('Escape')
        expect(await menu.isVisible()).toBe(false)
        await page.keyboard.type(' /numb')
        await menu.getByRole('option', { name: 'Numbered list' }).click()
        await page.keyboard.type('x')
        expect(await text(page).getAttribute('aria-activedescendant')).toBe(null)
        expect(await stored(page, id)).toBe(
          `<p>one/ and/or</p><h2>Two</h2><ol><li>kept /list x</li></ol>${more}`,
        )
        expect(admin.problems).toEqual([])
      })

    it('shows marks beside what is selected, never over it, and hides them from who has the toolbar', async () => {
      const lines = Array.from({ length: 40 }, (_, i) => `<p>Line ${i} of the text</p>`).join('')
      const id = await richEntry('/bubble', lines)
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      await open(`/content/entry/${id}`)
      const bubble = page.locator('.bubble')
      for (const line of ['Line 0 of', 'Line 20 of']) {
        await text(page)
          .getByText(line)
          .dblclick({ position: { x: 44, y: 8 } })
        await bubble.waitFor()
        const [over, selected] = await Promise.all([
          bubble.boundingBox(),
          page.evaluate(() => {
            const box = getSelection()?.getRangeAt(0).getBoundingClientRect()
            return { top: box?.top ?? 0, bottom: box?.bottom ?? 0 }
          }),
        ])
        const end = (over?.y ?? 0) + (over?.height ?? 0)
        expect(end <= selected.top || (over?.y ?? 0) >= selected.bottom).toBe(true)
      }
      await expectClean(admin)
      await bubble.getByTitle('Italic').click()
      await bubble.locator('[aria-pressed=true]').waitFor()
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => bubble.isVisible()).toBe(false)
      await page.keyboard.press('Shift+End')
      await bubble.waitFor()
      await page.keyboard.press('Tab')
      await expect.poll(() => bubble.isVisible()).toBe(false)
      expect(await stored(page, id)).toContain(' <em>20</em> ')
    })

    it('counts words, and shows the text alone on the page until Escape', async () => {
      const id = await richEntry('/count', `<p>${'word '.repeat(460)}</p>`)
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      await open(`/content/entry/${id}`)
      const words = page.locator('.rich-words')
      expect(await words.textContent()).toBe('460 words · 2 min read')
      await clickInto(page)
      await page.keyboard.press('Control+a')
      await page.keyboard.type("It's one well-known text.")
      await expect.poll(() => words.textContent()).toBe('4 words · 1 min read')
      await page.keyboard.press('Control+Shift+f')
      expect((await page.locator('.rich .page').boundingBox())?.width).toBe(704)
      expect(await page.getByRole('link', { name: 'Overview' }).count()).toBe(0)
      await page.keyboard.type(' /')
      await page.keyboard.press('Escape')
      await expectClean(admin)
      await page.keyboard.press('Backspace')
      await page.keyboard.type('Saved')
      expect(await stored(page, id)).toBe("<p>It's one well-known text. Saved</p>")
      expect(await page.locator('.rich.full').count()).toBe(1)
      await text(page).focus()
      await page.keyboard.press('Escape')
      expect(await page.locator('.rich.full').count()).toBe(0)
      await page.getByRole('link', { name: 'Overview' }).first().waitFor()
    })
  },
)
