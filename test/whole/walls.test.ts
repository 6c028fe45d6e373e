import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keptTables, tables } from '../../src/db/tables.js'
import { bootstrapPermissions, bootstrapRoles } from '../../src/permissions.js'
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

const core = sources.filter(file => /^src\/(app\.ts|routes\/|middleware\/|services\/)/.test(file))

describe('the walls', () => {
  it('keeps the runtime out of the core, by whatever way it might come', () => {
    const allowed = new Set([
      'hono',
      'zod',
      'ulid',
      '@hono/zod-validator',
      'ipaddr.js',
      'oauth4webapi',
      'hast-util-from-html',
      'hast-util-sanitize',
      'hast-util-to-html',
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

  it('lets only src/db and migrations know Knex, and nothing else ask for the engine', () => {
    for (const [file, source] of text) {
      if (file.startsWith('src/db/') || file.startsWith('migrations/')) continue
      expect([file, /['"]knex['"]/.test(source)]).toEqual([file, false])
      if (!['src/config.ts', 'src/quickstart.ts'].includes(file))
        expect([file, /'sqlite'|'postgres'|'mysql'/.test(source)]).toEqual([file, false])
    }
  })
})

describe('a new database', async () => {
  const { db } = await testApp()

  it('has the roles and permissions of the document, and no more', async () => {
    expect(bootstrapPermissions).toHaveLength(72)
    const permissions = await db.findAll(tables.permissions)
    expect(permissions.map(({ label }) => label)).toEqual(bootstrapPermissions)
    expect(permissions.every(row => row.system_protected)).toBe(true)
    const counts = { admin: 72, editor: 36, viewer: 5 }
    const roles = await db.findAll(tables.roles)
    expect(roles.map(({ label }) => label).toSorted()).toEqual(Object.keys(counts))
    for (const { role_id, label, system_protected } of roles) {
      expect(system_protected).toBe(true)
      const mapped = await db.count(tables.rolePermissions, { role_id })
      expect([label, mapped]).toEqual([label, counts[label as keyof typeof counts]])
      expect(bootstrapRoles[label as keyof typeof counts]).toHaveLength(mapped)
    }
  })

  it('leaves an audit event for each row it was given', async () => {
    const audits = await db.findAll(keptTables.auditEvents, { operation: 'INSERT', surface: 'system' })
    const count = (table: string) => audits.filter(({ table_name }) => table_name === table).length
    expect([count('roles'), count('permissions'), count('role_permissions'), count('field_types')]).toEqual([
      3, 72, 113, 14,
    ])
  })
})
