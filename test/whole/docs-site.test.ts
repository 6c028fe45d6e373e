import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeRelative, refuseDeadLinks } from '../../docs/.vitepress/output.js'
import { tasks } from '../../docs/.vitepress/sidebar.js'
import { axe, browserFlags, chromiumMissing, executablePath, rules } from '../support/browser.js'
import { engine } from '../support/database.js'

const out = mkdtempSync(join(tmpdir(), 'slugline-docs-'))
afterAll(() => rmSync(out, { recursive: true, force: true }))
const pages = tasks.flatMap(task => task.pages.map(([, path]) => path))
const html = (path: string) => (path === 'README.md' ? 'index.html' : path.replace(/\.md$/, '.html'))
const read = (path: string) => readFileSync(join(out, path), 'utf8')

/** Questions of readers, each with the page that answers it. */
const questions: readonly (readonly [words: string, page: string])[] = [
  ['visibility private', 'docs/modelling'],
  ['certificate', 'docs/tls'],
  ['nginx', 'docs/proxy'],
  ['restore backup', 'docs/backup'],
  ['filter sort cursor', 'docs/query'],
  ['highlights', 'docs/search'],
  ['preview link', 'docs/previews'],
  ['verify signature', 'docs/webhooks'],
  ['image variants', 'docs/media'],
  ['comments review', 'docs/review'],
  ['locale fallback', 'docs/locales'],
  ['slug changed redirect', 'docs/redirects'],
  ['sitemap', 'docs/site-files'],
  ['systemd', 'docs/installation'],
  ['prometheus', 'docs/monitoring'],
  ['cors origins', 'docs/browser-apps'],
  ['idempotency key', 'docs/writing'],
  ['typescript', 'docs/types'],
  ['portable text', 'docs/moving-from/sanity'],
  ['glossary', 'docs/architecture'],
  ['sftp', 'docs/terminal'],
]

async function serve(): Promise<string> {
  const server = createServer((request, response) => {
    const path = join(out, decodeURIComponent(new URL(request.url ?? '/', 'http://docs').pathname))
    if (!existsSync(path)) return void response.writeHead(404).end()
    const type = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }[
      path.split('.').at(-1) ?? ''
    ]
    response.writeHead(200, type ? { 'Content-Type': `${type}; charset=utf-8` } : {}).end(readFileSync(path))
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function openBrowser() {
  const browser = await chromium.launch({ executablePath: executablePath ?? '', args: browserFlags })
  onTestFinished(() => browser.close())
  return browser.newPage()
}

describe.runIf(engine === 'sqlite')('the documentation site', () => {
  beforeAll(() => promisify(execFile)('npx', ['vitepress', 'build', 'docs', '--outDir', out]), 240_000)

  it('has every page that Git has, and each in the sidebar with a Markdown twin', () => {
    for (const path of pages)
      expect([path, existsSync(join(out, html(path))), read(path)]).toEqual([
        path,
        true,
        readFileSync(path, 'utf8'),
      ])
    const listed = [...read('llms.txt').matchAll(/^- \[.+?\]\((.+?)\)/gm)].map(([, path]) => path)
    expect(listed).toEqual(pages)
    const own = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter(path =>
      path.endsWith('.md'),
    )
    const unlisted = own.filter(path => !pages.includes(`docs/${path}`))
    expect(unlisted.filter(path => !/^(panel\/pages|decisions)\//.test(path))).toEqual([])
  })

  it('loads nothing from elsewhere, and has only relative addresses', () => {
    for (const path of pages) {
      const loaded = [...read(html(path)).matchAll(/<(?:script|link|img)\b[^>]*? (?:src|href)="([^"]+)"/g)]
      expect([path, loaded.map(([, url]) => url).filter(url => !/^(\.\.?\/|data:)/.test(url ?? ''))]).toEqual(
        [path, []],
      )
    }
  })

  it.skipIf(chromiumMissing !== undefined)(
    'has no fault for axe, and can be read from a folder',
    async () => {
      const url = await serve()
      const page = await openBrowser()
      for (const path of pages.slice(0, 10)) {
        await page.goto(`${url}/${html(path)}`, { waitUntil: 'networkidle' })
        await page.evaluate(axe)
        const found = await page.evaluate(
          (only: string[]) =>
            (globalThis as unknown as { axe: typeof import('axe-core') }).axe
              .run(document, { runOnly: only })
              .then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)),
          rules,
        )
        expect([path, found]).toEqual([path, []])
      }
      await page.goto(`file://${join(out, 'index.html')}`)
      await page.click('.VPSidebar a:has-text("Webhooks")')
      expect(await page.textContent('h1')).toContain('Webhooks')
    },
    120_000,
  )

  it.skipIf(chromiumMissing !== undefined)(
    'finds the page of each question in its first three results',
    async () => {
      const page = await openBrowser()
      await page.goto(`${await serve()}/index.html`, { waitUntil: 'networkidle' })
      await page.click('.DocSearch-Button')
      const missed: unknown[] = []
      for (const [words, wanted] of questions) {
        await page.fill('#localsearch-input', words)
        await page.waitForTimeout(500)
        const links = await page
          .locator('#localsearch-list a')
          .evaluateAll(all => all.slice(0, 3).map(a => a.getAttribute('href')))
        if (!links.some(link => link?.includes(`/${wanted}`))) missed.push([words, links])
      }
      expect(missed).toEqual([])
    },
    120_000,
  )
})

describe('a built page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-docs-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const build = (body: string) => {
    writeFileSync(join(folder, 'a.html'), body)
    makeRelative(folder, '/')
    refuseDeadLinks(folder)
  }

  it('with a dead link or an unknown anchor fails the build', () => {
    expect(() => build('<h1 id="top"></h1><a class="x" href="/a.html#top">')).not.toThrow()
    expect(() => build('<a href="/b.html">')).toThrow('a.html: ./b.html')
    expect(() => build('<a href="#nowhere">')).toThrow('a.html: #nowhere')
  })
})
