import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { AnyTable, Audited, RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { adminTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict, duplicate, forbidden, invalid, missingReference, notFound } from '../../errors.js'
import type { Hashing } from '../../ports.js'
import { reference } from '../body-parts.js'
import type { Check } from '../crud.js'
import type { AccessService } from './access.js'
import { email, password, personName, username } from './account-fields.js'
import { endResetTokens, endSessions, removeAccount } from './credentials.js'

type Row = RowOf<typeof tables.users>

const role = z.string().max(255).optional()

export const UserCreate = z.object({
  username: username.optional(),
  name: personName.default(''),
  email,
  password: password.optional(),
  role: role.meta({ description: 'Name or id of the role; only an administrator sets one.' }),
  role_id: role,
})
export const UserUpdate = z.object({
  username: username.optional(),
  name: personName.optional(),
  email: email.optional(),
  password: password.optional(),
  role,
  role_id: role,
})
export const ReassignDelete = z.object({ user_id: reference, reassign_to: reference })

export const UserRecord = z.object({
  user_id: z.string(),
  username: z.string(),
  name: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  role: z.string(),
  role_label: z.string(),
  created_at: z.string(),
  date_created: z.string(),
  date_modified: z.string(),
})
export type UserRecord = z.output<typeof UserRecord>

export interface UserService {
  readonly table: typeof tables.users
  list(
    where: Partial<Row>,
    slice: { limit?: number; offset?: number; after?: string },
  ): AsyncGenerator<UserRecord[]>
  count(where: Partial<Row>): Promise<number>
  get(id: string): Promise<UserRecord>
  /** Anyone but an administrator makes viewers. @throws 409 for a username or e-mail that is taken */
  create(actor: Actor, given: z.output<typeof UserCreate>): Promise<UserRecord>
  /**
   * Everyone changes their own username and name; the rest takes `users:update`, and the role an administrator.
   * @throws 403 for the account of somebody who may do more than the caller; 409 for the last administrator's role
   */
  update(
    actor: Actor,
    id: string,
    given: z.output<typeof UserUpdate>,
    check?: Check<unknown>,
  ): Promise<UserRecord>
  /** @throws 403 and 409 as `update`; 409 while records name the user as their author */
  remove(actor: Actor, id: string, check?: Check<unknown>): Promise<void>
  /** Deletes the user and gives what they wrote to another. @throws 400 when that is nobody else */
  reassignAndDelete(actor: Actor, given: z.output<typeof ReassignDelete>): Promise<void>
  recordOf(row: Row): Promise<UserRecord>
}

/** Every audited table with an author, and in which columns. */
const authored: readonly (readonly [AnyTable & Audited, string])[] = [
  ...Object.values(tables),
  ...Object.values(adminTables),
].flatMap(table =>
  'audited' in table
    ? Object.entries((table as AnyTable).columns).flatMap(([name, { flags }]) =>
        flags.references === 'users' && name === 'author_id'
          ? [[table as AnyTable & Audited, name] as const]
          : [],
      )
    : [],
)

/** Holds every other change of who is an administrator until the commit, and refuses to lose the last one. */
async function keepAnAdministrator(tx: Writer, adminRole: string, leaving: Row): Promise<void> {
  if (leaving.role !== adminRole) return
  await tx.lock(tables.roles, adminRole)
  if ((await tx.count(tables.users, { role: adminRole })) < 2)
    throw conflict('the last administrator can be neither deleted nor given another role')
}

export function users(db: Database, access: AccessService, { hashing }: { hashing: Hashing }): UserService {
  const recordOf = async (row: Row): Promise<UserRecord> => ({
    user_id: row.user_id,
    username: row.username,
    name: row.name,
    email: row.email,
    email_verified: row.email_verified,
    role: row.role,
    role_label: (await access.labelOf(row.role)) ?? '',
    created_at: row.date_created,
    date_created: row.date_created,
    date_modified: row.date_modified,
  })

  /** The role that the body names, by its label or id. @throws 400 when there is none, or the two differ */
  async function roleGiven(given: { role?: string | undefined; role_id?: string | undefined }) {
    const find = async (text: string, member: string) => {
      const found = (await db.get(tables.roles, text)) ?? (await db.find(tables.roles, { label: text }))
      if (!found) throw invalid(member, 'there is no such role')
      return found.role_id
    }
    const byName = given.role === undefined ? undefined : await find(given.role, 'role')
    const byId = given.role_id === undefined ? undefined : await find(given.role_id, 'role_id')
    if (byName && byId && byName !== byId) throw invalid('role', 'differs from role_id')
    return byName ?? byId
  }

  async function refuseGreater(actor: Actor, target: Row): Promise<void> {
    if (!(await access.canManageRole(actor, target.role)))
      throw forbidden('this account may do more than yours: only an administrator changes it')
  }

  const administrator = () => access.systemRole('admin')

  return {
    table: tables.users,
    recordOf,
    async *list(where, slice) {
      for await (const rows of db.stream(tables.users, where, slice))
        yield await Promise.all(rows.map(recordOf))
    },
    count: where =>
      Object.keys(where).length > 0 ? db.count(tables.users, where) : db.countAll(tables.users),
    async get(id) {
      const row = await db.get(tables.users, id)
      if (!row) throw notFound()
      return recordOf(row)
    },
    async create(actor, { password, username, role, role_id, ...given }) {
      const asked = (await access.isAdministrator(actor)) ? await roleGiven({ role, role_id }) : undefined
      const hash = password === undefined ? null : await hashing.password(password)
      const values = { ...given, password: hash, role: asked ?? (await access.systemRole('viewer')) }
      const row = await db.write(actor, async tx =>
        tx.insert(tables.users, { ...values, username: username ?? (await freeUsername(tx, given.email)) }),
      )
      return recordOf(row)
    },
    async update(actor, id, { password, role, role_id, ...given }, check) {
      const own = actor.userId === id
      const may = await access.hasPermission(actor, 'users:update')
      if (!own && !may) throw forbidden()
      const target = await db.get(tables.users, id)
      if (!target) throw notFound()
      await refuseGreater(actor, target)
      if (!may && given.email !== undefined && given.email !== target.email)
        throw forbidden('your e-mail is changed by whoever manages users')
      if (own && password !== undefined)
        throw invalid('password', 'your own is changed at /auth/reset, with the current one')
      const asked = (await access.isAdministrator(actor)) ? await roleGiven({ role, role_id }) : undefined
      const hash = password === undefined ? undefined : await hashing.password(password)
      const adminRole = await administrator()
      const row = await db.write(actor, async tx => {
        const before = await tx.lock(tables.users, id)
        // What was allowed is what was read; a role that has changed meanwhile is looked at again.
        if (before.role !== target.role) await refuseGreater(actor, before)
        check?.(await recordOf(before))
        const newRole = asked !== undefined && asked !== before.role
        if (newRole) await keepAnAdministrator(tx, adminRole, before)
        const email = given.email !== undefined && given.email !== before.email
        const { after } = await tx.update(tables.users, id, {
          ...given,
          ...(email ? { email_verified: false } : {}),
          password: hash,
          role: asked,
        })
        if (newRole || hash !== undefined) await endSessions(tx, id, actor.credential?.id)
        if (email || hash !== undefined) await endResetTokens(tx, id)
        return after
      })
      return recordOf(row)
    },
    async remove(actor, id, check) {
      const adminRole = await administrator()
      await db.write(actor, async tx => {
        const user = await tx.lock(tables.users, id)
        await refuseGreater(actor, user)
        check?.(await recordOf(user))
        await keepAnAdministrator(tx, adminRole, user)
        await removeAccount(tx, user)
      })
    },
    async reassignAndDelete(actor, { user_id, reassign_to }) {
      if (user_id === reassign_to) throw invalid('reassign_to', 'must be another user')
      const adminRole = await administrator()
      await db.write(actor, async tx => {
        const user = await tx.lock(tables.users, user_id)
        await refuseGreater(actor, user)
        const newAuthor = await tx.get(tables.users, reassign_to)
        if (!newAuthor) throw missingReference('reassign_to', 'users')
        await keepAnAdministrator(tx, adminRole, user)
        let changed = false
        for (const [table, column] of authored)
          for (const row of await tx.findAll(table, { [column]: user_id })) {
            changed = true
            // Which tables have the column is found when the service starts, so no type knows it.
            const patch: object = { [column]: reassign_to }
            await tx.update(table, (row as Record<string, string>)[table.key] ?? '', patch)
          }
        // Formats may show the author.
        if (changed) tx.reshapePages()
        await removeAccount(tx, user)
      })
    },
  }
}

/** A username for an account that was given none: what stands before the `@`, with a number if that is taken. */
export async function freeUsername(tx: Writer, email: string): Promise<string> {
  const wanted = (email.split('@')[0] ?? 'user').slice(0, 200)
  for (let n = 1; n < 1000; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`
    if (!(await tx.exists(tables.users, { username: name }))) return name
  }
  throw duplicate('username already exists')
}
