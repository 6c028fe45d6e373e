import { z } from 'zod'
import { type Actor, hasOwnList, isSelf } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import type { Slice } from '../../db/reader.js'
import { tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import {
  conflict,
  duplicate,
  forbidden,
  invalid,
  missingPermission,
  missingReference,
  notFound,
} from '../../errors.js'
import type { Hashing } from '../../ports.js'
import { reference } from '../body-parts.js'
import type { Check } from '../crud.js'
import type { AccessService } from './access.js'
import { email, normalEmail, password, personName, username } from './account-fields.js'
import { reassignAuthored } from './authored.js'
import { endResetTokens, endSessions, removeAccount } from './credentials.js'
import { refuseGuessable } from './guessable-passwords.js'
import { refuseBeyondOwnRights } from './own-rights.js'

type UserRow = RowOf<typeof tables.users>

const role = z.string().normalize('NFC').max(255).optional()

export const UserCreate = z.object({
  username: username.optional(),
  name: personName.default(''),
  email,
  password: password.optional(),
  role: role.meta({ description: 'The name or id of the role. Only an administrator can set it.' }),
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
export const Reassigned = ReassignDelete.extend({
  reassigned: z
    .record(z.string(), z.int())
    .meta({ description: 'The number of records per table that have the new author.' }),
})

export const UserRecord = z
  .object({
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
  .meta({ id: 'User' })
export type UserRecord = z.output<typeof UserRecord>

/** Blocks all other changes of administrators until the commit, and refuses to lose the last one. */
async function keepAnAdministrator(tx: Writer, adminRole: string, leaving: UserRow): Promise<void> {
  if (leaving.role !== adminRole) return
  await tx.lock(tables.roles, adminRole)
  if ((await tx.count(tables.users, { role: adminRole })) < 2)
    throw conflict('the last administrator cannot be deleted or get a different role')
}

interface SignInChange {
  readonly email: string | undefined
  readonly password: string | undefined
}

const rightTo = (user: UserRow, { email, password }: SignInChange) =>
  password === undefined && (email === undefined || email === user.email)
    ? { names: user }
    : { account: user }

/** Accounts, and who may change which. */
export class UserService {
  readonly table = tables.users

  constructor(
    private readonly db: Database,
    private readonly access: AccessService,
    private readonly hashing: Hashing,
  ) {}

  async recordOf(row: UserRow): Promise<UserRecord> {
    return {
      user_id: row.user_id,
      username: row.username,
      name: row.name,
      email: row.email,
      email_verified: row.email_verified,
      role: row.role,
      role_label: (await this.access.labelOf(row.role)) ?? '',
      created_at: row.date_created,
      date_created: row.date_created,
      date_modified: row.date_modified,
    }
  }

  async *list(where: Partial<UserRow>, slice: Slice): AsyncGenerator<UserRecord[]> {
    for await (const rows of this.db.stream(tables.users, where, slice))
      yield await Promise.all(rows.map(row => this.recordOf(row)))
  }

  count(where: Partial<UserRow>): Promise<number> {
    return Object.keys(where).length > 0 ? this.db.count(tables.users, where) : this.db.countAll(tables.users)
  }

  async get(id: string): Promise<UserRecord> {
    const row = await this.db.get(tables.users, id)
    if (!row) throw notFound()
    return this.recordOf(row)
  }

  /** @throws 404 when no account has the address */
  async byEmail(email: string): Promise<UserRecord> {
    const row = await this.db.find(tables.users, { email: normalEmail(email) })
    if (!row) throw notFound(`no account has the e-mail address ${email}`)
    return this.recordOf(row)
  }

  /** Anyone but an administrator makes viewers. @throws 403 for a key that may less than they; 409 for a username or e-mail that is taken */
  async create(
    actor: Actor,
    { password, username, role, role_id, ...given }: z.output<typeof UserCreate>,
  ): Promise<UserRecord> {
    const wanted =
      (await this.#wantedRole(actor, { role, role_id })) ?? (await this.access.systemRole('viewer'))
    // Whoever makes an account can sign in to it, and so leave the limits of their key or role.
    if (!(await this.access.isWithinLimits(actor, wanted)))
      throw forbidden('the account could change more of the site than you')
    if (hasOwnList(actor)) await refuseBeyondOwnRights(this.access, actor, { role: wanted })
    if (password !== undefined) await refuseGuessable(password, { ...given, username })
    const hash = password === undefined ? null : await this.hashing.password(password)
    const values = { ...given, password: hash, role: wanted }
    const row = await this.db.write(actor, async tx =>
      tx.insert(tables.users, { ...values, username: username ?? (await freeUsername(tx, given.email)) }),
    )
    return this.recordOf(row)
  }

  /**
   * Everyone changes their own username and name; the rest takes `users:update`, and the role an administrator.
   * @throws 403 for password and e-mail of somebody who may do more than the caller, and for administrators; 409 for the last administrator's role
   */
  async update(
    actor: Actor,
    id: string,
    { password, role, role_id, ...given }: z.output<typeof UserUpdate>,
    check?: Check<unknown>,
  ): Promise<UserRecord> {
    const target = await this.#changeable(actor, id, { email: given.email, password })
    const wanted = await this.#wantedRole(actor, { role, role_id })
    if (password !== undefined)
      await refuseGuessable(password, {
        email: given.email ?? target.email,
        username: given.username ?? target.username,
        name: given.name ?? target.name,
      })
    const hash = password === undefined ? undefined : await this.hashing.password(password)
    const adminRole = await this.access.systemRole('admin')
    const row = await this.db.write(actor, async tx => {
      const before = await tx.lock(tables.users, id)
      // The rights were checked before the lock. If the role or the address has changed since, they are checked again.
      if (before.role !== target.role || before.email !== target.email)
        await refuseBeyondOwnRights(this.access, actor, rightTo(before, { email: given.email, password }))
      check?.(await this.recordOf(before))
      const newRole = wanted !== undefined && wanted !== before.role
      if (newRole) await keepAnAdministrator(tx, adminRole, before)
      const newEmail = given.email !== undefined && given.email !== before.email
      const { after } = await tx.update(tables.users, id, {
        ...given,
        ...(newEmail ? { email_verified: false } : {}),
        password: hash,
        role: wanted,
      })
      if (newRole || hash !== undefined) await endSessions(tx, id, actor.credential?.id)
      if (newEmail || hash !== undefined) await endResetTokens(tx, id)
      return after
    })
    return this.recordOf(row)
  }

  /** @throws 403 and 409 as `update`; 409 while records name the user as their author */
  async remove(actor: Actor, id: string, check?: Check<unknown>): Promise<void> {
    const adminRole = await this.access.systemRole('admin')
    await this.db.write(actor, async tx => {
      const user = await tx.lock(tables.users, id)
      await refuseBeyondOwnRights(this.access, actor, { account: user })
      check?.(await this.recordOf(user))
      await keepAnAdministrator(tx, adminRole, user)
      await removeAccount(tx, user)
    })
  }

  /** Deletes the user and gives what they wrote to another. @throws 400 when that is the same user */
  async reassignAndDelete(
    actor: Actor,
    { user_id, reassign_to }: z.output<typeof ReassignDelete>,
  ): Promise<z.output<typeof Reassigned>> {
    if (user_id === reassign_to) throw invalid('reassign_to', 'must be another user')
    const adminRole = await this.access.systemRole('admin')
    return this.db.write(actor, async tx => {
      const user = await tx.lock(tables.users, user_id)
      await refuseBeyondOwnRights(this.access, actor, { account: user })
      if (!(await tx.get(tables.users, reassign_to))) throw missingReference('reassign_to', 'users')
      await keepAnAdministrator(tx, adminRole, user)
      const reassigned = await reassignAuthored(tx, user_id, reassign_to)
      // Formats may show the author.
      if (Object.keys(reassigned).length > 0) tx.invalidateAllPages()
      await removeAccount(tx, user)
      return { user_id, reassign_to, reassigned }
    })
  }

  /** The user whose account the caller may change in this way. @throws 400, 403, 404 */
  async #changeable(actor: Actor, id: string, { email, password }: SignInChange): Promise<UserRow> {
    const canUpdate = await this.access.hasPermission(actor, 'users:update')
    if (!isSelf(actor, id) && !canUpdate) throw missingPermission('users:update')
    const target = await this.db.get(tables.users, id)
    if (!target) throw notFound()
    await refuseBeyondOwnRights(this.access, actor, rightTo(target, { email, password }))
    if (!canUpdate && email !== undefined && email !== target.email) throw missingPermission('users:update')
    if (actor.userId === id && password !== undefined)
      throw invalid('password', 'change your own password at /auth/reset with the current one')
    return target
  }

  /**
   * The role that the body names, by its label or id, when an administrator sends it; otherwise it is ignored.
   * @throws 400 when the role is unknown, or the two differ
   */
  async #wantedRole(
    actor: Actor,
    { role, role_id }: { role: string | undefined; role_id: string | undefined },
  ): Promise<string | undefined> {
    if (!(await this.access.isAdministrator(actor))) return undefined
    const byName = role === undefined ? undefined : await this.#findRole(role, 'role')
    const byId = role_id === undefined ? undefined : await this.#findRole(role_id, 'role_id')
    if (byName && byId && byName !== byId) throw invalid('role', 'differs from role_id')
    return byName ?? byId
  }

  async #findRole(text: string, member: string): Promise<string> {
    const { db } = this
    const found = (await db.get(tables.roles, text)) ?? (await db.find(tables.roles, { label: text }))
    if (!found) throw invalid(member, 'the role does not exist')
    return found.role_id
  }
}

/** A username for an account that was made without one: the part before the `@`, with a number if that is taken. */
export async function freeUsername(tx: Writer, email: string): Promise<string> {
  const wanted = (email.split('@')[0] ?? 'user').slice(0, 200)
  for (let n = 1; n < 1000; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`
    if (!(await tx.exists(tables.users, { username: name }))) return name
  }
  throw duplicate('username already exists')
}
