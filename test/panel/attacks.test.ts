import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing } from '../support/browser.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp({ app_secret: 'a secret of the test, long enough', i18n_enabled: true })
const { call } = app
const { post } = panelForms(app)

/** Markup that runs a script, or posts, wherever it becomes markup. */
const hostile = `"><img src=x onerror="globalThis.hit=1"><script nonce>globalThis.hit=1</script><b hx-post="/admin/sign-out" hx-trigger="load">x</b></textarea></title><svg onload=globalThis.hit=1>'\``
const short = '"><svg onload=globalThis.hit=1>'

const idIn = (location: string) => /\w{26}/.exec(location)?.[0] ?? ''
async function made(path: string, values: Record<string, string> | [string, string][]): Promise<string> {
  const answer = await post(path, values)
  expect([path, answer.status]).toEqual([path, 303])
  return answer.location.replace('?saved', '')
}

/** A tree in a space whose every text is hostile, published, changed since, with versions and a plan. */
async function hostileTree(at: '/admin' | '/admin/space'): Promise<void> {
  const kind = { label: hostile, type: 'content', parent_id: '', visibility: 'linked', sort_order: '0' }
  const datatype = idIn(await made(`${at}/datatypes/new`, kind))
  const names: string[] = []
  for (const type of [
    'text',
    'textarea',
    'richtext',
    'json',
    'url',
    'email',
    'select',
    'relation',
    'media',
  ]) {
    const data = type === 'select' ? { options: [hostile.slice(0, 200)] } : {}
    const values = { parent_id: datatype, label: `${type} ${short}`, field_type: type, sort_order: '0' }
    const path = await made(`${at}/fields/new`, { ...values, data: JSON.stringify(data) })
    const { text } = await call('GET', path)
    names.push(/name="name"[^>]*value="([^"]*)"/.exec(text)?.[1] ?? '')
  }
  const values = { title: hostile, slug: `/x"><svg/onload=globalThis.hit=1>` }
  const route = idIn(await made(`${at}/routes/new`, values))
  const page = await made(`${at}/content/${route}/start`, { datatype_id: datatype })
  const child = await made(`${page}/add`, { datatype_id: datatype })
  const texts = (more: string): [string, string][] => [
    [`fields.${names[0]}`, more + hostile],
    [`fields.${names[1]}`, more + hostile],
    [`fields.${names[2]}`, `<p>${more}</p>${hostile}`],
    [`fields.${names[3]}`, JSON.stringify({ [hostile]: more + hostile })],
    [`fields.${names[4]}`, `https://x.example/?${encodeURIComponent(hostile)}`],
  ]
  for (const more of ['one ', 'two ']) {
    for (const path of [child, page]) await made(path, texts(more))
    await made(page, [['next', 'publish']])
    await made(`${page}/versions`, {})
  }
}

async function hostileSite(): Promise<void> {
  await hostileTree('/admin')
  await hostileTree('/admin/space')
  await call('POST', '/api/v1/datatypes', { body: { label: hostile, type: '_global' } })
  await made('/admin/redirects/new', {
    slug: `/y${short.replace(' ', '/')}`,
    target: `/z${short.replace(' ', '/')}`,
    status: '308',
  })
  await made('/admin/locales/new', {
    label: hostile.slice(0, 200),
    code: 'eo',
    is_enabled: 'true',
    sort_order: '1',
  })
  await made('/admin/roles/new', { label: hostile.slice(0, 200) })
  const person = {
    name: hostile.slice(0, 200),
    email: 'x@example.com',
    username: 'x"><svg/onload=hit=1>',
    password: '',
  }
  await made('/admin/users/new', person)
  const body = { name: hostile, url: 'https://x.example/', events: ['*'] }
  expect((await call('POST', '/api/v1/admin/webhooks', { body })).status).toBe(201)
  expect((await call('POST', '/api/v1/tokens', { body: { label: hostile.slice(0, 200) } })).status).toBe(201)
}

await hostileSite()

/** Of pages that differ by an id or a query alone, so many are looked at. */
const mostAlike = 3
const shapeOf = (path: string) => path.replaceAll(/\w{26}/g, 'id').replace(/\?.*/, '?')

/** Every page that links lead to, each with what it is. */
async function crawled(look: (path: string) => Promise<readonly string[]>): Promise<string[]> {
  const [seen, alike] = [new Set<string>(), new Map<string, number>()]
  const waiting = ['/admin', '/admin/find?q=svg', '/admin/space/find?q=svg', '/admin/nowhere"><svg>']
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const shape = shapeOf(path)
    const n = alike.get(shape) ?? 0
    if (seen.has(path) || n >= mostAlike) continue
    seen.add(path)
    alike.set(shape, n + 1)
    waiting.push(...(await look(path)))
  }
  return [...seen]
}

const linksIn = (html: string): string[] =>
  [...html.matchAll(/<a [^>]*href="(\/admin[^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))

describe('forms of the panel', () => {
  it('are refused without the token of this browser, every one of them, and change nothing', async () => {
    const actions = new Set<string>()
    const paths = await crawled(async path => {
      const { text } = await call('GET', path)
      for (const [, to] of text.matchAll(/<form [^>]*method="post"[^>]*action="([^"]*)"/g))
        actions.add((to ?? '').replaceAll('&amp;', '&').replace(/\?form_token=.*/, ''))
      return linksIn(text)
    })
    expect(paths.length).toBeGreaterThan(60)
    expect(actions.size).toBeGreaterThan(50)
    const count = (await app.audits()).length
    for (const action of actions)
      for (const [token, site] of [
        ['', undefined],
        ['x', undefined],
        ['x', 'https://evil.example'],
      ] as const) {
        const answer = await app.send('POST', action, {
          as: 'admin',
          body: new URLSearchParams({ form_token: token }).toString(),
          headers: {
            'Content-Type': 'application/x-www-form-urlencoded',
            ...(site ? { Origin: site } : {}),
          },
        })
        expect([action, token, site, answer.status]).toEqual([action, token, site, 403])
      }
    expect((await app.audits()).length).toBe(count)
  })

  it('are on pages that nobody frames, keeps or guesses the type of', async () => {
    await crawled(async path => {
      const { headers, text } = await call('GET', path)
      // The panel alone frames the page that stands beside a form.
      const isFramed = /\/page(\?|$)/.test(path)
      expect([path, headers.get('x-frame-options'), headers.get('x-content-type-options')]).toEqual([
        ...[path, isFramed ? 'SAMEORIGIN' : 'DENY', 'nosniff'],
      ])
      expect([path, headers.get('content-security-policy')]).toEqual([
        path,
        expect.stringMatching(
          isFramed
            ? /^default-src 'none'; script-src 'nonce-[^']+';.*frame-ancestors 'self'.*require-trusted-types-for 'script'/
            : /^default-src 'none'; script-src 'nonce-[^']+';.*frame-ancestors 'none'.*require-trusted-types-for 'script'/,
        ),
      ])
      if (!headers.get('location')) expect([path, headers.get('cache-control')]).toEqual([path, 'no-store'])
      return linksIn(text)
    })
  })
})

describe.skipIf(chromiumMissing)(
  `attacks in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel, url } = await browserOf(app)

    it('find no page on which a stored text runs, posts or breaks the policy', async () => {
      const { page, problems } = await panel({ as: 'admin' })
      page.on('dialog', dialog => dialog.dismiss().then(() => problems.push('a dialog')))
      page.on('request', request => {
        const isOwn = request.method() === 'GET' || request.url().includes('/presence/')
        if (!isOwn) problems.push(`${request.method()} ${request.url()}`)
      })
      const paths = await crawled(async path => {
        await page.goto(url + path)
        expect([path, await page.evaluate('globalThis.hit'), problems]).toEqual([path, undefined, []])
        return page
          .locator('a[href^="/admin"]')
          .evaluateAll(links => links.map(link => link.getAttribute('href') ?? ''))
      })
      expect(paths.length).toBeGreaterThan(60)
      expect(paths.some(path => path.includes('/compare?'))).toBe(true)
    })

    it('have no use of attributes for htmx that the server did not write', async () => {
      const { page, open } = await panel({ as: 'admin' })
      await open('/profile')
      const posts: string[] = []
      page.on('request', request => request.method() === 'POST' && posts.push(request.url()))
      await page.evaluate(() => {
        for (const nonce of [undefined, '', 'x']) {
          const forged = document.createElement('button')
          forged.className = 'forged'
          forged.textContent = 'forged'
          forged.setAttribute('hx-post', '/admin/sign-out')
          forged.setAttribute('hx-trigger', 'click, load')
          if (nonce !== undefined) forged.setAttribute('hx-nonce', nonce)
          document.querySelector('#main')?.append(forged)
          ;(globalThis as { htmx?: { process(element: Element): void } }).htmx?.process(forged)
        }
      })
      for (const forged of await page.locator('.forged').all()) await forged.click()
      await page.reload()
      expect([posts, new URL(page.url()).pathname]).toEqual([[], '/admin/profile'])
      expect(
        await page.evaluate(() => {
          try {
            document.body.innerHTML = '<b>x</b>'
            return 'taken'
          } catch {
            return 'refused'
          }
        }),
      ).toBe('refused')
    })

    it('frame no page of it', async () => {
      const evil = createServer((_, answer) => {
        answer.setHeader('Content-Type', 'text/html')
        answer.end(`<iframe src="${url}/admin/sign-in"></iframe><p>around</p>`)
      })
      await new Promise<void>(resolve => evil.listen(0, '127.0.0.1', resolve))
      const { page, problems } = await panel({ as: 'admin' })
      await page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`)
      await expect.poll(() => problems.join()).toMatch(/frame/i)
      expect(await page.frameLocator('iframe').locator('form').count()).toBe(0)
      evil.close()
    })

    it('and a first look at the panel costs less than 60 kB', async () => {
      const { page } = await panel({ as: 'admin' })
      await page.goto(`${url}/admin`, { waitUntil: 'networkidle' })
      const sizes = await page.evaluate(() =>
        ['navigation', 'resource'].flatMap(kind =>
          performance
            .getEntriesByType(kind)
            .map(entry => [entry.name, (entry as PerformanceResourceTiming).encodedBodySize] as const),
        ),
      )
      expect(sizes.length).toBeGreaterThanOrEqual(4)
      const sum = sizes.reduce((all, [, bytes]) => all + bytes, 0)
      expect([sum < 60_000, sum > 20_000, sizes]).toEqual([true, true, sizes])
    })
  },
)
