import { expect, it } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import type { Mail } from '../../src/ports.js'
import { type TestApp, testApp } from '../support/app.js'
import { uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const minute = 60_000
const { pendingWork } = internalTables

/** A mail server that refuses while it is told to. */
function flakyMail() {
  const sent: string[] = []
  const state = { refuses: true, tries: 0 }
  const mail: Mail = {
    async send(_, { to, text }) {
      state.tries++
      if (state.refuses) throw new Error('421 try again later')
      sent.push(`${to} ${/token=([\w-]{43})/.exec(text)?.[1]}`)
    },
  }
  return { sent, state, mail }
}

const settings = {
  email_enabled: true,
  email_host: 'mail.example',
  email_from_address: 'cms@example.com',
  password_reset_url: 'https://site.example/new',
}
async function ask(app: TestApp, email = 'viewer@example.com') {
  const asked = await app.call('POST', '/api/v1/auth/request-password-reset', {
    as: 'nobody',
    body: { email },
  })
  expect(asked.status).toBe(200)
  await app.services.settle()
}
const later = async (app: TestApp, minutes: number) => {
  app.clock.advance(minutes * minute)
  await app.services.pendingWork.runDue()
}

it('a reset mail that could not be sent is sent later, once, with a link that works', async () => {
  const { sent, state, mail } = flakyMail()
  const app = await testApp(settings, { mail })
  await ask(app)
  await ask(app)
  expect([sent, await app.db.count(pendingWork)]).toEqual([[], 1])
  expect(await app.db.findAll(tables.tokens, { token_type: 'password_reset' })).toEqual([])
  await later(app, 0.5)
  expect(state.tries).toBe(2)
  await later(app, 1)
  expect([state.tries, sent]).toEqual([3, []])
  state.refuses = false
  await later(app, 6)
  await later(app, 60)
  expect([state.tries, sent.length, await app.db.count(pendingWork)]).toEqual([4, 1, 0])
  const [to, token] = (sent[0] ?? '').split(' ')
  expect(to).toBe('viewer@example.com')
  app.clock.advance(-minute * 60)
  const body = { token, password: 'a new password' }
  const set = await app.call('POST', '/api/v1/auth/confirm-password-reset', { as: 'nobody', body })
  expect(set.status).toBe(200)
})

it('a reset mail is given up after five more tries, and when the password is set meanwhile', async () => {
  const { state, mail } = flakyMail()
  const app = await testApp(settings, { mail })
  await ask(app)
  for (let i = 0; i < 12; i++) await later(app, 240)
  expect([state.tries, await app.db.count(pendingWork)]).toEqual([6, 0])
  expect(
    app.logged.filter(({ message }) => message === 'pending work failed too often and is not retried'),
  ).toHaveLength(1)
  const other = await testApp(settings, { mail })
  await ask(other)
  const path = `/api/v1/users/?q=${other.users.viewer}`
  expect((await other.call('PUT', path, { body: { password: 'by the administrator' } })).status).toBe(200)
  expect(await other.db.count(pendingWork)).toBe(0)
})

it('objects that could not be removed are removed later, in both spaces', async () => {
  const storage = await testStorage()
  const app = await testApp(storage.config)
  const upload = uploader(app)
  for (const space of ['', '/admin'] as const) {
    const { body } = await upload('gone.txt', 'text', { space })
    storage.cut()
    expect((await app.call('DELETE', `/api/v1${space}/media/?q=${body.media_id}`)).status).toBe(204)
    await later(app, 2)
    storage.mend()
    expect(await storage.keys()).toHaveLength(1)
    await later(app, 10)
    expect([await storage.keys(), await app.db.count(pendingWork)]).toEqual([[], 0])
  }
})
