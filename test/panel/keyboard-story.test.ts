import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing } from '../support/browser.js'
import { picture, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp({ ...storage.config, i18n_enabled: true, publish_mode: 'staged' })
const { call } = app

/** More stops of Tab than a page has. */
const maxStops = 250

/** What a screen reader calls the thing that has the focus. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement
    if (!(at instanceof HTMLElement)) return ''
    const [named] = 'labels' in at ? [...((at.labels as NodeListOf<HTMLElement> | null) ?? [])] : []
    const label = at.getAttribute('aria-label') || named?.textContent || at.textContent
    return (label || at.title).replace(/\s+/g, ' ').trim()
  })

/** Hands that have no mouse: every step is a key, and what Tab does not reach cannot be used. */
function hands(page: Page) {
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())
  return {
    press,
    type: (text: string) => page.keyboard.type(text),
    /** Goes on by Tab until what has the focus is called so. */
    async tabTo(name: RegExp): Promise<void> {
      const passed: string[] = []
      for (let stop = 0; stop < maxStops; stop++) {
        await press('Tab')
        const at = await focused(page)
        if (name.test(at)) return
        passed.push(at)
      }
      throw new Error(`Tab does not come to ${name}: ${passed.slice(0, 60).join(' | ')}`)
    },
    /** Goes somewhere by the palette. */
    async go(words: string, heading: string | RegExp): Promise<void> {
      await press('Control+k')
      const input = page.getByRole('combobox', { name: 'Page, file, person or command' })
      await input.waitFor()
      await page.keyboard.type(words)
      await page.getByRole('option', { name: words }).first().waitFor()
      await press('Enter')
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    },
    saved: () => page.locator('#saved', { hasText: /^Saved/ }).waitFor(),
  }
}

describe.skipIf(chromiumMissing)(
  `the whole story by keyboard alone${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel, url } = await browserOf(app)
    const publicPage = async (path: string) =>
      (await call('GET', `${path}format=clean`, { as: 'nobody' })).body

    it('goes from signing in to an invited editor, and misses nothing that a mouse would reach', async () => {
      await call('POST', '/api/v1/locales', { body: { code: 'de', label: 'German' } })
      await uploader(app)('tree.png', await picture(60, 40).png().toBuffer(), {
        fields: { alt_text: 'A tree' },
      })
      const { page, problems } = await panel()
      const { press, type, tabTo, go, saved } = hands(page)

      // Sign in.
      await page.goto(`${url}/admin`)
      await tabTo(/^E-mail/)
      await type('admin@example.com')
      await tabTo(/^Password/)
      await type('correct horse')
      await press('Enter')
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await page.locator('.rail').waitFor()

      // A datatype with fields, one of them translatable.
      await go('New datatype', /New/)
      await tabTo(/^Name/)
      await type('Story')
      await press('Control+s')
      await tabTo(/^Add a field/)
      await press('Enter')
      for (const [i, [label, types]] of [
        ['Headline', 0],
        ['Body', 2],
        ['Cover', 8],
      ].entries() as ArrayIterator<[number, [string, number]]>) {
        // The form of the next field has the focus.
        await page.locator('#f-field_label:focus').waitFor()
        await type(label)
        if (label === 'Headline') {
          await tabTo(/Translatable/i)
          await press('Space')
        }
        await tabTo(/^Text/)
        await press(...Array.from({ length: types }, () => 'ArrowDown'), 'Enter')
        await page.locator('[data-order] > li').nth(i).waitFor()
      }

      // An address, and a page on it with an entry in an entry.
      await go('New page', 'New page')
      await tabTo(/^Title/)
      await type('A story')
      await tabTo(/^Address/)
      await type('/story')
      await press('Control+s')
      await page.waitForURL(/\/content\/entry\//)
      const root = page.url().replace(/[?#].*/, '')
      const add = async () => {
        const before = page.url()
        await tabTo(/^Add (under it|an entry below|entry below)/)
        await press('Tab', 'Enter')
        await page.waitForURL(to => to.href !== before && /entry/.test(to.href))
      }
      await add()
      await tabTo(/^Headline/)
      await type('Chapter one')
      await press('Control+s')
      await saved()
      await add()
      await tabTo(/^Headline/)
      await type('Scene one')
      await press('Control+s')
      await saved()

      // Back to the root by the tree, then its text and its image.
      await tabTo(/Scene one ?Story$/)
      await press('Home', 'Enter')
      await page.waitForURL(to => to.href.startsWith(root))
      await tabTo(/^Headline/)
      await type('Once')
      await tabTo(/^Body/)
      await type('## In a wood')
      await press('Enter')
      await type('There was a tree.')
      await press('Tab')
      await tabTo(/^Choose: Cover/)
      await press('Enter')
      await page.getByRole('option', { name: 'tree.png' }).waitFor()
      await press('Enter')
      await page.locator('.chosen', { hasText: 'tree.png' }).waitFor()

      // Publish, and see it as everybody does.
      await press('Control+Enter')
      await page.locator('.meta .state.live').waitFor()
      const first = await publicPage('/story?')
      expect(first).toMatchObject({
        headline: 'Once',
        body: '<h2>In a wood</h2><p>There was a tree.</p>',
        children: [{ headline: 'Chapter one', children: [{ headline: 'Scene one' }] }],
      })
      expect(first.cover).toMatch(/^\w{26}$/)

      // Edit, publish, compare two versions, restore the first.
      await tabTo(/^Headline/)
      await press('Control+a')
      await type('Once upon a time')
      await press('Control+s')
      await saved()
      expect(await publicPage('/story?')).toMatchObject({ headline: 'Once' })
      await press('Control+Enter')
      await expect.poll(async () => (await publicPage('/story?')).headline).toBe('Once upon a time')
      await tabTo(/^All 2/)
      await press('Enter')
      await page.getByRole('heading', { level: 1, name: /^Versions/ }).waitFor()
      await tabTo(/^Compare$/)
      await press('Enter')
      await page.getByRole('heading', { level: 1, name: 'What changed' }).waitFor()
      expect(await page.locator('.differences ins').allTextContents()).toEqual([' upon a time'])
      await tabTo(/^Versions$/)
      await press('Enter')
      await page.getByRole('heading', { level: 1, name: /^Versions/ }).waitFor()
      await tabTo(/^Restore/)
      await tabTo(/^Restore/)
      await press('Enter')
      await page.waitForURL(to => to.href.startsWith(`${root}?saved`) || to.href === root)
      await page.locator('[id="f-fields.headline"]').waitFor()
      expect(await page.locator('[id="f-fields.headline"]').inputValue()).toBe('Once')

      // A plan.
      await tabTo(/^Schedule/)
      await press('Enter')
      await tabTo(/^Unpublish/)
      await type('12312099')
      await press('Tab')
      await type('1000')
      await page.keyboard.type('AM')
      await tabTo(/^Schedule$/)
      await press('Enter')
      await saved()
      const planned = async () =>
        (await call('GET', `/api/v1/content?q=${root.slice(-26)}`)).body.unpublish_at
      await expect.poll(async () => String(await planned())).toMatch(/^2099-12-31T/)

      // Another language.
      await tabTo(/^German/)
      await press('Enter')
      await page.waitForURL(/locale=de/)
      await tabTo(/^Headline/)
      await type('Es war einmal')
      await press('Control+s')
      await saved()
      await press('Control+Enter')
      await expect.poll(async () => (await publicPage('/story?locale=de&')).headline).toBe('Es war einmal')

      // An editor, who signs in.
      await go('New person', /New person/)
      await tabTo(/^Name/)
      await type('Ada')
      await tabTo(/^E-mail/)
      await type('ada@example.com')
      await tabTo(/^Role/)
      await type('editor')
      await tabTo(/^Password/)
      await type('a long password of Ada')
      await press('Control+s')
      await page.waitForURL(/\/users\/\w{26}/)
      await go('Sign out', 'Profile')
      await tabTo(/^Sign out/)
      await press('Enter')
      await page.waitForURL(/sign-in/)
      await tabTo(/^E-mail/)
      await type('ada@example.com')
      await tabTo(/^Password/)
      await type('a long password of Ada')
      await press('Enter')
      await page.locator('.rail', { hasText: 'Ada' }).waitFor()
      await go('A story', 'A story')
      await tabTo(/^Headline/)
      expect(problems).toEqual([])
    })
  },
)
