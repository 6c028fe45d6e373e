import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { browserOf, chromiumMissing, expectClean, looks, type Panel } from '../support/browser.js'
import { everyPage } from '../support/panel-pages.js'

/** Where pictures of all pages go, such as `/tmp/pages`; without it none are made. */
const pictures = process.env.PANEL_PICTURES

const { app, pages } = await everyPage()
const { call } = app

async function show(seen: Panel, name: string, path: string): Promise<void> {
  const status = await seen.open(path)
  expect([name, path, status]).toEqual([name, path, name === 'not-found' ? 404 : 200])
  if (await seen.page.locator('textarea[data-rich]').count())
    await seen.page.locator('.rich-text').first().waitFor()
  if (await seen.page.locator('[data-preview]').count())
    await seen.page.frameLocator('#page-frame iframe').locator('h1').waitFor()
}

async function picture({ page }: Panel, name: string, look: keyof typeof looks): Promise<void> {
  if (!pictures) return
  mkdirSync(pictures, { recursive: true })
  const bytes = await page.screenshot({ animations: 'disabled' })
  const file = join(pictures, `${name}-${look}.png`)
  await sharp(bytes).png({ palette: true, colours: 96, effort: 9 }).toFile(file)
}

/** Addresses in the panel that the HTML of a page leads to, as a browser resolves them. */
const linksIn = (html: string, path: string): string[] =>
  [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)]
    .map(([, href = '']) => new URL(href.replaceAll('&amp;', '&'), `http://x/admin${path}`))
    .filter(({ host, pathname }) => host === 'x' && /^\/admin(\/|$)/.test(pathname))
    .map(({ pathname, search }) => pathname + search)

/** Runs in the browser. @returns the controls of a page that are too small for a finger, and whether the page is too wide */
function smallControls(): string[] {
  const least = 24
  const controls =
    'a[href], button, summary, select, textarea, input:not([type=hidden]), [role=button], [role=tab]'
  const label = (control: Element) =>
    control instanceof HTMLInputElement && ['checkbox', 'radio', 'file'].includes(control.type)
      ? [...(control.labels ?? [])]
      : []
  /** A link within a sentence has the height of its line. */
  const isInText = (control: Element) => {
    const words = [...(control.parentElement?.childNodes ?? [])].some(
      node => node.nodeType === Node.TEXT_NODE && /\p{L}/u.test(node.textContent ?? ''),
    )
    return control.tagName === 'A' && words && getComputedStyle(control).display === 'inline'
  }
  const sizeOf = (element: Element) => {
    const { width, height } = element.getBoundingClientRect()
    return Math.min(width, height)
  }
  const wide = document.documentElement.scrollWidth > innerWidth
  const found = [...document.querySelectorAll(controls)].filter(control => {
    if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false
    const { left, right, bottom } = control.getBoundingClientRect()
    const isClipped =
      getComputedStyle(control).clipPath !== 'none' || control.closest('.hidden-text, .skip') !== null
    if (isClipped || right <= 0 || bottom <= 0 || left >= innerWidth || isInText(control)) return false
    return Math.max(sizeOf(control), ...label(control).map(sizeOf)) < least - 0.01
  })
  const told = found.map(one => {
    const { width, height } = one.getBoundingClientRect()
    return `${one.outerHTML.replaceAll(/\s+/g, ' ').slice(0, 110)} ${width.toFixed(1)} × ${height.toFixed(1)}`
  })
  return [...(wide ? [`${document.documentElement.scrollWidth} px wide`] : []), ...new Set(told)]
}

/** Runs in the browser. @returns headings, tables and empty states that touch what stands above them */
function touching(): string[] {
  const least = 6
  const main = document.querySelector('main')
  const isShown = (one: Element) => one.checkVisibility() && one.getBoundingClientRect().height > 2
  const shown = (selector: string) => [...(main?.querySelectorAll(selector) ?? [])].filter(isShown)
  const boxOf = (one: Element) => {
    const { top, bottom, left, right } = one.getBoundingClientRect()
    const { paddingTop, paddingBottom } = getComputedStyle(one)
    const isHeading = one.tagName.startsWith('H')
    const [above, below] = isHeading ? [paddingTop, paddingBottom].map(Number.parseFloat) : [0, 0]
    return { top: top + (above ?? 0), bottom: bottom - (below ?? 0), left, right }
  }
  const parts = shown('h2, h3, .table-frame, .empty, .button:not(.bare)')
  return shown('h2, h3, .table-frame, .empty').flatMap(one => {
    const { top, left, right } = boxOf(one)
    const near = parts.find(other => {
      const box = boxOf(other)
      const isAbove = box.bottom <= top + 1 && box.bottom > top - least
      return other !== one && !other.contains(one) && isAbove && box.left < right && box.right > left
    })
    return near ? [`${one.outerHTML.slice(0, 60)} touches ${near.outerHTML.slice(0, 60)}`] : []
  })
}

it('every link of every page leads to a page', async () => {
  const from = new Map<string, string>()
  for (const [name, path] of pages)
    for (const link of name === 'not-found' ? [] : linksIn((await call('GET', `/admin${path}`)).text, path))
      from.set(link, path)
  expect(from.size).toBeGreaterThan(80)
  const dead: string[] = []
  for (const [link, path] of from)
    if ((await call('GET', link)).status >= 400) dead.push(`${link} on ${path}`)
  expect(dead).toEqual([])
})

describe.skipIf(chromiumMissing)(`every page${chromiumMissing ? ` (${chromiumMissing})` : ''}`, async () => {
  const { panel } = await browserOf(app)

  const forNobody = ['sign-in', 'forgotten', 'new-password']

  it('has nothing that axe or the policy refuses, in the light and in the dark', async () => {
    const [admin, nobody] = [await panel({ as: 'admin' }), await panel()]
    for (const [name, path] of pages) {
      const seen = forNobody.includes(name) ? nobody : admin
      await seen.page.emulateMedia({ colorScheme: 'light' })
      await show(seen, name, path)
      await picture(seen, name, 'light')
      await expectClean(seen)
      // The same page: only its colours are others.
      await seen.page.emulateMedia({ colorScheme: 'dark' })
      await picture(seen, name, 'dark')
      await expectClean(seen, 'colours')
    }
  })

  it('D34, D38: on a phone has no control under 24 px, and nothing that touches or is too wide', async () => {
    const [admin, nobody] = [await panel({ ...looks.phone, as: 'admin' }), await panel(looks.phone)]
    const small: string[] = []
    for (const [name, path] of pages) {
      const seen = forNobody.includes(name) ? nobody : admin
      await show(seen, name, path)
      await picture(seen, name, 'phone')
      await expectClean(seen)
      for (const find of [smallControls, touching])
        for (const told of await seen.page.evaluate(find)) small.push(`${name}: ${told}`)
    }
    expect(small).toEqual([])
  })
})
