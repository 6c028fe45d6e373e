import type { Actor } from '../actor.js'
import { HttpError } from '../errors.js'
import type { Access } from '../services/accounts/access.js'
import type { CascadeKind } from '../services/content/cascades.js'
import type { ServicesOfSpace } from './admin-space.js'
import type { Entry } from './entries.js'

interface Context {
  readonly services: Pick<ServicesOfSpace, 'space' | 'access'>
}

/** The further permissions for a deletion that includes dependent records. */
const also: Readonly<Record<CascadeKind, readonly Access[]>> = {
  routes: ['content:delete'],
  fields: ['content:delete'],
  datatypes: ['fields:delete', 'content:delete'],
}

/** Deletes a record with all dependent records, or alone if the user may delete nothing else. */
export const removing = ({ services: { space, access } }: Context, kind: CascadeKind) =>
  async function remove(actor: Actor, id: string): Promise<void> {
    const may = await Promise.all(also[kind].map(word => access.can(actor, word)))
    await (may.every(Boolean) ? space.cascades.remove(actor, kind, id) : space[kind].remove(actor, id))
  }

/** Counting requires no permission. */
interface Space {
  readonly services: Pick<ServicesOfSpace, 'space'>
}

/** Counts the records that a deletion includes, or returns the refusal if they are too many for one transaction. */
const countOf = ({ services: { space } }: Space, kind: CascadeKind | 'content', id: string) =>
  space.cascades.count(kind, id).catch(error => {
    if (error instanceof HttpError && error.status === 400) return `${error.message}.`
    throw error
  })

export const counted = (count: number, many: string): string =>
  `${count} ${count === 1 ? many.replace(/ies$/, 'y').replace(/s$/, '') : many}`

/** Says in words which other records a deletion includes. */
export async function removalOf(
  context: Context,
  viewer: { can(access: Access): boolean },
  kind: CascadeKind,
  id: string,
): Promise<string> {
  if (!also[kind].every(word => viewer.can(word))) return 'It is deleted only if nothing hangs on it.'
  const counts = await countOf(context, kind, id)
  if (typeof counts === 'string') return counts
  const words = Object.entries(counts)
    .filter(([name, count]) => count > 0 && name !== kind)
    .map(([name, count]) => counted(count, name))
  return words.length === 0
    ? 'Nothing hangs on it.'
    : `With it go ${words.join(', ')}. This cannot be undone.`
}

/** Returns the ids of the entries above an entry. */
async function idsAbove(entry: Entry, { content }: Context['services']['space']): Promise<string[]> {
  const ids: string[] = []
  for (let at = entry.parent_id; at !== null; at = (await content.get(at)).parent_id) ids.push(at)
  return ids
}

/**
 * Says in words which entries and versions a deletion includes, and whether it can be undone. The versions of the
 * entries go with them, so only a version of an entry above them still contains them.
 * @param entries no one of them is under another
 * @throws 404 if one is gone
 */
export async function entryRemovalOf(context: Space, entries: readonly Entry[]): Promise<string> {
  const { space } = context.services
  let [below, versions] = [0, 0]
  const kept: boolean[] = []
  for (const entry of entries) {
    const counts = await countOf(context, 'content', entry.content_data_id)
    if (typeof counts === 'string') return counts
    below += counts.entries - 1
    versions += counts.versions
    const above = await idsAbove(entry, space)
    kept.push(above.length > 0 && (await space.versions.count({ content_data_id: above })) > 0)
  }
  const isOne = entries.length === 1
  const going = [
    isOne ? 'the entry' : counted(entries.length, 'entries'),
    ...(below > 0 ? [`${counted(below, 'entries')} under ${isOne ? 'it' : 'them'}`] : []),
    ...(versions > 0 ? [counted(versions, 'versions')] : []),
  ]
  const last = going.pop()
  const list = going.length > 0 ? `${going.join(', ')} and ${last}` : last
  const undo = kept.every(Boolean)
    ? `Only a version of an entry above that contains ${isOne ? 'it' : 'them'} can restore ${isOne ? 'it' : 'them'}.`
    : 'This cannot be undone.'
  return `This deletes ${list}. ${undo}${await addressesLeft(entries, space)}`
}

/** Says what happens to the addresses of the pages among these entries. */
async function addressesLeft(
  entries: readonly Entry[],
  { routes }: Context['services']['space'],
): Promise<string> {
  const ids = entries.flatMap(({ route_id }) => route_id ?? [])
  const [first] = ids
  if (first === undefined) return ''
  if (ids.length > 1) return ` Their ${ids.length} addresses stay and show no page.`
  return ` The address ${(await routes.get(first)).slug} stays and shows no page.`
}
