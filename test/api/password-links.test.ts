import { expect, it } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import { smtpMail } from '../../src/node/mail.js'
import { type Caller, testApp } from '../support/app.js'
import { mailServer, textOf } from '../support/mail.js'

const mail = await mailServer()
const { call, db, services, users, audits, clock, deliveries, subscribe } = await testApp(
  {
    ...{ email_enabled: true, email_host: '127.0.0.1', email_port: mail.port, email_tls: false },
    ...{ email_username: 'user', email_password: 'pass', email_from_address: 'cms@example.com' },
    ...{ client_site: 'cms.example', environment: 'production' },
  },
  { mail: smtpMail },
)
await subscribe()

const link = (body: unknown, as: Caller = 'admin') =>
  call('POST', '/api/v1/users/password-link', { as, body })
const confirm = (token: string, password: string) =>
  call('POST', '/api/v1/auth/confirm-password-reset', { as: 'nobody', body: { token, password } })
const login = (email: string, password: string) =>
  call('POST', '/api/v1/auth/login', { as: 'nobody', body: { email, password } })
const tokenIn = (address: string) => new URL(address, 'http://x').searchParams.get('token') ?? ''

async function person(email: string): Promise<string> {
  const made = await call('POST', '/api/v1/users', { as: 'admin', body: { email } })
  expect(made.status).toBe(201)
  return made.body.user_id
}

it('invites a person for seven days, by a link that is also mailed and works once', async () => {
  const user_id = await person('ada@example.com')
  const [events, sent] = [(await audits()).length, (await deliveries()).length]
  const { status, body } = await link({ user_id })
  expect([status, body]).toEqual([
    201,
    {
      user_id,
      link: expect.any(String),
      expires_at: new Date(clock.now() + 604_800_000).toISOString(),
      mailed: true,
    },
  ])
  expect(body.link).toMatch(/^https:\/\/cms\.example\/admin\/new-password\?token=[\w-]{43}$/)
  const [event, ...others] = (await audits()).slice(events)
  expect([event, others]).toEqual([
    expect.objectContaining({ table_name: 'tokens', operation: 'INSERT', user_id: users.admin }),
    [],
  ])
  expect(JSON.stringify(event)).not.toContain(tokenIn(body.link))
  expect((await deliveries()).length).toBe(sent)
  await services.settle()
  expect(textOf(mail.messages.at(-1) ?? '')).toContain(body.link)
  expect(mail.messages.at(-1)).toMatch(/^Subject: Your new account/m)

  expect((await confirm(tokenIn(body.link), 'a pass phrase of hers')).status).toBe(200)
  // Who hands over a link does not prove whose address it is.
  expect(await db.get(tables.users, user_id)).toMatchObject({ email_verified: false })
  expect((await login('ada@example.com', 'a pass phrase of hers')).status).toBe(200)
  expect((await confirm(tokenIn(body.link), 'another pass phrase')).status).toBe(400)
})

it('gives an hour to who has a password, ends earlier links, and keeps what it does not change', async () => {
  const user_id = await person('ben@example.com')
  const [first, second] = [await link({ user_id }), await link({ user_id })]
  expect((await confirm(tokenIn(first.body.link), 'a pass phrase of ben')).status).toBe(400)
  expect((await confirm(tokenIn(second.body.link), 'a pass phrase of ben')).status).toBe(200)
  const late = await link({ user_id })
  expect(Date.parse(late.body.expires_at) - clock.now()).toBe(3_600_000)
  expect((await login('ben@example.com', 'a pass phrase of ben')).status).toBe(200)
  clock.advance(3_600_001)
  expect((await confirm(tokenIn(late.body.link), 'of somebody else')).status).toBe(400)
  await services.removeExpired()
  expect(await db.count(tables.tokens, { user_id })).toBe(0)
})

it('a link cannot be used as a key', async () => {
  const user_id = await person('cy@example.com')
  const { body } = await link({ user_id })
  const Authorization = `Bearer ${tokenIn(body.link)}`
  const { status } = await call('GET', '/api/v1/content', { as: 'nobody', headers: { Authorization } })
  expect(status).toBe(403)
})

it('refuses who may not, oneself, and what is not there', async () => {
  const user_id = await person('dee@example.com')
  const before = await db.countAll(internalTables.auditEvents)
  const statuses = await Promise.all(
    (['nobody', 'viewer', 'editor'] as const).map(async as => (await link({ user_id }, as)).status),
  )
  expect(statuses).toEqual([403, 403, 403])
  const refused = [
    {},
    { user_id: 7 },
    { user_id: 'x'.repeat(100_000) },
    { user_id: users.admin },
    [],
    { user_id: '01HK153X0000TQ8A71XW9ECX91' },
  ]
  const answers = []
  for (const body of refused) answers.push((await link(body)).status)
  expect(answers).toEqual([400, 400, 400, 400, 400, 404])
  expect(await db.countAll(internalTables.auditEvents)).toBe(before)
})

it('is not for accounts that may do more than the caller', async () => {
  const label = 'people'
  const role = await call('POST', '/api/v1/roles', { as: 'admin', body: { label } })
  const permission = await db.find(tables.permissions, { label: 'users:update' })
  await call('POST', '/api/v1/role-permissions', {
    as: 'admin',
    body: { role_id: role.body.role_id, permission_id: permission?.permission_id },
  })
  await call('PUT', `/api/v1/users/?q=${users.editor}`, { as: 'admin', body: { role: label } })
  expect((await link({ user_id: users.admin }, 'editor')).status).toBe(403)
  expect((await link({ user_id: await person('eve@example.com') }, 'editor')).status).toBe(403)
})

it('an invitation ends after seven days', async () => {
  const [early, late] = [await person('fay@example.com'), await person('gil@example.com')]
  const [first, second] = [await link({ user_id: early }), await link({ user_id: late })]
  clock.advance(7 * 86_400_000 - 1)
  expect((await confirm(tokenIn(first.body.link), 'a pass phrase of fay')).status).toBe(200)
  clock.advance(1)
  expect((await confirm(tokenIn(second.body.link), 'a pass phrase of gil')).status).toBe(400)
})
