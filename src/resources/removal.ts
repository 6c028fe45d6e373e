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

/**
 * Deletes an entry with everything under it; a page with its address, if the user may delete addresses.
 * @param refuse may refuse it by all entries that go, the entry first
 */
export async function removeEntry(
  { services: { space, access } }: Context,
  actor: Actor,
  id: string,
  refuse?: (entries: readonly Entry[]) => void,
): Promise<void> {
  const { route_id } = await space.content.get(id)
  if (route_id !== null && (await access.can(actor, 'routes:delete')))
    await space.cascades.remove(actor, 'routes', route_id, undefined, refuse)
  else await space.content.remove(actor, id, refuse && ((before, under) => refuse([before, ...under])), true)
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
  if (!also[kind].every(word => viewer.can(word))) return 'It is deleted only if nothing depends on it.'
  const counts = await countOf(context, kind, id)
  if (typeof counts === 'string') return counts
  const words = Object.entries(counts)
    .filter(([name, count]) => count > 0 && name !== kind)
    .map(([name, count]) => counted(count, name))
  return words.length === 0
    ? 'Nothing else is deleted.'
    : `This also deletes ${words.join(', ')}. ${kind === 'routes' ? undoOf(context) : 'This cannot be undone.'}`
}

const dayMs = 86_400_000
const spanOf = (ms: number): string =>
  ms < dayMs ? counted(Math.ceil(ms / 3_600_000), 'hours') : counted(Math.round(ms / dayMs), 'days')

/** Says whether and for how long a deletion of content can be undone. */
function undoOf({ services: { space } }: Space, it = 'it'): string {
  const ms = space.trash.retentionMs()
  return ms > 0 ? `You can restore ${it} from the trash for ${spanOf(ms)}.` : 'This cannot be undone.'
}

/**
 * Says in words which entries, versions and addresses a deletion includes, and whether it can be undone.
 * @param entries no one of them is under another
 * @throws 404 if one is gone
 */
export async function entryRemovalOf(
  context: Space,
  entries: readonly Entry[],
  viewer: { can(access: Access): boolean },
): Promise<string> {
  const { space } = context.services
  let [below, versions] = [0, 0]
  for (const entry of entries) {
    const counts = await countOf(context, 'content', entry.content_data_id)
    if (typeof counts === 'string') return counts
    below += counts.entries - 1
    versions += counts.versions
  }
  const isOne = entries.length === 1
  const going = [
    isOne ? 'the entry' : counted(entries.length, 'entries'),
    ...(below > 0 ? [`${counted(below, 'entries')} under ${isOne ? 'it' : 'them'}`] : []),
    ...(versions > 0 ? [counted(versions, 'versions')] : []),
  ]
  const last = going.pop()
  const list = going.length > 0 ? `${going.join(', ')} and ${last}` : last
  const undo = undoOf(context, isOne ? 'it' : 'them')
  const addresses = await addressesOf(entries, space, viewer.can('routes:delete'))
  return `This deletes ${list}${addresses.gone}. ${undo}${addresses.left}`
}

/** Says which addresses of pages among these entries go with them, or stay. */
async function addressesOf(
  entries: readonly Entry[],
  { routes }: Context['services']['space'],
  mayDelete: boolean,
): Promise<{ gone: string; left: string }> {
  const ids = entries.flatMap(({ route_id }) => route_id ?? [])
  const [first] = ids
  if (first === undefined) return { gone: '', left: '' }
  const are = ids.length > 1 ? `${ids.length} addresses` : `the address ${(await routes.get(first)).slug}`
  if (mayDelete) return { gone: `, with ${are}`, left: '' }
  const stay = ids.length > 1 ? 'stay and show no page' : 'stays and shows no page'
  return { gone: '', left: ` ${are.replace(/^t/, 'T')} ${stay}.` }
}
