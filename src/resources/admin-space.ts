import { missingPermission } from '../errors.js'
import { adminPermission, adminPublish, bootstrapPermissions, unseededPermissions } from '../permissions.js'
import type { Access, AccessService } from '../services/accounts/access.js'
import type { Services } from '../services/index.js'

const resources = new Set(['content', 'routes', 'datatypes', 'fields', 'field_types', 'media'])

/** Returns the permission that the admin space needs for what `access` guards in the public space. */
export function adminWord(access: Access): Access {
  const [resource = '', operation = ''] = access.split(':')
  if (!resources.has(resource)) return access
  return operation === 'publish' ? adminPublish : (`${adminPermission(resource)}:${operation}` as Access)
}

type Rights = Pick<AccessService, 'can' | 'refusal' | 'isAdministrator'>
type Caller = Parameters<AccessService['can']>[0]

const words = [...bootstrapPermissions, ...unseededPermissions] as readonly Access[]

/** All permissions of a signed-in user, to decide what is shown. The service checks the roles for every action. */
export async function rightsOf({ can }: Pick<Rights, 'can'>, caller: Caller): Promise<ReadonlySet<string>> {
  const held = await Promise.all(words.map(async word => ((await can(caller, word)) ? [word] : [])))
  return new Set([...held.flat(), ...((await can(caller, 'signed-in')) ? ['signed-in'] : [])])
}

declare const ofSpace: unique symbol

/**
 * The rights of callers in one content space. Callers pass the permission of the public space, and this space checks
 * its own permission for it: pages and screens have no other way to check.
 */
export interface SpaceAccess extends Rights {
  /** Only `inPublicSpace` and `inAdminSpace` create one. */
  readonly [ofSpace]: true
  /** @throws 403 that names the permission of this space */
  need(caller: Caller, access: Access): Promise<void>
}

/** The services, with those of one content space as `space` and `media`. */
export type ServicesOfSpace = Omit<Services, 'access'> & { readonly access: SpaceAccess }
type AnyServices = Omit<Services, 'access'> & { readonly access: Rights }

function rightsIn(rights: Rights, wordOf: (access: Access) => Access): SpaceAccess {
  const can: Rights['can'] = (caller, access) => rights.can(caller, wordOf(access))
  const own: Omit<SpaceAccess, typeof ofSpace> = {
    can,
    async need(caller, access) {
      if (await can(caller, access)) return
      throw caller ? await rights.refusal(caller, wordOf(access)) : missingPermission(wordOf(access))
    },
    refusal: (caller, access) => rights.refusal(caller, wordOf(access)),
    isAdministrator: caller => rights.isAdministrator(caller),
  }
  // The symbol exists for the compiler only.
  return own as SpaceAccess
}

export const inPublicSpace = (services: AnyServices): ServicesOfSpace => ({
  ...services,
  access: rightsIn(services.access, word => word),
})

/** Returns the services with the admin space in place of the public one. */
export const inAdminSpace = (services: AnyServices): ServicesOfSpace => ({
  ...services,
  space: services.adminSpace,
  media: services.adminMedia,
  access: rightsIn(services.access, adminWord),
})
