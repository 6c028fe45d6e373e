import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, type Panel } from '../support/browser.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp({ app_secret: 'a secret of the panel' })
const { call, db, users } = app
const { post } = panelForms(app)
const path = '/admin/profile/passkeys'
const table = tables.passkeys

const stored = (name: string, user_id = users.admin) =>
  db.write(systemActor, tx =>
    tx.insert(table, {
      ...{ user_id, name, host: 'localhost' },
      ...{ credential_id: name, credential_hash: name, public_key: '' },
    }),
  )
const removeAll = () => db.write(systemActor, async tx => tx.removeAll(table, await tx.lockAll(table, {})))

describe('the page of the passkeys', () => {
  it('names and removes them', async () => {
    const empty = await call('GET', path)
    expect([empty.status, empty.text.includes('No passkeys yet.')]).toEqual([200, true])
    expect((await call('GET', '/admin/profile')).text).toContain(`href="${path}"`)
    const { passkey_id } = await stored('Laptop')
    const theirs = await stored('Theirs', users.editor)
    const { text } = await call('GET', path)
    expect([text.includes('value="Laptop"'), text.includes('Theirs')]).toEqual([true, false])
    expect((await post(`${path}/${passkey_id}`, { name: 'Phone' })).location).toBe(`${path}?saved`)
    expect((await db.get(table, passkey_id))?.name).toBe('Phone')
    expect((await post(`${path}/${passkey_id}`, { name: ' ' })).status).toBe(400)
    expect((await post(`${path}/${theirs.passkey_id}`, { name: 'Mine' })).status).toBe(404)
    expect((await post(`${path}/${theirs.passkey_id}/delete`, {})).status).toBe(404)
    expect((await post(`${path}/${passkey_id}/delete`, {})).location).toBe(`${path}?saved`)
    expect(await db.count(table, { user_id: users.admin })).toBe(0)
    await removeAll()
  })

  it('asks for the password only of accounts that have one, and for the code of a second factor', async () => {
    const asks = async (as: 'admin' | 'viewer') => {
      const { text } = await call('GET', path, { as })
      return ['current_password', 'code'].filter(name => text.includes(`name="${name}"`))
    }
    expect([await asks('admin'), await asks('viewer')]).toEqual([['current_password'], []])
    await db.write(systemActor, tx =>
      tx.insert(tables.secondFactors, { user_id: users.admin, secret: 'x', confirmed_at: tx.now }),
    )
    expect(await asks('admin')).toEqual(['current_password', 'code'])
    await db.write(systemActor, async tx =>
      tx.removeAll(tables.secondFactors, await tx.lockAll(tables.secondFactors, {})),
    )
  })

  it('says where passkeys do not work, and offers nothing there', async () => {
    const site = await testApp({ client_site: 'https://cms.example.com' })
    const profile = await site.call('GET', path)
    expect(profile.text).toContain('Passkeys do not work at this address.')
    expect(profile.text).not.toContain('data-passkey')
    expect((await site.call('GET', '/admin/sign-in', { as: 'nobody' })).text).not.toContain('data-passkey')
    expect((await call('GET', '/admin/sign-in', { as: 'nobody' })).text).toContain('data-passkey')
  })

  it('is where a role that requires a second factor leads to; who has a passkey signs in with it', async () => {
    const role = await db.find(tables.roles, { label: 'admin' })
    const requires = (second_factor: boolean) =>
      db.write(systemActor, tx => tx.update(tables.roles, role?.role_id ?? '', { second_factor }))
    await requires(true)
    const factors = async () => (await call('GET', '/admin/profile/second-factor')).text
    expect(await factors()).toContain(`href="${path}"`)
    expect((await call('GET', path)).status).toBe(200)
    await stored('Laptop')
    const led = await factors()
    expect(led).toContain('sign in with your passkey')
    expect(led).not.toContain('name="current_password"')
    await requires(false)
    await removeAll()
  })
})

describe.skipIf(chromiumMissing)(
  `passkeys in Chromium${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel, url } = await browserOf(app)
    // An IP address can have no passkeys.
    const at = (to: string) => `${url.replace('127.0.0.1', 'localhost')}/admin${to}`

    /** Gives the browser an authenticator that stores passkeys and verifies its user. */
    async function authenticator({ page }: Panel, more: { isUserVerified?: boolean } = {}) {
      const session = await page.context().newCDPSession(page)
      await session.send('WebAuthn.enable')
      const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
          ...more,
        },
      })
      return async () =>
        (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length
    }

    it('are added, sign in without anything typed, and are removed', async () => {
      const seen = await panel()
      const { page } = seen
      const count = await authenticator(seen)
      await page.goto(at('/sign-in'))
      await page.getByLabel('E-mail').fill('admin@example.com')
      await page.getByLabel('Password').fill('correct horse')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.waitForURL(/\/admin$/)
      await page.goto(at('/profile/passkeys'))
      await expectClean(seen)
      await page.getByLabel('Name').fill('Laptop')
      await page.getByLabel('Current password').fill('wrong horse')
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page.getByText('wrong current password').waitFor()
      expect(await count()).toBe(0)
      await page.getByLabel('Current password').fill('correct horse')
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page.locator('input[value=Laptop]').waitFor()
      expect(await count()).toBe(1)
      await expectClean(seen)
      // The device has one already.
      await page.locator('[data-passkey-add]').getByLabel('Name').fill('Again')
      await page.getByLabel('Current password').fill('correct horse')
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page.getByText('This device already has a passkey of your account.').waitFor()
      await page.goto(at('/profile'))
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(/\/admin\/sign-in/)
      await page.goto(at('/sign-in?to=/admin/users'))
      await expectClean(seen)
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await page.waitForURL(/:\d+\/admin\/users$/)
      const [session] = await db.findAll(tables.sessions, { by_passkey: true })
      expect(session?.user_id).toBe(users.admin)
      await page.goto(at('/profile/passkeys'))
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('No passkeys yet.').waitFor()
      await page.goto(at('/profile'))
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(/\/admin\/sign-in/)
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await page.getByText('this passkey is unknown here').waitFor()
      expect(seen.problems).toEqual([])
    })

    it('need a verified user', async () => {
      const seen = await panel()
      await authenticator(seen, { isUserVerified: false })
      await seen.page.goto(at('/sign-in'))
      await seen.page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await seen.page.getByText('Cancelled, or it took too long.').waitFor()
    })

    it('are explained where the browser has none', async () => {
      const seen = await panel()
      await seen.page.addInitScript('delete window.PublicKeyCredential')
      await seen.page.goto(at('/sign-in'))
      await seen.page.getByText('This browser has no passkeys.').waitFor()
      expect(await seen.page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0)
    })

    it('load their script where a page has them, and nowhere else', async () => {
      const seen = await panel({ as: 'admin' })
      const names: string[] = []
      seen.page.on('request', request => names.push(request.url().split('/').at(-1) ?? ''))
      await seen.open('/users')
      await seen.page.waitForLoadState('networkidle')
      expect([names.includes('panel.js'), names.includes('webauthn.js')]).toEqual([true, false])
    })
  },
)
