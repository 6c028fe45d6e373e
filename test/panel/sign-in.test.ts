import { generate } from 'otplib'
import { describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { factories } from '../support/factories.js'

const app = await testApp({ app_secret: 'a secret of the panel' })
const { db, call, send } = app

/** The hidden member that forms of a page carry, and the cookies that came with it. */
async function formOf(path: string, cookie = '') {
  const answer = await call('GET', path, { as: 'nobody', headers: cookie ? { Cookie: cookie } : {} })
  const token = /name="form_token" value="([^"]*)"/.exec(answer.text)?.[1] ?? ''
  const cookies = [cookie, ...answer.headers.getSetCookie().map(line => line.split(';')[0])]
  return { token, cookie: cookies.filter(Boolean).join('; '), answer }
}

const post = (path: string, values: Record<string, string>, headers: Record<string, string> = {}) =>
  send('POST', path, {
    as: 'nobody',
    body: new URLSearchParams(values).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  })

const login = { email: 'admin@example.com', password: 'correct horse' }

describe('signing in to the panel', () => {
  it('leads whoever is not signed in to the page to sign in at, and back', async () => {
    const { headers, status } = await call('GET', '/admin/profile?x=1', { as: 'nobody' })
    expect([status, headers.get('location')]).toEqual([303, '/admin/sign-in?to=%2Fadmin%2Fprofile%3Fx%3D1'])
    const { token, cookie, answer } = await formOf(String(headers.get('location')))
    expect(answer.status).toBe(200)
    const signedIn = await post(
      '/admin/sign-in',
      { ...login, form_token: token, to: '/admin/profile?x=1' },
      { Cookie: cookie },
    )
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/admin/profile?x=1'])
    const audits = await app.audits()
    expect(audits.at(-1)).toMatchObject({ table_name: 'sessions', operation: 'INSERT', surface: 'panel' })
  })

  it('has a button for each OAuth provider, with its name as a text', async () => {
    const buttons = async () => {
      const { text } = await call('GET', '/admin/sign-in', { as: 'nobody' })
      return [...text.matchAll(/<a class="button" href="([^"]*)">([^<]*)<\/a>/g)].map(found => found.slice(1))
    }
    expect(await buttons()).toEqual([])
    const address = 'https://id.example/'
    app.config.oauth_client_id = 'x'
    app.config.oauth_providers = ['one', 'two'].map(id => ({
      id,
      name: `<b>${id}</b>`,
      oauth_client_id: 'x',
      oauth_scopes: [],
      oauth_redirect_url: address,
      oauth_endpoint: { oauth_auth_url: address, oauth_token_url: address, oauth_userinfo_url: address },
    }))
    expect(await buttons()).toEqual([
      ['/api/v1/auth/oauth/login', 'Sign in with the provider'],
      ['/api/v1/auth/oauth/login/one', 'Sign in with &lt;b&gt;one&lt;/b&gt;'],
      ['/api/v1/auth/oauth/login/two', 'Sign in with &lt;b&gt;two&lt;/b&gt;'],
    ])
    app.config.oauth_client_id = undefined
    app.config.oauth_providers = undefined
  })

  it('offers the languages of the panel, and stores the chosen one in the browser', async () => {
    const path = '/admin/sign-in?to=%2Fadmin%2Fprofile'
    const { token, cookie } = await formOf(path)
    const choose = (values: Record<string, string>, sent = cookie) =>
      post('/admin/sign-in/language', { form_token: token, ...values }, { Cookie: sent })
    const chosen = await choose({ language: 'de', to: '/admin/profile' })
    expect([chosen.status, chosen.headers.get('location')]).toEqual([303, path])
    expect(chosen.headers.get('set-cookie')).toMatch(/^slugline_language=de; .*Path=\/admin.*HttpOnly/)
    const page = await formOf(path, `${cookie}; slugline_language=de`)
    expect(page.answer.text).toContain('<html lang="de"')

    const away = await choose({ language: 'fr', to: 'https://evil.example/' })
    expect(away.headers.get('location')).toBe('/admin/sign-in?to=%2Fadmin')
    const refused = [
      await choose({ language: 'nl' }),
      await choose({}),
      await choose({ language: 'x'.repeat(100_000) }),
      await choose({ language: 'de' }, ''),
      await choose({ language: 'de', form_token: 'none' }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 413, 403, 403])
    expect(refused.map(({ headers }) => headers.get('set-cookie')?.includes('language'))).not.toContain(true)
  })

  it('leads nowhere else, whatever the address says', async () => {
    for (const to of [
      'https://evil.example/',
      '//evil.example',
      '/admin\\evil',
      '/about',
      '/admin/sign-out',
    ]) {
      const { token, cookie } = await formOf(`/admin/sign-in?to=${encodeURIComponent(to)}`)
      const { headers } = await post(
        '/admin/sign-in',
        { ...login, form_token: token, to },
        { Cookie: cookie },
      )
      expect([to, headers.get('location')]).toEqual([to, '/admin'])
    }
  })

  it('refuses a form without the token, with that of another browser, and of another site', async () => {
    const before = await db.countAll(tables.sessions)
    const { token, cookie } = await formOf('/admin/sign-in')
    const other = await formOf('/admin/sign-in')
    const tries = [
      await post('/admin/sign-in', login, { Cookie: cookie }),
      await post('/admin/sign-in', { ...login, form_token: token }),
      await post('/admin/sign-in', { ...login, form_token: other.token }, { Cookie: cookie }),
      await post(
        '/admin/sign-in',
        { ...login, form_token: token },
        { Cookie: cookie, Origin: 'https://evil.example' },
      ),
      await post(
        '/admin/sign-in',
        { ...login, form_token: token },
        { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' },
      ),
    ]
    expect(tries.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
    expect(await db.countAll(tables.sessions)).toBe(before)
  })

  it('says one sentence whatever was wrong, keeps the address and forgets the password', async () => {
    const { token, cookie } = await formOf('/admin/sign-in')
    for (const email of ['admin@example.com', 'nobody@example.com']) {
      const { status, text } = await post(
        '/admin/sign-in',
        { email, password: 'not this one', form_token: token },
        { Cookie: cookie },
      )
      expect(status).toBe(401)
      expect(text).toContain('wrong e-mail or password')
      expect(text).toContain(`value="${email}"`)
      expect(text).not.toContain('not this one')
    }
  })

  it('gives a session of its own, whatever cookie was there before', async () => {
    const planted = `${app.config.cookie_name}=planted-by-somebody-else`
    const { token, cookie } = await formOf('/admin/sign-in', planted)
    const { headers } = await post('/admin/sign-in', { ...login, form_token: token }, { Cookie: cookie })
    const given = headers.getSetCookie().find(line => line.startsWith(app.config.cookie_name))
    expect(given).toMatch(/HttpOnly/)
    expect(given).not.toContain('planted')
    const old = await call('GET', '/admin', { as: 'nobody', headers: { Cookie: planted } })
    expect(old.status).toBe(303)
  })

  it('is no place for keys', async () => {
    expect((await call('GET', '/admin', { as: 'key' })).status).toBe(303)
  })

  it('sends a mail to who has forgotten the password, and says the same to everybody', async () => {
    const { token, cookie } = await formOf('/admin/forgotten')
    for (const email of ['admin@example.com', 'nobody@example.com', '']) {
      const { status, headers } = await post(
        '/admin/forgotten',
        { email, form_token: token },
        { Cookie: cookie },
      )
      expect([status, headers.get('location')]).toEqual([303, '/admin/forgotten?sent'])
    }
    const wrong = await post(
      '/admin/new-password',
      { token: 'x', password: 'a long new pass phrase', form_token: token },
      { Cookie: cookie },
    )
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('is not valid, or has been used or has expired')
  })
})

describe('answers of the panel', () => {
  it('are framed by nobody, kept by nobody, and run only scripts of their own', async () => {
    const first = await call('GET', '/admin')
    const { headers } = await call('GET', '/admin')
    const policy = headers.get('content-security-policy') ?? ''
    for (const part of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types htmx',
      "form-action 'self'",
      "base-uri 'none'",
    ])
      expect(policy).toContain(part)
    expect(policy).not.toMatch(/unsafe|strict-dynamic|\*/)
    expect(policy).not.toBe(first.headers.get('content-security-policy'))
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(first.text).not.toMatch(/ style=| on[a-z]+=/)
  })

  it('are pages for people, also where nothing is there', async () => {
    const missing = await call('GET', '/admin/nothing')
    expect(missing.status).toBe(404)
    expect(missing.headers.get('content-type')).toMatch(/^text\/html/)
    expect(missing.text).toContain('Not found')
    expect((await call('DELETE', '/admin/profile')).status).toBe(405)
    expect((await call('POST', '/admin/sign-out', { as: 'admin' })).status).toBe(415)
  })

  it('have files that are kept for ever under addresses that change with them', async () => {
    const { text } = await call('GET', '/admin')
    const address = /src="([^"]+panel\.js)"/.exec(text)?.[1] ?? ''
    const file = await call('GET', address, { as: 'nobody', headers: { 'Accept-Encoding': 'gzip, br' } })
    expect([file.status, file.headers.get('content-encoding')]).toEqual([200, 'br'])
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const plain = await call('GET', address, { as: 'nobody' })
    expect(plain.headers.get('content-encoding')).toBe(null)
    const old = await call('GET', '/admin/files/000000000000/panel.js', { as: 'nobody' })
    expect([old.status, old.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect((await call('GET', '/admin/files/x/package.json', { as: 'nobody' })).status).toBe(404)
  })

  it('leave pages of the site alone whose slugs only begin like the panel', async () => {
    const { datatype, route, entry } = factories(app)
    const { datatype_id } = await datatype('Guide')
    const { route_id } = await route('/admin-guide')
    await entry(datatype_id, { route_id }, { status: 'published' })
    const guide = await call('GET', '/admin-guide?format=clean', { as: 'nobody' })
    expect([guide.status, guide.body?.slug]).toEqual([200, '/admin-guide'])
    expect((await call('GET', '/admin/', { as: 'admin' })).status).toBe(200)
  })
})

describe.skipIf(chromiumMissing)(
  `the panel in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    for (const [look, options] of Object.entries(looks))
      it(`has nothing that axe or the policy refuses: ${look}`, async () => {
        const visitor = await panel(options)
        for (const path of ['/sign-in', '/forgotten', '/new-password?token=x']) {
          expect(await visitor.open(path)).toBe(200)
          await expectClean(visitor)
        }
        const admin = await panel({ ...options, as: 'admin' })
        for (const path of ['', '/profile', '/nothing']) {
          await admin.open(path)
          await expectClean(admin)
        }
      })

    for (const javaScriptEnabled of [true, false])
      it(`D31: signs in, changes a name and signs out, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
        const name = `Ada ${javaScriptEnabled ? 'Lovelace' : 'Byron'}`
        const one = await panel({ javaScriptEnabled })
        const { page, open, problems } = one
        await open('/profile')
        expect(await page.evaluate(() => document.activeElement?.id)).toBe('f-email')
        await page.fill('#f-email', login.email)
        await page.fill('#f-password', 'wrong')
        const show = page.getByRole('button', { name: 'Show' })
        if (javaScriptEnabled) await show.click()
        expect([await show.count(), await page.getAttribute('#f-password', 'type')]).toEqual(
          javaScriptEnabled ? [1, 'text'] : [0, 'password'],
        )
        await page.keyboard.press('Enter')
        await page.locator('[data-refused]', { hasText: /^wrong e-mail or password$/ }).waitFor()
        expect(await page.inputValue('#f-email')).toBe(login.email)
        await page.fill('#f-password', login.password)
        await page.click('button[type=submit]')
        await page.waitForURL(/\/admin\/profile$/)
        await page.fill('#f-name', name)
        await page.getByRole('button', { name: 'Save' }).click()
        await page.locator('#saved', { hasText: 'Saved' }).waitFor()
        expect(await page.locator('.rail').textContent()).toContain(name)
        expect((await db.get(tables.users, app.users.admin))?.name).toBe(name)
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.waitForURL(/\/admin\/sign-in$/)
        expect(await open('')).toBe(200)
        expect(page.url()).toContain('/admin/sign-in')
        expect(problems).toEqual([])
      })

    for (const javaScriptEnabled of [true, false])
      it(`sets up a second factor and signs in with it, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
        const one = await panel({ javaScriptEnabled, as: 'admin' })
        const { page, open, problems } = one
        const clean = async () => {
          if (javaScriptEnabled) await expectClean(one)
        }
        const code = (secret: string | null) =>
          generate({ secret: secret?.replaceAll(' ', '') ?? '', epoch: Math.floor(app.clock.now() / 1000) })
        await open('/profile')
        await page.getByRole('link', { name: 'Set up' }).click()
        await page.fill('#f-current_password', login.password)
        await page.getByRole('button', { name: 'Set up' }).click()
        const secret = await page.locator('code.breaks').textContent()
        await clean()
        await page.fill('#f-code', await code(secret))
        await page.getByRole('button', { name: 'Turn on' }).click()
        const codes = (await page.locator('#recovery-codes').textContent())?.split('\n') ?? []
        expect(codes).toHaveLength(10)
        await clean()
        await page.getByRole('link', { name: 'Done' }).click()
        await page.getByText('10 recovery codes left.').waitFor()
        await clean()
        app.clock.advance(30_000)
        await page.context().clearCookies()
        await open('/profile')
        await page.fill('#f-email', login.email)
        await page.fill('#f-password', login.password)
        await page.click('button[type=submit]')
        await page.waitForSelector('#f-code')
        await clean()
        await page.fill('#f-code', '000000')
        await page.keyboard.press('Enter')
        await page.locator('[data-refused], .error', { hasText: 'wrong code' }).first().waitFor()
        await page.fill('#f-code', await code(secret))
        await page.keyboard.press('Enter')
        await page.waitForURL(/\/admin\/profile$/)
        await open('/profile/second-factor')
        await page.locator('#f-current_password').fill(login.password)
        await page.locator('#f-code').fill(codes[0] ?? '')
        await page.getByRole('button', { name: 'Turn off' }).click()
        await page.getByRole('button', { name: 'Set up' }).waitFor()
        expect(await db.countAll(tables.secondFactors)).toBe(0)
        expect(problems).toEqual([])
      })

    it('takes no markup that htmx would act on unless it carries the nonce', async () => {
      const { page, open } = await panel({ as: 'admin' })
      await open('/profile')
      const kept = await page.evaluate(() => {
        const forged = document.createElement('button')
        forged.setAttribute('hx-post', '/admin/sign-out')
        forged.setAttribute('hx-trigger', 'load')
        document.body.append(forged)
        const { htmx } = globalThis as unknown as { htmx: { process(element: Element): void } }
        htmx.process(forged)
        return forged.hasAttribute('hx-post')
      })
      expect(kept).toBe(false)
      const refused = await page.evaluate(() => {
        try {
          document.body.innerHTML = '<b>x</b>'
          return false
        } catch {
          return true
        }
      })
      expect(refused).toBe(true)
    })

    it('keeps the theme that was chosen, without a flash', async () => {
      const { page, open } = await panel({ as: 'admin' })
      await open('/profile')
      await page.getByRole('button', { name: 'Dark' }).click()
      await page.locator('html[data-theme=dark]').waitFor({ timeout: 180_000 })
      await open('')
      expect(await page.getAttribute('html', 'data-theme')).toBe('dark')
    })
  },
)
