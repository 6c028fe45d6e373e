import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { Door } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { conflict, forbidden, protectedRecord, stillReferenced } from '../../errors.js'
import { bootstrapRoles } from '../../permissions.js'
import type { RoleLimits } from '../../role-limits.js'
import { type CreateOf, type Crud, crud } from '../crud.js'
import { label } from '../text.js'
import type { AccessService } from './access.js'
import { type GivenLimits, limitsInput, storedLimits } from './given-limits.js'
import { refuseBeyondOwnRights } from './own-rights.js'

const second_factor = z
  .boolean()
  .meta({ description: 'Whether accounts with a password need a second factor. API keys do not.' })

export const RoleCreate = z.object({
  label: label(),
  second_factor: second_factor.default(false),
  limits: limitsInput.optional(),
})
export const RoleUpdate = z.object({
  label: label().optional(),
  second_factor: second_factor.optional(),
  limits: limitsInput.optional(),
})

const lookAlikes: Readonly<Record<string, string>> = {
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  і: 'i',
  ѕ: 's',
  ј: 'j',
  ԁ: 'd',
  м: 'm',
  т: 't',
  п: 'n',
  ѵ: 'v',
  ԝ: 'w',
  α: 'a',
  ε: 'e',
  ο: 'o',
  ι: 'i',
  ν: 'v',
  τ: 't',
  ρ: 'p',
  η: 'n',
  ω: 'w',
  ı: 'i',
  ɑ: 'a',
  ɡ: 'g',
}

/** Reduces a label to its looks: without case, marks, blanks and invisible characters, and with look-alikes as one. */
const lookOf = (text: string): string =>
  [
    ...text
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[\p{M}\p{C}\p{Z}]/gu, ''),
  ]
    .map(letter => lookAlikes[letter] ?? letter)
    .join('')

const systemLooks = new Set(Object.keys(bootstrapRoles).map(lookOf))

function refuseLookAlike(label: string): void {
  if (systemLooks.has(lookOf(label))) throw conflict('label: looks like the name of a system role')
}

type Table = typeof tables.roles
type WithLimits<V> = Omit<V, 'limits'> & { limits?: GivenLimits | undefined }
export type RoleService = Crud<Table, WithLimits<CreateOf<Table>>, WithLimits<z.output<typeof RoleUpdate>>>

/** Roles. The three of the system stay as they are, and no other can pass for one of them. */
export function roles(db: Door, access: AccessService): RoleService {
  const refuseSystem = (role: { system_protected: boolean }, what: string) => {
    if (role.system_protected) throw protectedRecord(`a system role cannot be ${what}`)
  }
  const plain = crud(db, tables.roles)
  /** @throws 403 unless an administrator gives limits, 400 for an unknown datatype, route or locale */
  const limitsOf = async (actor: Actor, given: GivenLimits | undefined) => {
    if (given === undefined) return {}
    if (!(await access.isAdministrator(actor)))
      throw forbidden('only an administrator can set the limits of a role')
    return { limits: given && (await storedLimits(db, given)) } satisfies { limits: RoleLimits | null }
  }
  return {
    ...plain,
    async create(actor, values) {
      refuseLookAlike(values.label)
      const { label, second_factor, limits } = values
      const own = limits === null ? {} : await limitsOf(actor, limits)
      return plain.create(actor, { label, second_factor, ...own })
    },
    async update(actor, id, patch, check) {
      await refuseBeyondOwnRights(access, actor, { role: id })
      const { label, second_factor } = patch
      const own = await limitsOf(actor, patch.limits)
      return plain.update(actor, id, { label, second_factor, ...own }, before => {
        check?.(before)
        if (own.limits && before.system_protected && before.label === 'admin')
          throw protectedRecord('the role admin has no limits')
        if (patch.label === undefined || patch.label === before.label) return
        refuseSystem(before, 'renamed')
        refuseLookAlike(patch.label)
      })
    },
    async remove(actor, id, check) {
      await refuseBeyondOwnRights(access, actor, { role: id })
      await db.write(actor, async tx => {
        const role = await tx.lock(tables.roles, id)
        check?.(role)
        refuseSystem(role, 'deleted')
        if (await tx.exists(tables.users, { role: id }))
          throw stillReferenced('still referenced by users.role')
        await tx.removeAll(tables.rolePermissions, await tx.lockAll(tables.rolePermissions, { role_id: id }))
        await tx.removeAll(tables.roles, [role])
      })
    },
  }
}
