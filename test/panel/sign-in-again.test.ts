import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { nodeHashing } from '../../src/node/ports.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'

const app = await testApp({ app_secret: 'a secret of the panel' })
const { call } = app
const titles = async () =>
  (await call('GET', '/api/v1/routes')).body.map(({ title }: { title: string }) => title) as string[]

describe.skipIf(chromiumMissing)(
  `D13: a session that ended while writing${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel, url } = await browserOf(app)

    /** A form with text that could not be saved because the session is gone. */
    async function signedOut() {
      const seen = await panel({ as: 'admin' })
      await seen.open('/routes/new')
      await seen.page.fill('#f-title', 'Nearly lost')
      await seen.page.fill('#f-slug', '/nearly')
      await seen.page.context().clearCookies()
      await seen.page.keyboard.press('Control+s')
      await seen.page.locator('#session-ended').waitFor()
      return seen
    }

    it('leaves the rest of a word where it is typed, and a click on Save asks to sign in', async () => {
      const seen = await signedOut()
      const { page } = seen
      await page.keyboard.type('-lost')
      expect(await page.inputValue('#f-slug')).toBe('/nearly-lost')
      expect(await page.getByRole('dialog').count()).toBe(0)
      await expectClean(seen)
      await page.locator('.bar button.next').click()
      await page.getByRole('dialog').waitFor()
      await page.getByRole('button', { name: 'Not now' }).click()
      await page.locator('#session-ended').waitFor()
      expect(await page.inputValue('#f-slug')).toBe('/nearly-lost')
    })

    it('is begun again over the page, and what was typed is saved', async () => {
      const seen = await signedOut()
      const { page } = seen
      await page.getByRole('button', { name: 'Sign in…' }).click()
      await expectClean(seen)
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('again-email')
      await page.getByRole('dialog').getByLabel('E-mail').fill('admin@example.com')
      await page.getByRole('dialog').getByLabel('Password').fill('wrong one')
      await page.keyboard.press('Enter')
      await page.getByText('wrong e-mail or password').waitFor()
      expect(await titles()).not.toContain('Nearly lost')
      await page.getByRole('dialog').getByLabel('Password').fill('correct horse')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/admin\/routes\/\w{26}$/)
      expect(await titles()).toContain('Nearly lost')
    })

    it('asks for the code of a second factor', async () => {
      const seen = await signedOut()
      const { page } = seen
      const code = 'mfzwk3taob2gc5dj'
      // The one that the test before has saved.
      for (const { route_id } of (await call('GET', '/api/v1/routes')).body)
        await call('DELETE', `/api/v1/routes?q=${route_id}`)
      await app.db.write(systemActor, tx =>
        tx.insert(tables.secondFactors, {
          ...{ user_id: app.users.admin, secret: 'x', confirmed_at: tx.now },
          ...{ recovery_codes: [nodeHashing.sha256(code)], recovery_codes_left: 1 },
        }),
      )
      await page.getByRole('button', { name: 'Sign in…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('E-mail').fill('admin@example.com')
      await dialog.getByLabel('Password').fill('correct horse')
      expect(await dialog.getByLabel('Code').isVisible()).toBe(false)
      await page.keyboard.press('Enter')
      await dialog.getByText('Enter the code of your app.').waitFor()
      await expectClean(seen)
      await page.keyboard.type(code)
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/admin\/routes\/\w{26}$/)
      await app.db.write(systemActor, async tx =>
        tx.removeAll(tables.secondFactors, await tx.lockAll(tables.secondFactors, {})),
      )
    })

    it('is not taken over by another account', async () => {
      const { page } = await signedOut()
      await page.getByRole('button', { name: 'Sign in…' }).click()
      await page.getByRole('button', { name: 'I have signed in' }).click()
      await page.getByText('You are not signed in yet.').waitFor()
      const value = 'editor-secret-of-this-test'
      await page.context().addCookies([{ name: app.config.cookie_name, value, url }])
      await page.getByRole('button', { name: 'I have signed in' }).click()
      await page.getByText('You signed in with a different account.').waitFor()
      await page.getByRole('button', { name: 'Not now' }).click()
      expect(await page.inputValue('#f-title')).toBe('Nearly lost')
    })
  },
)
