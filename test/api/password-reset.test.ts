import { expect, it } from 'vitest'
import { systemActor, systemActorFor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { smtpMail } from '../../src/node/mail.js'
import { nodeHashing } from '../../src/node/ports.js'
import { testApp } from '../support/app.js'
import { mailServer, textOf } from '../support/mail.js'

const mail = await mailServer()
const settings = {
  email_enabled: true,
  email_host: '127.0.0.1',
  email_port: mail.port,
  email_username: 'user',
  email_password: 'pass',
  email_tls: false,
  email_from_address: 'cms@example.com',
  email_from_name: 'Our Site',
  email_reply_to: 'help@example.com',
  password_reset_url: 'https://site.example/new-password?lang=en',
}
const { call, db, services, users, audits, clock, config, logged } = await testApp(settings, {
  hashing: nodeHashing,
  mail: smtpMail,
})
const auth = (path: string, body: unknown, headers = {}) =>
  call('POST', `/api/v1/auth/${path}`, { as: 'nobody', body, headers })

const email = 'editor@example.com'
const login = (password: string) => auth('login', { email, password })
/** Asks for a mail and gives the token in it. */
async function token(): Promise<string> {
  const before = mail.messages.length
  expect((await auth('request-password-reset', { email })).status).toBe(200)
  await services.settle()
  expect(mail.messages).toHaveLength(before + 1)
  return /token=([\w-]{43})\b/.exec(textOf(mail.messages.at(-1) ?? ''))?.[1] ?? ''
}
const confirm = (token: unknown, password: unknown = 'a new password') =>
  auth('confirm-password-reset', { token, password })

it('sends a link in text and HTML, and sets the password by it once', async () => {
  const value = await token()
  const message = mail.messages.at(-1) ?? ''
  expect(mail.sessions.at(-1)).toEqual({ user: 'user', secure: false })
  for (const part of [
    /^From: Our Site <cms@example.com>/m,
    /^To: editor@example.com/m,
    /^Reply-To: help@example.com/m,
    /^Subject: Set a new password/m,
    /^Content-Type: text\/plain/m,
    /^Content-Type: text\/html/m,
  ])
    expect(message).toMatch(part)
  expect(textOf(message)).toContain(`https://site.example/new-password?lang=en&token=${value}`)
  const others = [await token(), await token()]
  const session = { Cookie: `${config.cookie_name}=editor-secret-of-this-test` }
  const me = () => call('GET', '/api/v1/auth/me', { as: 'nobody', headers: session })
  expect((await me()).status).toBe(200)
  expect((await login('a new password')).status).toBe(401)
  expect((await confirm(value)).status).toBe(200)
  expect([(await login('a new password')).status, (await me()).status]).toEqual([200, 401])
  for (const used of [value, ...others]) expect((await confirm(used)).status).toBe(400)
  expect((await db.get(tables.users, users.editor))?.email_verified).toBe(true)
  const everything = JSON.stringify([await audits(), logged, await db.findAll(tables.tokens)])
  for (const secret of [value, ...others, 'a new password']) expect(everything).not.toContain(secret)
})

it('takes one token once, however many try at the same time', async () => {
  const value = await token()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => confirm(value, `password number ${i}`)),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(400)])
  const winner = answers.findIndex(({ status }) => status === 200)
  expect((await login(`password number ${winner}`)).status).toBe(200)
})

it('takes a token for an hour', async () => {
  const early = await token()
  clock.advance(59 * 60_000 + 59_000)
  expect((await confirm(early)).status).toBe(200)
  const late = await token()
  clock.advance(60 * 60_000 + 1000)
  expect((await confirm(late)).status).toBe(400)
})

it.each([[{}], [[]], [['x']], [true], [0], [null], [''], [{ $ne: '' }], ['x'.repeat(50_000)], ['wrong']])(
  'refuses %j as a token',
  async value => {
    expect((await confirm(value)).status).toBe(400)
  },
)

it('refuses a weak password and keeps the token', async () => {
  const value = await token()
  expect((await confirm(value, 'short')).status).toBe(400)
  expect((await confirm(value, email.toUpperCase())).body).toMatchObject({ member: 'password' })
  expect((await confirm(value)).status).toBe(200)
})

it('takes no reset token as a key, and no key as a reset token', async () => {
  const value = await token()
  const bearer = { Authorization: `Bearer ${value}` }
  expect((await call('GET', '/api/v1/content', { as: 'nobody', headers: bearer })).status).toBe(403)
  expect((await confirm('key-secret-of-this-test')).status).toBe(400)
})

it('answers the same for everybody, and mails only to who is there', async () => {
  await services.settle()
  const before = [mail.messages.length, (await audits()).length]
  const known = await auth('request-password-reset', { email: 'viewer@example.com' })
  const shape = (answer: typeof known) => [
    answer.status,
    answer.text,
    [...answer.headers].filter(([name]) => name !== 'x-request-id'),
  ]
  const emails = [
    'nobody@example.com',
    'no address',
    '',
    'x'.repeat(2000),
    7,
    null,
    ['viewer@example.com'],
    {},
  ]
  for (const email of [...emails, undefined])
    expect(shape(await auth('request-password-reset', { email }))).toEqual(shape(known))
  expect(known.status).toBe(200)
  await services.settle()
  expect(mail.messages.length).toBe((before[0] ?? 0) + 1)
  expect((await audits()).slice(before[1]).map(event => `${event.operation} ${event.table_name}`)).toEqual([
    'INSERT tokens',
  ])
})

it('takes no token from before the password or the address has changed', async () => {
  for (const change of [{ password: 'set by an administrator' }, { email: 'moved@example.com' }]) {
    const value = await token()
    const answer = await call('PUT', `/api/v1/users?q=${users.editor}`, { body: change })
    expect([answer.status, (await confirm(value)).status]).toEqual([200, 400])
  }
  await call('PUT', `/api/v1/users?q=${users.editor}`, { body: { email } })
})

it('floods nobody’s mailbox', async () => {
  clock.advance(3_600_001)
  const before = mail.messages.length
  for (let i = 0; i < 8; i++) await auth('request-password-reset', { email })
  await services.settle()
  expect(mail.messages.length - before).toBe(5)
})

it('answers the same when the mail server is away or refuses', async () => {
  clock.advance(3_600_001)
  const was = { ...config }
  for (const broken of [{ email_port: 1 }, { email_password: 'wrong' }, { email_enabled: false }]) {
    Object.assign(config, was, broken)
    const answer = await auth('request-password-reset', { email })
    expect([answer.status, answer.body]).toEqual([
      200,
      { message: 'if an account has this e-mail address, the service sends a mail to it' },
    ])
    const errors = logged.filter(({ level }) => level === 'error' || level === 'warn').length
    await services.settle()
    expect(logged.filter(({ level }) => level === 'error' || level === 'warn').length).toBe(errors + 1)
  }
  Object.assign(config, was)
})

it('changes a password with the current one, and ends the other sessions', async () => {
  await db.write(systemActor, async tx =>
    tx.update(tables.users, users.editor, { password: await nodeHashing.password('the current one') }),
  )
  const cookie = async () => (await login('the current one')).headers.get('set-cookie')?.split(';')[0] ?? ''
  const [mine, other] = [await cookie(), await cookie()]
  const me = async (Cookie: string) =>
    (await call('GET', '/api/v1/auth/me', { as: 'nobody', headers: { Cookie } })).status
  const reset = (body: unknown, headers: Record<string, string>) => auth('reset', body, headers)
  const good = { current_password: 'the current one', password: 'the next one' }
  expect((await reset(good, {})).status).toBe(403)
  expect((await reset(good, { Authorization: 'Bearer key-secret-of-this-test' })).status).toBe(401)
  expect((await reset({ ...good, current_password: 'wrong' }, { Cookie: mine })).status).toBe(401)
  expect((await reset({ password: 'the next one' }, { Cookie: mine })).status).toBe(400)
  expect((await reset({ ...good, password: 'short' }, { Cookie: mine })).status).toBe(400)
  expect([await me(mine), await me(other)]).toEqual([200, 200])
  expect((await reset({ ...good, keep: true }, { Cookie: mine })).status).toBe(400)
  expect((await reset(good, { Cookie: mine })).status).toBe(200)
  expect([await me(mine), await me(other)]).toEqual([200, 401])
  expect([(await login('the current one')).status, (await login('the next one')).status]).toEqual([401, 200])
})

it('registers viewers, whatever they call themselves', async () => {
  const roles = await db.findAll(tables.roles)
  const admin = roles.find(({ label }) => label === 'admin')?.role_id
  const made = await auth('register', {
    email: 'New@Example.com',
    password: 'long enough',
    role: 'admin',
    role_id: admin,
    user_id: users.admin,
    created_at: '2001-01-01T00:00:00.000Z',
    email_verified: true,
  })
  for (const other of [{ Role: 'admin' }, { roles: ['admin'] }, { is_admin: true }, { origin: 'admin' }])
    expect(
      (await auth('register', { email: 'other@example.com', password: 'long enough', ...other })).status,
    ).toBe(400)
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({
    email: 'new@example.com',
    username: 'new',
    role_label: 'viewer',
    email_verified: false,
  })
  expect(made.body.user_id).not.toBe(users.admin)
  expect(made.headers.get('set-cookie')).toBeNull()
  const again = await Promise.all(
    ['new@example.com', 'NEW@example.com', 'x@example.com', 'X@EXAMPLE.COM'].map(email =>
      auth('register', { email, password: 'long enough' }),
    ),
  )
  expect(again.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
  expect(
    (await auth('register', { email: 'new@other.example', password: 'long enough' })).body.username,
  ).toBe('new-2')
  for (const body of [
    {},
    { email: 'y@example.com' },
    { email: 'y@example.com', password: 'short' },
    { email: 'y', password: 'long enough' },
  ])
    expect((await auth('register', body)).status).toBe(400)
})

it.each([
  ['differ behind the 72nd byte', 'some x'.repeat(20), `${'some x'.repeat(19)}some y`],
  ['differ in blanks at the end', 'correct horse', 'correct horse '],
  ['differ in case', 'correct horse', 'Correct horse'],
  ['are the same letters otherwise composed', 'pässword', 'pa\u0308ssword'],
])('tells passwords apart that %s', async (_, right, wrong) => {
  const who = { email: `${nodeHashing.sha256(right + wrong).slice(0, 12)}@example.com` }
  await auth('register', { ...who, password: right })
  expect([
    (await auth('login', { ...who, password: right })).status,
    (await auth('login', { ...who, password: wrong })).status,
  ]).toEqual([200, 401])
  const user = await db.find(tables.users, who)
  expect(user?.password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

it('leaves nothing in the audit log that signs anyone in', async () => {
  const texts = JSON.stringify(await db.findAll(internalTables.auditEvents))
  for (const token of await db.findAll(tables.tokens)) expect(texts).not.toContain(token.token_hash)
  expect(texts).not.toContain('argon2')
})

it.each(['password123', email, 'Editor2024'])(
  'refuses the password %s that can be guessed, and the link can be used again',
  async guessable => {
    const value = await token()
    const { status, body } = await confirm(value, guessable)
    expect([status, body.member]).toEqual([400, 'password'])
    expect((await confirm(value)).status).toBe(200)
  },
)

it('takes an account back from whoever registered it with somebody else’s address', async () => {
  const victim = { email: 'victim@example.com', password: 'of the attacker' }
  await auth('register', victim)
  const attacker = (await auth('login', victim)).headers.get('set-cookie')?.split(';')[0] ?? ''
  const id = (await db.find(tables.users, { email: victim.email }))?.user_id ?? ''
  const key = await services.tokens.create(
    { ...systemActorFor(users.admin), roleId: (await db.get(tables.users, users.admin))?.role ?? '' },
    {
      ...{ user_id: id, label: '', token_type: 'api_key', revoked: false, permissions: null },
      ...{ read_only: false, limits: null, rate_limit: null },
    },
  )
  const byKey = () =>
    call('GET', '/api/v1/content', { as: 'nobody', headers: { Authorization: `Bearer ${key.token}` } })
  expect((await byKey()).status).toBe(200)
  await auth('request-password-reset', { email: victim.email })
  await services.settle()
  const value = /token=([\w-]{43})\b/.exec(textOf(mail.messages.at(-1) ?? ''))?.[1]
  expect((await confirm(value, 'of the victim')).status).toBe(200)
  expect((await byKey()).status).toBe(403)
  const me = await call('GET', '/api/v1/auth/me', { as: 'nobody', headers: { Cookie: attacker } })
  expect([me.status, (await auth('login', victim)).status]).toEqual([401, 401])
  expect((await auth('login', { ...victim, password: 'of the victim' })).status).toBe(200)
})

it('removes expired sessions and tokens, each with its audit event, and only those', async () => {
  clock.advance(3_600_001)
  await token()
  await login('the next one')
  const count = async () => [
    (await db.findAll(tables.sessions)).length,
    (await db.findAll(tables.tokens)).length,
  ]
  await services.removeExpired()
  const before = await count()
  expect(before[0]).toBeGreaterThan(0)
  await services.removeExpired()
  expect(await count()).toEqual(before)
  const events = (await audits()).length
  clock.advance(3_600_001)
  await services.removeExpired()
  expect(await count()).toEqual([before[0], (before[1] ?? 0) - 1])
  clock.advance(86_400_000)
  await Promise.all([services.removeExpired(), services.removeExpired()])
  expect((await count())[0]).toBe(0)
  const kinds = (await audits())
    .slice(events)
    .map(({ operation, table_name }) => `${operation} ${table_name}`)
  expect(kinds).toEqual(['DELETE tokens', ...Array(before[0]).fill('DELETE sessions')])
})
