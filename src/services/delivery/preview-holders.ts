import { type Actor, limitsOfKey } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { timestamp } from '../../ids.js'
import type { Clock } from '../../ports.js'
import type { PartOfContent } from '../../role-limits.js'
import { audienceOf } from './audience.js'

type Link = RowOf<typeof tables.previewLinks>
type Key = RowOf<typeof tables.tokens>

/** Whose rights a link has: those of who made it, as they are now. */
export type LinkHolder = Pick<Actor, 'userId' | 'roleId' | 'credential'>

interface Rights {
  can(caller: LinkHolder, access: `${string}:${string}`): Promise<boolean>
  /** False where the links are those of a part of the content. */
  readonly readsAll: boolean
  partOf(caller: LinkHolder): Promise<PartOfContent>
  readonly inPart: Pick<Rights, 'can'>
}

/** The rights of a holder over a page: whoever may read only a part has them in that part. */
async function rightsOver(
  db: Database,
  rights: Rights,
  holder: LinkHolder,
  root: string,
): Promise<Pick<Rights, 'can'>> {
  const { name, bounds } = await rights.partOf(holder)
  if (name === '' || !rights.readsAll) return rights
  const { database, release } = await db.partFor(bounds)
  try {
    return (await database.exists(tables.contentData, { content_data_id: root })) ? rights.inPart : rights
  } finally {
    release()
  }
}

async function liveKeys(
  db: Database,
  ids: readonly string[],
  now: string,
): Promise<ReadonlyMap<string, Key>> {
  if (ids.length === 0) return new Map()
  const keys = await db.findIn(tables.tokens, 'token_id', ids)
  const live = keys.filter(({ revoked, expires_at }) => !revoked && (expires_at === null || expires_at > now))
  return new Map(live.map(key => [key.token_id, key]))
}

/**
 * Finds those who made links and may still read drafts, by the id of the link: a link gives nobody what its maker has
 * lost. Two statements for all links, and none for their rights.
 */
export const linkHolders =
  (db: Database, { rights, clock }: { rights: Rights; clock: Clock }) =>
  async (links: readonly Link[]): Promise<ReadonlyMap<string, LinkHolder>> => {
    const makers = [...new Set(links.map(({ created_by }) => created_by))]
    const users = await db.findIn(tables.users, 'user_id', makers)
    const roles = new Map(users.map(({ user_id, role }) => [user_id, role]))
    const keyIds = [...new Set(links.flatMap(({ token_id }) => token_id ?? []))]
    const keys = await liveKeys(db, keyIds, timestamp(clock.now()))
    const holders = new Map<string, LinkHolder>()
    for (const { preview_link_id, content_data_id, created_by, token_id } of links) {
      const roleId = roles.get(created_by)
      const key = keys.get(token_id ?? '')
      if (roleId === undefined || (token_id !== null && !key)) continue
      const credential = key ? { kind: 'key' as const, id: key.token_id, limits: limitsOfKey(key) } : null
      const holder = { userId: created_by, roleId, credential }
      const its = await rightsOver(db, rights, holder, content_data_id)
      if (!(await its.can(holder, 'content:read'))) continue
      if ((await audienceOf(its, holder)) === 'working') holders.set(preview_link_id, holder)
    }
    return holders
  }
