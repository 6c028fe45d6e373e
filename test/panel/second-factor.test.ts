import { generate } from 'otplib'
import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp({ app_secret: 'a secret of the panel' })
const { call, clock, db, send, users } = app
const { post } = panelForms(app)
const path = '/admin/profile/second-factor'
const current_password = 'correct horse'
const table = tables.secondFactors

const codeOf = (secret: string) => generate({ secret, epoch: Math.floor(clock.now() / 1000) })
const hidden = (text: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
const codesIn = (text: string) => text.match(/\b[a-z2-7]{4}(-[a-z2-7]{4}){3}\b/g) ?? []

/** Posts without the script as somebody who is not signed in. */
async function visitor() {
  const { text, headers } = await call('GET', '/admin/sign-in', { as: 'nobody' })
  const Cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const form_token = hidden(text, 'form_token')
  return (at: string, values: Record<string, string>) =>
    send('POST', at, {
      as: 'nobody',
      body: new URLSearchParams({ form_token, ...values }).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Cookie },
    })
}
const credentials = { email: 'admin@example.com', password: current_password }

/** Turns the administrator's factor on by the forms. */
async function turnOn() {
  const begun = await post(path, { current_password })
  const secret = hidden(begun.text, 'secret')
  const on = await post(`${path}/confirm`, {
    ...{ secret, address: hidden(begun.text, 'address') },
    code: await codeOf(secret),
  })
  clock.advance(30_000)
  return { begun, secret, codes: codesIn(on.text) }
}
const turnOff = () =>
  db.write(systemActor, async tx => tx.removeAll(table, await tx.lockAll(table, { user_id: users.admin })))

describe('the page of the second factor', () => {
  it('sets one up in two steps without the script, and shows its secrets once', async () => {
    expect((await call('GET', '/admin/profile')).text).toContain(`href="${path}"`)
    const wrong = await post(path, { current_password: 'wrong horse' })
    expect([wrong.status, wrong.text.includes('wrong current password')]).toEqual([401, true])
    const begun = await post(path, { current_password })
    const [secret, address] = [hidden(begun.text, 'secret'), hidden(begun.text, 'address')]
    expect(begun.status).toBe(200)
    expect(address).toContain(`secret=${secret}`)
    expect(begun.text).toMatch(/<svg class="qr"[^>]*><rect[^>]*><\/rect><path d="(M\d+ \d+h1v1h-1z)+"/)
    expect(begun.text).not.toContain(current_password)
    const refused = await post(`${path}/confirm`, { secret, address, code: '000000' })
    expect(refused.status).toBe(401)
    expect([hidden(refused.text, 'secret'), refused.text.includes('wrong code')]).toEqual([secret, true])
    const on = await post(`${path}/confirm`, { secret, address, code: await codeOf(secret) })
    const codes = [...new Set(codesIn(on.text))]
    expect([on.status, codes.length]).toEqual([200, 10])
    expect(on.headers.get('cache-control')).toBe('no-store')
    const page = await call('GET', path)
    expect(page.text).toContain('10 recovery codes left.')
    for (const one of [secret, ...codes]) expect(page.text).not.toContain(one)
    await turnOff()
  })

  it('shows again only what can be a secret', async () => {
    for (const [secret, address] of [
      ['<b>', 'otpauth://totp/x'],
      ['ABCD', 'javascript:alert(1)'],
      ['ABCD', `otpauth://totp/${'x'.repeat(2000)}`],
    ]) {
      const { text, status } = await post(`${path}/confirm`, {
        secret: secret ?? '',
        address: address ?? '',
        code: '1',
      })
      expect([status, text.includes('class="qr"'), text.includes(String(address))]).toEqual([
        409,
        false,
        false,
      ])
    }
  })

  it('gives new recovery codes and turns it off, with the password and a code', async () => {
    const { codes, secret } = await turnOn()
    const [one = '', two = ''] = codes
    expect((await post(`${path}/change`, { what: 'codes', current_password, code: '000000' })).status).toBe(
      401,
    )
    const renewed = await post(`${path}/change`, { what: 'codes', current_password, code: one })
    expect(new Set(codesIn(renewed.text)).size).toBe(10)
    expect((await post(`${path}/change`, { what: 'off', current_password, code: two })).status).toBe(401)
    expect(
      (await post(`${path}/change`, { what: 'off', current_password: 'wrong', code: await codeOf(secret) }))
        .status,
    ).toBe(401)
    expect(
      (await post(`${path}/change`, { what: 'off', current_password, code: await codeOf(secret) })).location,
    ).toBe(`${path}?saved`)
    expect(await db.count(table, { user_id: users.admin })).toBe(0)
    expect((await post(`${path}/change`, { what: 'all', current_password, code: one })).status).toBe(400)
  })
})

describe('signing in to the panel with a second factor', () => {
  it('asks for the code on a page of its own, which carries no password', async () => {
    const { secret, codes } = await turnOn()
    const send = await visitor()
    expect((await send('/admin/sign-in', { ...credentials, password: 'wrong horse' })).status).toBe(401)
    const step = await send('/admin/sign-in', { ...credentials, to: '/admin/users' })
    expect(step.status).toBe(200)
    expect(step.headers.getSetCookie().join()).not.toContain(app.config.cookie_name)
    expect(step.text).toContain('autocomplete="one-time-code"')
    expect(step.text).not.toContain(current_password)
    const given = { ticket: hidden(step.text, 'ticket'), to: hidden(step.text, 'to') }
    expect(given.to).toBe('/admin/users')
    for (const code of ['000000', ''])
      expect((await send('/admin/sign-in/code', { ...given, code })).status).toBe(401)
    for (const ticket of ['', 'made.up', secret, 'x'.repeat(3000)])
      expect((await send('/admin/sign-in/code', { ticket, code: await codeOf(secret) })).status).toBeOneOf([
        400, 401,
      ])
    const opened = await send('/admin/sign-in/code', { ...given, code: await codeOf(secret) })
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/admin/users'])
    expect(opened.headers.getSetCookie().join()).toContain(app.config.cookie_name)
    expect((await send('/admin/sign-in/code', { ...given, code: await codeOf(secret) })).status).toBe(401)
    const away = await send('/admin/sign-in/code', {
      ...given,
      to: 'https://evil.example/',
      code: codes[0] ?? '',
    })
    expect(away.headers.get('location')).toBe('/admin')
    clock.advance(300_000)
    const late = await send('/admin/sign-in/code', { ...given, code: codes[1] ?? '' })
    expect([late.status, late.text.includes('the sign-in took too long')]).toEqual([401, true])
    await turnOff()
  })

  it('takes no ticket of a password that has changed', async () => {
    const { codes } = await turnOn()
    const send = await visitor()
    const step = await send('/admin/sign-in', credentials)
    const before = await db.get(tables.users, users.admin)
    const set = (password: string | null) =>
      db.write(systemActor, tx => tx.update(tables.users, users.admin, { password }))
    await set(before?.password?.replace(/.$/, end => (end === 'A' ? 'B' : 'A')) ?? null)
    const given = { ticket: hidden(step.text, 'ticket'), code: codes[0] ?? '' }
    expect((await send('/admin/sign-in/code', given)).status).toBe(401)
    await set(before?.password ?? null)
    expect((await send('/admin/sign-in/code', given)).status).toBe(303)
    await turnOff()
  })
})

describe('the second factors of others', () => {
  it('are shown and reset where the account can be changed', async () => {
    const user_id = users.editor
    await db.write(systemActor, tx => tx.insert(table, { user_id, secret: 'x', confirmed_at: tx.now }))
    const reset = `/admin/users/${user_id}/second-factor/reset`
    const list = async (as: 'admin' | 'editor') => (await call('GET', '/admin/users', { as })).text
    expect((await list('admin')).match(/class="state (live|off)"/g)?.sort()).toEqual([
      'class="state live"',
      ...Array(2).fill('class="state off"'),
    ])
    expect(await list('editor')).not.toContain('class="state')
    expect((await call('GET', `/admin/users/${user_id}`)).text).toContain(`action="${reset}"`)
    expect((await call('GET', `/admin/users/${users.viewer}`)).text).not.toContain('second-factor/reset')
    expect((await call('GET', `/admin/users/${users.viewer}`, { as: 'editor' })).text).not.toContain(
      'second-factor',
    )
    expect((await post(reset, {}, { as: 'editor' })).status).toBe(403)
    expect((await post(reset, {})).location).toBe(`/admin/users/${user_id}?saved`)
    expect(await db.count(table, { user_id })).toBe(0)
    expect((await post(reset, {})).status).toBe(404)
  })

  it('are required of a role, and whoever lacks one is led to the page', async () => {
    const role = await db.find(tables.roles, { label: 'admin' })
    const at = `/admin/roles/${role?.role_id}`
    expect((await call('GET', at)).text).toContain('Require it')
    expect((await post(`${at}/second-factor`, { second_factor: 'perhaps' })).status).toBe(400)
    expect((await post(`${at}/second-factor`, { second_factor: 'true' })).location).toBe(`${at}?saved`)
    const led = await call('GET', '/admin/users')
    expect([led.status, led.headers.get('location')]).toEqual([303, path])
    const page = await call('GET', path)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Your role requires a second factor.')
    expect(page.text).not.toContain('href="/admin/users"')
    const token = hidden(page.text, 'form_token')
    const act = (to: string, values: Record<string, string>) => post(to, values, { token })
    expect((await act('/admin/profile', { name: 'Ada', username: 'ada' })).status).toBe(403)
    const begun = await act(path, { current_password })
    const secret = hidden(begun.text, 'secret')
    const given = { secret, address: hidden(begun.text, 'address'), code: await codeOf(secret) }
    expect((await act(`${path}/confirm`, given)).status).toBe(200)
    expect((await call('GET', '/admin/users')).status).toBe(200)
    expect((await post(`${at}/second-factor`, { second_factor: 'false' })).location).toBe(`${at}?saved`)
    await turnOff()
  })
})
