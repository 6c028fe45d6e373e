import { systemActor } from '../actor.js'
import type { Database } from '../db/database.js'
import { adminTables, internalTables, tables } from '../db/tables.js'
import { bootstrapPermissions, bootstrapRoles, type SystemRole } from '../permissions.js'
import type { Hashing, Random } from '../ports.js'
import { normalEmail } from './accounts/account-fields.js'
import { fieldTypes } from './content/field-types.js'
import { defaultPresets } from './media/dimensions.js'
import { randomSecret } from './secrets.js'

const roleLabels = Object.keys(bootstrapRoles) as SystemRole[]

/** What a new database holds from the start. Each part is seeded once, so what users change later stays changed. */
async function seed(db: Database): Promise<void> {
  await db.write(systemActor, async tx => {
    if (await tx.claimSeed('roles')) {
      const roles = await tx.insertAll(
        tables.roles,
        roleLabels.map(label => ({ label, system_protected: true })),
      )
      const permissions = await tx.insertAll(
        tables.permissions,
        bootstrapPermissions.map(label => ({ label, system_protected: true })),
      )
      const idOf = new Map(permissions.map(({ label, permission_id }) => [label, permission_id]))
      await tx.insertAll(
        tables.rolePermissions,
        roles.flatMap(({ label, role_id }) =>
          bootstrapRoles[label as SystemRole].map(permission => ({
            role_id,
            permission_id: idOf.get(permission) ?? '',
          })),
        ),
      )
    }
    if (await tx.claimSeed('field-types'))
      for (const space of [tables, adminTables])
        await tx.insertAll(
          space.fieldTypes,
          Object.entries(fieldTypes).map(([type, label]) => ({ type, label, system_protected: true })),
        )
    if (await tx.claimSeed('media-dimensions')) await tx.insertAll(tables.mediaDimensions, defaultPresets)
  })
}

export interface FirstAdministrator {
  email: string
  /** Only when it was made here: the one time that it can be shown. */
  password: string | undefined
}

/**
 * Seeds what every database needs and, while there is no user at all, the first administrator. Two instances may do
 * this at once.
 * @returns the administrator, when it was made now
 */
export async function bootstrap(
  db: Database,
  { random, hashing }: { random: Random; hashing: Hashing },
  given: { email: string | undefined; password: string | undefined },
): Promise<FirstAdministrator | undefined> {
  await seed(db)
  if (await db.exists(tables.users, {})) return undefined
  const email = normalEmail(given.email || 'admin@example.com')
  const made = given.password ? undefined : randomSecret(random).slice(0, 24)
  const password = await hashing.password(given.password || made || '')
  const created = await db.write(systemActor, async tx => {
    // Two instances that start together take turns here.
    await tx.lock(internalTables.locks, tables.users.name)
    if (await tx.exists(tables.users, {})) return false
    const role = await tx.find(tables.roles, { label: 'admin' })
    if (!role) throw new Error('there is no admin role')
    await tx.insert(tables.users, {
      username: email.split('@')[0] ?? email,
      name: 'Administrator',
      email,
      password,
      role: role.role_id,
      email_verified: true,
    })
    return true
  })
  return created ? { email, password: made } : undefined
}
