import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'

const app = await testApp()

describe.skipIf(chromiumMissing)(`times${chromiumMissing ? ` (${chromiumMissing})` : ''}`, async () => {
  const { panel } = await browserOf(app)

  it('are written in UTC, and said below in the zone of the reader', async () => {
    const admin = await panel({ as: 'admin', timezoneId: 'Asia/Tokyo', locale: 'en-GB' })
    await admin.open('/tokens/new')
    const below = admin.page.locator('.local-time')
    expect(await below.textContent()).toBe('')
    await admin.page.getByLabel('Expires').fill('2026-12-24T18:30')
    expect(await below.textContent()).toMatch(/^25 Dec 2026, 0?3:30 in your time zone$/)
    await expectClean(admin)

    const london = await panel({ as: 'admin', timezoneId: 'Europe/London' })
    await london.open('/tokens/new')
    await london.page.getByLabel('Expires').fill('2026-12-24T18:30')
    expect(await london.page.locator('.local-time').textContent()).toBe('')
    await london.page.getByLabel('Expires').fill('2026-07-24T18:30')
    expect(await london.page.locator('.local-time').textContent()).toContain('in your time zone')
  })
})
