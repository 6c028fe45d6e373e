import { type Identity, unlimited } from '../actor.js'
import type { Database } from '../db/database.js'
import { tables } from '../db/tables.js'
import type { Writer } from '../db/writer.js'
import { forbidden } from '../errors.js'

/**
 * Agents: programs that a language model controls, and so anybody whose text it reads. They read, and they propose. No
 * text may make one publish, delete, or change the content model (docs/decisions/966-agents.md).
 */

/** The permissions that an agent can have, of those that its key has. */
const agentPermissions: readonly string[] = [
  'content:read',
  'content:create',
  'content:update',
  'datatypes:read',
  'fields:read',
  'media:read',
  'routes:read',
  'routes:create',
]

/** The holder of a key with the part of its rights that an agent can have. */
export function asAgent(identity: Identity): Identity {
  const { credential } = identity
  const { permissions, ...limits } = credential.limits ?? unlimited
  const left = agentPermissions.filter(permission => permissions === null || permissions.has(permission))
  return { ...identity, credential: { ...credential, limits: { ...limits, permissions: new Set(left) } } }
}

/** For a proposal that no review would come before. */
export const publicAtOnce = () =>
  forbidden('this change would be public at once: set publish_mode to staged to review changes first')

/** The records that proposals consist of. */
const changeable: ReadonlySet<unknown> = new Set([
  tables.contentData,
  tables.contentFields,
  tables.routes,
  tables.reviewRequests,
])

/** @throws 403 for a change that the public would see, and for one of records that are no part of a proposal */
async function refuseHarm(tx: Writer): Promise<void> {
  if (tx.surface !== 'mcp') return
  if (tx.changesPublicContent) throw publicAtOnce()
  if (
    [...tx.tablesChanged].some(table => !changeable.has(table)) ||
    tx.touched.recordsIn(tables.routes).some(({ before }) => before !== undefined) ||
    tx.touched.recordsIn(tables.contentData).some(({ after }) => after === undefined)
  )
    throw forbidden('an agent can only propose new pages and changes to pages')
}

/**
 * Refuses what agents must not do at the end of each transaction, whatever tool, right or mistake led to it. To be called
 * after everything that derives data from changes.
 */
export const refuseHarmByAgents = (db: Pick<Database, 'beforeCommit'>): void => db.beforeCommit(refuseHarm)
