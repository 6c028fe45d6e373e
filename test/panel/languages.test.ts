import { describe, expect, it } from 'vitest'
import { configFields } from '../../src/config-fields.js'
import { configurationWords } from '../../src/texts/configuration.js'
import { translation as de } from '../../src/texts/de.js'
import { translation as fr } from '../../src/texts/fr.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, type Panel } from '../support/browser.js'
import { everyPage } from '../support/panel-pages.js'

const { app, pages } = await everyPage()
const { call } = app
const elsewhere = await testApp({ environment: 'development' })

/** The part of the panel in which no text may be left in English. */
const finished = { pages: ['media', 'file'], within: '#side, #tree, #form, .drop, .tiles' }

/** What people have written on the pages, and codes, which are the same in every language. */
const written = new Set([
  'Page',
  'Heading',
  'Text',
  'Cover',
  'See also',
  'Boats',
  'German',
  'HTML',
  'image/png',
])

const everywhere = new Set(['sign-in', 'forgotten', 'new-password'])
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
/** Most of what does not fit is found on a phone, so only a release looks at desktops too. */
const looks = { phone, ...(process.env.TEST_THOROUGH && { desktop: {} }) }

async function speak({ page, url }: Panel, language: string): Promise<void> {
  await page.context().addCookies([{ name: 'slugline_language', value: language, url }])
}

/** Returns the texts and labels that a page shows, each once. */
const shownOn = ({ page }: Panel, within: string): Promise<string[]> =>
  page.evaluate(selector => {
    const found: string[] = []
    for (const root of document.querySelectorAll(selector)) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
      for (let node: Node | null = root; node; node = walker.nextNode()) {
        if (node instanceof Text) found.push(node.data)
        else if (node instanceof Element)
          for (const name of ['aria-label', 'title', 'placeholder']) found.push(node.getAttribute(name) ?? '')
      }
    }
    return [...new Set(found.map(text => text.replace(/\s+/g, ' ').trim()))].filter(Boolean)
  }, within)

describe('the language of the panel', () => {
  const chosen = async (headers: Record<string, string>, from = call) => {
    const { text } = await from('GET', '/admin/sign-in', { as: 'nobody', headers })
    return /<html lang="([^"]*)"( dir="rtl")?/.exec(text)?.slice(1)
  }

  it('is the chosen one, else the one that the browser asks for', async () => {
    expect(await chosen({})).toEqual(['en', undefined])
    expect(await chosen({ 'Accept-Language': 'fr-CH, de;q=0.7' })).toEqual(['fr', undefined])
    expect(await chosen({ 'Accept-Language': 'fr', Cookie: 'slugline_language=de' })).toEqual([
      'de',
      undefined,
    ])
    for (const Cookie of ['slugline_language=nl', 'slugline_language=__proto__', 'slugline_language='])
      expect([Cookie, await chosen({ Cookie })]).toEqual([Cookie, ['en', undefined]])
  })

  it.each(['de', 'fr'])('explains every setting: %s', async language => {
    const shown = async (tag: string) =>
      (await call('GET', '/admin/settings', { headers: { 'Accept-Language': tag } })).text
    const meanings = Object.values(configFields).map(({ meaning }) => meaning.slice(0, 40))
    const [english, own] = [await shown('en'), await shown(language)]
    expect(meanings.filter(meaning => !english.includes(meaning.slice(0, 15)))).toEqual([])
    expect(meanings.filter(meaning => own.includes(meaning))).toEqual([])
    for (const name of Object.keys(configFields)) {
      const [label = '', meaning = ''] = configurationWords(name, language) ?? []
      expect([name, own.includes(label) && own.includes(meaning.slice(0, 15))]).toEqual([name, true])
    }
  })

  it('can be mirrored on the machine of a developer only', async () => {
    const Cookie = 'slugline_language=ar-XB'
    expect(await chosen({ Cookie })).toEqual(['ar-XB', ' dir="rtl"'])
    expect(await chosen({ Cookie }, elsewhere.call)).toEqual(['en', undefined])
  })
})

describe.skipIf(chromiumMissing)(`languages${chromiumMissing ? ` (${chromiumMissing})` : ''}`, async () => {
  const { panel } = await browserOf(app)

  it('are offered to somebody who is not signed in, who then goes on to where they wanted', async () => {
    const nobody = await panel({})
    const { page } = nobody
    await nobody.open('/profile')
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await page.waitForFunction(() => document.documentElement.lang === 'de')
    expect(await page.locator('.languages [aria-current]').textContent()).toBe('Deutsch')
    expect(await page.locator('input[name=to]').first().inputValue()).toBe('/admin/profile')
    await expectClean(nobody)
  })

  it('are those of the scripts too, with times as the language writes them', async () => {
    const admin = await panel({ as: 'admin', timezoneId: 'Asia/Tokyo' })
    await speak(admin, 'de')
    await admin.open('/audit')
    const title = () => admin.page.locator('main time').first().getAttribute('title')
    await expect.poll(title).toMatch(/^\d\d\.\d\d\.\d{4}, \d\d:\d\d:\d\d GMT\+9$/)
    await admin.page.locator('h1').click()
    await admin.page.keyboard.press('?')
    expect(await admin.page.locator('#keys-title').textContent()).toBe('Tastenkürzel')
    await expectClean(admin)
  })

  it.each(Object.entries({ de, fr }))('have no English text left: %s', async (language, texts) => {
    const admin = await panel({ as: 'admin' })
    await speak(admin, language)
    const english = new Set(
      Object.entries(texts).flatMap(([text, translated]) =>
        [translated].flat().includes(text) ? [] : [text],
      ),
    )
    const left: string[] = []
    for (const name of finished.pages) {
      await admin.open(pages.get(name) ?? '')
      for (const text of await shownOn(admin, finished.within))
        if (english.has(text) && !written.has(text)) left.push(`${name}: ${text}`)
    }
    expect(left).toEqual([])
    await expectClean(admin)
  })

  it('mirror the keys and the edge of the tree from right to left', async () => {
    const admin = await panel({ as: 'admin' })
    const { page } = admin
    await speak(admin, 'ar-XB')
    await admin.open(pages.get('entry') ?? '')
    const edge = page.locator('[data-edge]')
    const width = async () => Number(await edge.getAttribute('aria-valuenow'))
    const before = await width()
    await edge.focus()
    await page.keyboard.press('ArrowLeft')
    expect(await width()).toBe(before + 16)
    const { x = 0, y = 0 } = (await edge.boundingBox()) ?? {}
    await page.mouse.move(x + 2, y + 300)
    await page.mouse.down()
    await page.mouse.move(x - 38, y + 300, { steps: 4 })
    await page.mouse.up()
    expect(await width()).toBeGreaterThan(before + 40)
    const root = page.getByRole('treeitem').first()
    await root.focus()
    await page.keyboard.press('ArrowRight')
    expect(await root.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowLeft')
    expect(await root.getAttribute('aria-expanded')).toBe('true')
  })

  it.each(['de', 'fr', 'ar-XB'])('fit on every page without scrolling sideways: %s', async language => {
    for (const [look, options] of Object.entries(looks)) {
      const [admin, nobody] = [await panel({ ...options, as: 'admin' }), await panel(options)]
      await speak(admin, language)
      await speak(nobody, language)
      const wide: string[] = []
      for (const [name, path] of pages) {
        const seen = everywhere.has(name) ? nobody : admin
        await seen.open(path)
        const [shown, room] = await seen.page.evaluate(() => [
          document.documentElement.scrollWidth,
          document.documentElement.clientWidth,
        ])
        if ((shown ?? 0) > (room ?? 0)) wide.push(`${name}: ${shown} in ${room}`)
      }
      expect([look, wide, admin.problems, nobody.problems]).toEqual([look, [], [], []])
    }
  })
})
