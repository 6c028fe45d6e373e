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

async function show(seen: Panel, name: string, path: string, look: string): Promise<void> {
  const status = await seen.open(path)
  expect([name, path, status]).toEqual([name, path, name === 'not-found' ? 404 : 200])
  if (await seen.page.locator('textarea[data-rich]').count())
    await seen.page.locator('.rich-text').first().waitFor()
  if (await seen.page.locator('[data-preview]').count())
    await seen.page.frameLocator('#page-frame iframe').locator('h1').waitFor()
  if (pictures) {
    mkdirSync(pictures, { recursive: true })
    const bytes = await seen.page.screenshot({ animations: 'disabled' })
    const file = join(pictures, `${name}-${look}.png`)
    await sharp(bytes).png({ palette: true, colours: 96, effort: 9 }).toFile(file)
  }
}

/** Addresses in the panel that the HTML of a page leads to, as a browser resolves them. */
const linksIn = (html: string, path: string): string[] =>
  [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)]
    .map(([, href = '']) => new URL(href.replaceAll('&amp;', '&'), `http://x/admin${path}`))
    .filter(({ host, pathname }) => host === 'x' && /^\/admin(\/|$)/.test(pathname))
    .map(({ pathname, search }) => pathname + search)

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

  for (const [look, options] of Object.entries(looks))
    it(`has nothing that axe or the policy refuses: ${look}`, async () => {
      const [admin, nobody] = [await panel({ ...options, as: 'admin' }), await panel(options)]
      for (const [name, path] of pages) {
        const seen = ['sign-in', 'forgotten', 'new-password'].includes(name) ? nobody : admin
        await show(seen, name, path, look)
        await expectClean(seen)
      }
    })
})
