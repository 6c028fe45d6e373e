import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout } from 'node:timers/promises'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { listen } from '../../src/node/http-listener.js'
import type { TestApp } from './app.js'
import { whenDone } from './when-done.js'

/**
 * The path of the browser; undefined if none is installed. The shell draws the same pages without a window's work, for
 * half the processor time.
 */
export const executablePath = ['chromium-headless-shell', 'chromium', 'chromium-browser']
  .map(name => `/usr/bin/${name}`)
  .find(path => existsSync(path))

/** False if every engine is required, as in `.ci/run`: then the browser is required too. */
export const chromiumMissing =
  executablePath === undefined && process.env.TEST_ALL === undefined
    ? 'the package chromium is not installed'
    : undefined

export const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
export const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const colourRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

export const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Color schemes and sizes of the window. */
export const looks = {
  light: { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
} satisfies Record<string, BrowserContextOptions>

/** A page of the panel in a browser with its own cookies. */
export interface Panel {
  page: Page
  /** The address of the panel, without a path. */
  url: string
  /** Opens a page under `/admin`. @returns its status */
  open(path: string): Promise<number>
  /** Errors and violations that the browser has reported. */
  problems: string[]
  /** Violations that axe finds, as `rule: markup`; of colours alone all that another theme can break. */
  axe(of?: 'colours'): Promise<string[]>
}

/** Serves the app of a test on a port, and opens a browser. */
export async function browserOf({ app, parts, config }: TestApp) {
  const listener = await listen('127.0.0.1:0', app.fetch, { log: parts.ports.log, maxConnections: 1000 })
  const url = `http://127.0.0.1:${listener.port}`
  let browser: Browser | undefined
  whenDone(async () => {
    await browser?.close()
    await listener.stop()
  })
  const launched = async () => {
    browser ??= await chromium.launch({
      executablePath: executablePath ?? '/usr/bin/chromium',
      args: browserFlags,
    })
    return browser
  }
  return {
    url,
    /** @param as the caller whose session the browser has; one of the app's first users */
    async panel(
      options: BrowserContextOptions & { as?: 'admin' | 'editor' | 'viewer' } = {},
    ): Promise<Panel> {
      const { as, ...rest } = options
      const context = await (await launched()).newContext({
        reducedMotion: 'reduce',
        ...looks.light,
        ...rest,
      })
      context.setDefaultTimeout(180_000)
      // A page that is still navigating may never close; the browser ends after the file in any case.
      onTestFinished(() => Promise.race([context.close(), setTimeout(10_000, undefined, { ref: false })]))
      if (as)
        await context.addCookies([{ name: config.cookie_name, value: `${as}-secret-of-this-test`, url }])
      const page = await context.newPage()
      const problems: string[] = []
      page.on('console', message => {
        // A refusal that the page shows is not a problem.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          problems.push(message.text())
      })
      page.on('pageerror', ({ message }) => {
        // A slow machine aborts the cross-fade between two pages.
        if (!message.startsWith('Transition was aborted')) problems.push(message)
      })
      return {
        page,
        url,
        problems,
        open: async path => (await page.goto(`${url}/admin${path}`))?.status() ?? 0,
        async axe(of) {
          const asked = of === 'colours' || rest.colorScheme === 'dark' ? colourRules : rules
          const found = await page.evaluate(
            `${axe};axe.run({ runOnly: ${JSON.stringify(asked)} }).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
          )
          return found as string[]
        },
      }
    },
  }
}

/** Expects that axe finds nothing in a page, and that the browser has reported nothing. */
export async function expectClean({ axe, problems, page }: Panel, of?: 'colours'): Promise<void> {
  expect([page.url(), await axe(of), problems]).toEqual([page.url(), [], []])
}
