import { expect, it } from 'vitest'
import { everyTable, tables } from '../../src/db/tables.js'
import { open } from '../../src/server.js'
import { testApp } from '../support/app.js'

const mails: string[] = []
const app = await testApp(
  {
    email_enabled: true,
    email_host: 'mail.example',
    email_from_address: 'cms@example.com',
    password_reset_url: 'https://site.example/reset',
  },
  {
    mail: {
      send: async (_, { text }) => {
        mails.push(text)
      },
    },
  },
)
const { call, db, services } = app

it('signs nobody in by anything that a copy of the database or the log holds', async () => {
  const login = await call('POST', '/api/v1/auth/login', {
    as: 'nobody',
    body: { email: 'admin@example.com', password: 'correct horse' },
  })
  const cookie = /^cms_session=([^;]+)/.exec(login.headers.get('set-cookie') ?? '')?.[1]
  const { token: bearer } = (await call('POST', '/api/v1/tokens', { body: { label: 'x' } })).body
  await call('POST', '/api/v1/auth/request-password-reset', {
    as: 'nobody',
    body: { email: 'admin@example.com' },
  })
  await services.settle()
  const reset = /token=([\w-]{43})/.exec(mails[0] ?? '')?.[1] ?? ''
  // What is looked for works, so that not finding it means something.
  expect(await services.auth.identify({ cookie, bearer: undefined })).toBeDefined()
  expect(await services.auth.identify({ cookie: undefined, bearer })).toBeDefined()

  const texts = new Set<string>()
  for (const table of everyTable)
    for (const row of await db.findAll(table))
      for (const value of Object.values(row)) {
        const text = typeof value === 'string' ? value : JSON.stringify(value)
        for (const part of [text, ...text.split(/[^\w./+=$-]+/)]) texts.add(part)
      }
  for (const { fields } of app.logged)
    for (const part of JSON.stringify(fields).split(/[^\w./+=$-]+/)) texts.add(part)
  expect(texts.size).toBeGreaterThan(300)
  for (const secret of [cookie, bearer, reset, 'correct horse'])
    expect([...texts].join(' ')).not.toContain(secret)
  for (const text of texts) {
    expect([text, await services.auth.identify({ cookie: text, bearer: text })]).toEqual([text, undefined])
    const known = await db.find(tables.tokens, { token_hash: app.parts.ports.hashing.sha256(text) })
    expect([text, known]).toEqual([text, undefined])
  }
})

it('shows another instance at once who is somebody else now, and what a role may', async () => {
  const second = await open({ config: app.config, ports: app.parts.ports, variables: {} })
  const editor = () =>
    second.services.auth.identify({ cookie: 'editor-secret-of-this-test', bearer: undefined })
  const may = async () => {
    const identity = await editor()
    return identity && second.services.access.can(identity, 'routes:create')
  }
  try {
    expect(await may()).toBe(true)
    const role = await db.find(tables.roles, { label: 'editor' })
    const permission = await db.find(tables.permissions, { label: 'routes:create' })
    const mapping = await db.find(tables.rolePermissions, {
      role_id: role?.role_id ?? '',
      permission_id: permission?.permission_id ?? '',
    })
    expect((await call('DELETE', `/api/v1/role-permissions?q=${mapping?.role_permission_id}`)).status).toBe(
      204,
    )
    expect((await call('POST', '/api/v1/routes', { as: 'editor', body: {} })).status).toBe(403)
    expect(await may()).toBe(false)
    await call('PUT', `/api/v1/users?q=${app.users.editor}`, { body: { role: 'viewer' } })
    expect(await editor()).toBeUndefined()
  } finally {
    await second.db.close()
  }
})
