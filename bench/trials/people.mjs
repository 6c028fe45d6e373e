// People in browsers of their own, and what may happen to them: a connection that ends, a session that ends, a browser
// that is killed.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { atEnd, folder, program, until } from './programs.mjs'

const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--headless=new', '--remote-debugging-port=0'],
  '--window-size=1440,900',
]
const executable = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(path => existsSync(path))

/**
 * A way to the service that can be cut: open connections end at once, and new ones are refused.
 * @param localAddress of its own, because the service limits sign-ins by address
 */
async function wire(port, localAddress) {
  const sockets = new Set()
  let isCut = false
  const server = createServer(socket => {
    if (isCut) return socket.destroy()
    const other = connect({ port, host: '127.0.0.1', localAddress })
    for (const [one, two] of [
      [socket, other],
      [other, socket],
    ]) {
      sockets.add(one)
      one.on('error', () => two.destroy())
      one.on('close', () => {
        sockets.delete(one)
        two.destroy()
      })
      one.pipe(two)
    }
  })
  await new Promise(done => server.listen(0, '127.0.0.1', done))
  atEnd(() => {
    server.close()
    for (const one of sockets) one.destroy()
  })
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    cut() {
      isCut = true
      for (const one of sockets) one.destroy()
    },
    mend() {
      isCut = false
    },
  }
}

/** Somebody with an account, a browser with a profile, and texts that they have typed and not seen saved. */
export class Person {
  #browser
  #child
  /** Characters by the field that they were typed into, each with its time. */
  typed = new Map()

  constructor(name, { port, address, email, password }) {
    Object.assign(this, { name, port, address, email, password })
    this.profile = join(folder, `browser-${name}`)
    mkdirSync(this.profile)
  }

  async begin() {
    this.wire = await wire(this.port, this.address)
    await this.openBrowser()
  }

  async openBrowser() {
    const portFile = join(this.profile, 'DevToolsActivePort')
    rmSync(portFile, { force: true })
    const args = [...flags, `--user-data-dir=${this.profile}`, 'about:blank']
    const browser = program(`browser-${this.name}-${Date.now()}`, executable ?? 'chromium', args, {
      detached: true,
      stdio: 'ignore',
    })
    this.#child = browser
    const portOf = () => (existsSync(portFile) ? readFileSync(portFile, 'utf8').split('\n')[0] : '')
    await until(`the browser of ${this.name} runs`, () => /^\d+$/.test(portOf()))
    this.#browser = await chromium.connectOverCDP(`http://127.0.0.1:${portOf()}`)
    const [context] = this.#browser.contexts()
    context.setDefaultTimeout(20_000)
    this.#use(context.pages()[0] ?? (await context.newPage()))
  }

  #use(page) {
    this.page = page
    page.on('dialog', dialog => dialog.accept().catch(() => undefined))
  }

  /** Goes on in another tab: now and then the driver waits forever for an answer of one. */
  async renewTab() {
    const old = this.page
    const [context] = this.#browser.contexts()
    this.#use(await context.newPage())
    void old.close().catch(() => undefined)
  }

  /** Kills all processes of the browser at once. */
  async kill() {
    process.kill(-this.#child.child.pid, 'SIGKILL')
    await this.#child.ended
    // The connection is over already, which not every call that waits on it hears.
    void this.#browser.close().catch(() => undefined)
  }

  /** Signs out in a way that the browser does not notice. */
  async loseSession() {
    await this.page.context().clearCookies()
  }

  get path() {
    const { pathname } = new URL(this.page.url())
    return pathname.startsWith('/admin') ? pathname.slice('/admin'.length) : ''
  }

  async open(path) {
    for (let tries = 0; tries < 40; tries++) {
      const answer = await this.page.goto(`${this.wire.url}/admin${path}`).catch(() => undefined)
      if (answer) await this.signIn(path)
      if (answer && this.path === path) return
      await sleep(300)
    }
    throw new Error(`${this.name} cannot open ${path}, and is at ${this.page.url()}`)
  }

  /** Signs in at the page or the dialog that asks for it. */
  async signIn(path) {
    const again = this.page.locator('#sign-in-again')
    const ended = this.page.locator('#session-ended').getByRole('button')
    if (await ended.isVisible()) {
      await ended.click()
      await again.waitFor()
    }
    const isDialog = await again.isVisible()
    if (!isDialog && !this.path.startsWith('/sign-in')) return
    const place = isDialog ? again : this.page.locator('main')
    await place.getByLabel('E-mail').fill(this.email)
    await place.getByLabel('Password', { exact: true }).fill(this.password)
    await place.getByRole('button', { name: isDialog ? 'Sign in and save' : 'Sign in', exact: true }).click()
    if (isDialog) await again.waitFor({ state: 'detached', timeout: 5000 }).catch(() => undefined)
    else {
      await this.page.waitForURL(url => !url.pathname.startsWith('/admin/sign-in'))
      if (path && this.path !== path) await this.page.goto(`${this.wire.url}/admin${path}`)
    }
  }

  /** Types a text behind the one of a field. @param stop called before each character; true ends it */
  async type(field, locator, text, stop) {
    const typed = this.typed.get(field) ?? []
    this.typed.set(field, typed)
    await locator.focus()
    await this.page.keyboard.press('Control+End')
    for (const [i, character] of [...text].entries()) {
      if (await stop(i)) return
      await this.page.keyboard.type(character)
      typed.push({ character, at: performance.now() })
    }
  }

  textOf(field) {
    return (this.typed.get(field) ?? []).map(({ character }) => character).join('')
  }
}
