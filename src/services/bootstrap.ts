import { systemActor } from '../actor.js'
import type { Database } from '../db/database.js'
import { adminTables, internalTables, tables } from '../db/tables.js'
import { ConfigError } from '../errors.js'
import { bootstrapPermissions, bootstrapRoles, type SystemRole } from '../permissions.js'
import type { Hashing, Random } from '../ports.js'
import { email as emailField } from './accounts/account-fields.js'
import { passwordProblem } from './accounts/guessable-passwords.js'
import { fieldTypes } from './content/field-types.js'
import { defaultPresets } from './media/dimensions.js'
import { randomSecret } from './secrets.js'

const roleLabels = Object.keys(bootstrapRoles) as SystemRole[]

/**
 * Writes the records that every database starts with. Each part is seeded once, at the first start that knows of it, so
 * what users change later stays changed.
 */
async function seed(db: Database, defaultLocale: string): Promise<void> {
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
    if ((await tx.claimSeed('locales')) && !(await tx.exists(tables.locales, {})))
      await tx.insert(tables.locales, {
        code: defaultLocale,
        label: new Intl.DisplayNames('en', { type: 'language' }).of(defaultLocale) ?? defaultLocale,
        is_default: true,
      })
    if (await tx.claimSeed('media-dimensions')) await tx.insertAll(tables.mediaDimensions, defaultPresets)
  })
}

export interface FirstAdministrator {
  email: string
  /** Only when it was made here: the one time that it can be shown. */
  password: string | undefined
}

interface Given {
  readonly CMS_ADMIN_EMAIL?: string | undefined
  readonly CMS_ADMIN_PASSWORD?: string | undefined
  readonly defaultLocale: string
}

const administratorName = 'Administrator'

/**
 * The address and, where one is given, the password: both by the rules for all accounts.
 * @throws ConfigError that names the variable
 */
async function wantedAdministrator(given: Given): Promise<FirstAdministrator> {
  const { CMS_ADMIN_EMAIL, CMS_ADMIN_PASSWORD } = given
  const email = emailField.safeParse(CMS_ADMIN_EMAIL || 'admin@example.com')
  if (!email.success) throw new ConfigError(`CMS_ADMIN_EMAIL: ${email.error.issues[0]?.message}`)
  const password = CMS_ADMIN_PASSWORD || undefined
  const owner = { email: email.data, name: administratorName }
  const problem = password && (await passwordProblem(password, owner))
  if (problem) throw new ConfigError(`CMS_ADMIN_PASSWORD: ${problem}`)
  return { email: email.data, password }
}

/**
 * Seeds what every database needs and, while there is no user at all, the first administrator. Two instances may do
 * this at once.
 * @param show is given the administrator before the commit. When it throws, there is no administrator, and the next
 * start makes one; it may be called again with the same when the transaction is run again.
 * @throws ConfigError when the environment gives an address or password that no account may have
 */
export async function bootstrap(
  db: Database,
  { random, hashing }: { random: Random; hashing: Hashing },
  given: Given,
  show: (administrator: FirstAdministrator) => void = () => undefined,
): Promise<void> {
  await seed(db, given.defaultLocale)
  if (await db.exists(tables.users, {})) return
  const wanted = await wantedAdministrator(given)
  const { email } = wanted
  const made = wanted.password === undefined ? randomSecret(random).slice(0, 24) : undefined
  const password = await hashing.password(wanted.password ?? made ?? '')
  await db.write(systemActor, async tx => {
    // Two instances that start together take turns here.
    await tx.lock(internalTables.locks, tables.users.name)
    if (await tx.exists(tables.users, {})) return
    const role = await tx.find(tables.roles, { label: 'admin' })
    if (!role) throw new Error('there is no admin role')
    await tx.insert(tables.users, {
      username: email.split('@')[0] ?? email,
      name: administratorName,
      email,
      password,
      role: role.role_id,
      email_verified: true,
    })
    show({ email, password: made })
  })
}
