import type { Database } from '../../db/database.js'
import type { Reader } from '../../db/reader.js'
import { adminTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { type HttpError, outsideLimits } from '../../errors.js'
import type { RoleLimits } from '../../role-limits.js'
import type { AccessService, BoundBy } from '../accounts/access.js'
import { LimitedChanges, type Outside } from './changes.js'

/**
 * The limits of a role and of an API key: the part of the site that it may change. They are applied once, at the end of each transaction,
 * to all rows that it has changed, as they were and as they are. So they bind every surface, and every action that is
 * made later (docs/decisions/987-limits-of-roles.md). A change must be inside of all that bind its caller.
 */

const namesShown = 5

function listed(names: readonly string[]): string {
  const more = names.length - namesShown
  return `${names.slice(0, namesShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

async function allowedBy(read: Reader, { datatypes = [], routes = [], locales = [] }: RoleLimits) {
  const names = async () =>
    (await read.findIn(tables.datatypes, 'datatype_id', datatypes)).map(row => row.name)
  const slugs = async () => (await read.findIn(tables.routes, 'route_id', routes)).map(row => row.slug)
  return {
    datatypes: async () => `entries of ${listed((await names()).sort())} and what is under them`,
    routes: async () => `pages at ${listed((await slugs()).sort())} and below`,
    own: async () => 'your own entries and what is under them',
    locales: async () => `values in ${listed(locales)}`,
  }
}

const subjects = { role: 'your role', key: 'this API key' } as const

async function refusal(read: Reader, { by, limits }: BoundBy, { part, what }: Outside): Promise<HttpError> {
  const allowed = await allowedBy(read, limits)
  return outsideLimits(`${subjects[by]} may change only ${await allowed[part]()}: ${what} is outside`)
}

const importOutside = ({ by }: BoundBy) =>
  outsideLimits(`${subjects[by]} may change only a part of the site: an import is outside`)

/** Starts of imports: a process of its own carries them out, and goes on with them after a crash. */
const startsImport = (tx: Writer): boolean =>
  tx.touched
    .recordsIn(tables.imports)
    .some(({ before, after }) => after?.status === 'running' && before?.status !== 'running')

/** Refuses what is outside of the limits of roles and keys. A caller without limits costs no statement. */
export const refuseOutsideLimits = (
  db: Pick<Database, 'beforeCommit'>,
  access: Pick<AccessService, 'boundsOf'>,
): void =>
  db.beforeCommit(async tx => {
    if (tx.roleId === null || !tx.hasChanges) return
    for (const bound of await access.boundsOf(tx, tx)) {
      const by = { userId: tx.userId, limits: bound.limits }
      for (const space of [tables, adminTables]) {
        const outside = await new LimitedChanges(tx, space, by).find()
        if (outside) throw await refusal(tx, bound, outside)
      }
      if (startsImport(tx)) throw importOutside(bound)
    }
  })
