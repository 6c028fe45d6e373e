import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'

const sources = ['src', 'migrations'].flatMap(folder =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => join(folder, name)),
)
const text = new Map(sources.map(file => [file, readFileSync(file, 'utf8')]))

interface Import {
  from: string
  typeOnly: boolean
}
const importsOf = (file: string): Import[] =>
  [...(text.get(file) ?? '').matchAll(/^(import|export)( type)? [^'"]*?from ['"]([^'"]+)['"]/gms)].map(
    ([, , type, from = '']) => ({ from, typeOnly: type !== undefined }),
  )

const core = sources.filter(file =>
  /^src\/(app\.ts|routes\/|panel\/(?!browser)|resources\/|middleware\/|services\/|net\/|ports\.ts)/.test(
    file,
  ),
)

describe('the walls', () => {
  it('bounds every cache by bytes whose keys or values callers can make large', () => {
    const small: Record<string, string> = {
      'src/ssh/gate.ts': 'keys are addresses of clients, as limitKey cuts them',
      'src/routes/readers.ts':
        'keys are limits of roles and keys, which are bounded, and there are 32 at most',
      'src/services/content/patterns.ts': 'patterns are refused above 500 characters and 500 steps',
      'src/services/accounts/identities.ts': 'keys are hashes, values the columns of a session or key',
      'src/services/accounts/oauth-signing-keys.ts':
        'keys are addresses of the configured provider, 20 at most',
    }
    const caches = sources.flatMap(file =>
      [...(text.get(file) ?? '').matchAll(/new LRUCache\b[^(]*\(([^()]|\([^()]*\))*\)/g)].map(
        ([made]) => [file, made] as const,
      ),
    )
    expect(caches.length).toBe([...text.values()].join('').split('new LRUCache').length - 1)
    const unbounded = caches.flatMap(([file, made]) => (/\bmaxSize\b/.test(made) ? [] : [file]))
    expect([...new Set(unbounded)].sort()).toEqual(Object.keys(small).sort())
  })

  it('keeps the runtime out of the core, by whatever way it might come', () => {
    const allowed = new Set([
      'hono',
      'zod',
      'ulid',
      '@hono/zod-validator',
      'ipaddr.js',
      'lru-cache',
      'oauth4webapi',
      'jose',
      're2js',
      'entities',
      'mustache',
      '@jest/diff-sequences',
      '@vercel/stega',
      '@zxcvbn-ts/language-common',
      'saxes',
      'otplib',
      'uqr',
      '@simplewebauthn/server',
    ])
    const seen = new Set<string>()
    const open = [...core]
    for (let file = open.pop(); file; file = open.pop()) {
      if (seen.has(file)) continue
      seen.add(file)
      for (const { from, typeOnly } of importsOf(file)) {
        if (typeOnly) continue
        if (from.startsWith('.')) {
          const base = normalize(join(dirname(file), from)).replace(/\.js$/, '')
          open.push(text.has(`${base}.ts`) ? `${base}.ts` : `${base}.tsx`)
        } else
          expect([
            file,
            from,
            allowed.has(
              from
                .split('/')
                .slice(0, from.startsWith('@') ? 2 : 1)
                .join('/'),
            ),
          ]).toEqual([file, from, true])
      }
    }
    expect(seen.size).toBeGreaterThan(core.length)
  })

  it('gives others their turn in one place', () => {
    const elsewhere: Record<string, string> = {
      'src/turns.ts': 'the place',
      'src/db/dialects/sqlite.ts': 'lets another process begin a transaction',
      'src/db/external-changes.ts': 'ends what counts for requests that arrive together',
      'src/node/http-connections.ts': 'waits until the loop has looked at its sockets',
      'src/node/http-listener.ts': 'answers after its caller has returned',
      'src/ssh/connection.ts': 'calls a listener after its caller has returned',
    }
    const files = sources.filter(file => /\bsetImmediate\b|\bturnMs\b/.test(text.get(file) ?? ''))
    expect(files.toSorted()).toEqual(Object.keys(elsewhere).toSorted())
  })

  it('lets only src/db and migrations know Knex, and nothing else ask for the engine', () => {
    for (const [file, source] of text) {
      if (file.startsWith('src/db/') || file.startsWith('migrations/')) continue
      expect([file, /['"]knex['"]/.test(source)]).toEqual([file, false])
      if (!['src/config.ts', 'src/config-fields.ts', 'src/cli/quickstart.ts'].includes(file))
        expect([file, /'sqlite'|'postgres'|'mysql'/.test(source)]).toEqual([file, false])
    }
  })
})

/** What a new database permits whom, written out: the code that makes these rows is not asked. */
const permissionsOf: Readonly<Record<string, string>> = {
  admin: `
  admin_field_types:admin admin_field_types:create admin_field_types:delete admin_field_types:read admin_field_types:update
  admin_tree:admin admin_tree:create admin_tree:delete admin_tree:read admin_tree:update
  config:admin config:read config:update
  content:admin content:create content:delete content:publish content:read content:update
  datatypes:admin datatypes:create datatypes:delete datatypes:read datatypes:update
  deploy:create deploy:read
  field_types:admin field_types:create field_types:delete field_types:read field_types:update
  fields:admin fields:create fields:delete fields:read fields:update
  media:admin media:create media:delete media:read media:update
  permissions:admin permissions:create permissions:delete permissions:read permissions:update
  roles:admin roles:create roles:delete roles:read roles:update
  routes:admin routes:create routes:delete routes:read routes:update
  sessions:admin sessions:delete sessions:read
  ssh_keys:admin ssh_keys:create ssh_keys:delete ssh_keys:read
  users:admin users:create users:delete users:read users:update
  webhook:create webhook:delete webhook:read webhook:update
  `,
  editor: `
  admin_field_types:create admin_field_types:delete admin_field_types:read admin_field_types:update
  admin_tree:create admin_tree:delete admin_tree:read admin_tree:update
  config:read
  content:create content:delete content:read content:update
  datatypes:create datatypes:delete datatypes:read datatypes:update
  field_types:create field_types:delete field_types:read field_types:update
  fields:create fields:delete fields:read fields:update
  media:create media:delete media:read media:update
  routes:create routes:delete routes:read routes:update
  sessions:read
  ssh_keys:read
  users:read
  `,
  viewer: `
  admin_field_types:read
  content:read
  field_types:read
  media:read
  routes:read
  `,
}
const listed = (text = '') => text.trim().split(/\s+/)

describe('a new database', async () => {
  const { db } = await testApp()

  it('has 72 permissions and three roles that hold 72, 36 and 5 of them', async () => {
    const permissions = await db.findAll(tables.permissions)
    expect(permissions.map(({ label }) => label).toSorted()).toEqual(listed(permissionsOf.admin).toSorted())
    expect(permissions).toHaveLength(72)
    expect(permissions.filter(row => !row.system_protected)).toEqual([])
    const labels = new Map(permissions.map(({ permission_id, label }) => [permission_id, label]))
    const roles = await db.findAll(tables.roles)
    expect(roles.filter(row => !row.system_protected)).toEqual([])
    expect(roles.map(({ label }) => label).toSorted()).toEqual(['admin', 'editor', 'viewer'])
    const counts: Record<string, number> = {}
    for (const { role_id, label } of roles) {
      const mapped = await db.findAll(tables.rolePermissions, { role_id })
      const held = mapped.map(({ permission_id }) => labels.get(permission_id))
      expect([label, held.toSorted()]).toEqual([label, listed(permissionsOf[label]).toSorted()])
      counts[label] = held.length
    }
    expect(counts).toEqual({ admin: 72, editor: 36, viewer: 5 })
  })

  it('leaves an audit event for each row it was given', async () => {
    const audits = await db.findAll(internalTables.auditEvents, { operation: 'INSERT', surface: 'system' })
    const count = (table: string) => audits.filter(({ table_name }) => table_name === table).length
    expect([count('roles'), count('permissions'), count('role_permissions'), count('field_types')]).toEqual([
      3, 72, 113, 14,
    ])
  })
})
