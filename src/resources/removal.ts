import type { Actor } from '../actor.js'
import { HttpError } from '../errors.js'
import type { Access } from '../services/accounts/access.js'
import type { CascadeKind } from '../services/content/cascades.js'
import type { Wording } from '../texts/wording.js'
import type { ServicesOfSpace } from './admin-space.js'
import type { Entry } from './entries.js'

interface Context {
  readonly services: Pick<ServicesOfSpace, 'space' | 'access'>
}

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
const countOf = (
  { services: { space } }: Space,
  kind: CascadeKind | 'content',
  id: string,
  { refusal }: Wording,
) =>
  space.cascades.count(kind, id).catch(error => {
    if (error instanceof HttpError && error.status === 400) return `${refusal(error.message)}.`
    throw error
  })

export const counted = (count: number, many: string): string =>
  `${count} ${count === 1 ? many.replace(/ies$/, 'y').replace(/s$/, '') : many}`

/** The user who is asked, with the texts of the user's language. */
interface Viewer extends Wording {
  can(access: Access): boolean
}

/** Each kind of record that a deletion includes, for one and for several. */
const kinds = {
  routes: ['{n} route', '{n} routes'],
  datatypes: ['{n} datatype', '{n} datatypes'],
  fields: ['{n} field', '{n} fields'],
  entries: ['{n} entry', '{n} entries'],
  values: ['{n} value', '{n} values'],
  versions: ['{n} version', '{n} versions'],
} as const

/** Says in words which other records a deletion includes. */
export async function removalOf(
  context: Context,
  viewer: Viewer,
  kind: CascadeKind,
  id: string,
): Promise<string> {
  const { t } = viewer
  if (!also[kind].every(word => viewer.can(word)))
    return t('You can delete it only if nothing depends on it.')
  const counts = await countOf(context, kind, id, viewer)
  if (typeof counts === 'string') return counts
  const words = Object.entries(kinds)
    .filter(([name]) => name !== kind && counts[name as keyof typeof kinds] > 0)
    .map(([name, [one, several]]) => viewer.count(counts[name as keyof typeof kinds], one, several))
  if (words.length === 0) return t('Nothing else is deleted.')
  const undo = kind === 'routes' ? undoOf(context, viewer) : t('This cannot be undone.')
  return `${t('This also deletes {list}.', { list: words.join(', ') })} ${undo}`
}

const dayMs = 86_400_000
const spanOf = (ms: number, { count }: Wording): string =>
  ms < dayMs
    ? count(Math.ceil(ms / 3_600_000), '{n} hour', '{n} hours')
    : count(Math.round(ms / dayMs), '{n} day', '{n} days')

/** Says whether and for how long a deletion of content can be undone. */
function undoOf({ services: { space } }: Space, wording: Wording, isOne = true): string {
  const ms = space.trash.retentionMs()
  const { t } = wording
  if (ms <= 0) return t('This cannot be undone.')
  const span = spanOf(ms, wording)
  return isOne
    ? t('You can restore it from the trash for {span}.', { span })
    : t('You can restore them from the trash for {span}.', { span })
}

/**
 * Says in words which entries, versions and addresses a deletion includes, and whether it can be undone.
 * @param entries no one of them is under another
 * @throws 404 if one is gone
 */
export async function entryRemovalOf(
  context: Space,
  entries: readonly Entry[],
  viewer: Viewer,
): Promise<string> {
  const { space } = context.services
  let [below, versions] = [0, 0]
  for (const entry of entries) {
    const counts = await countOf(context, 'content', entry.content_data_id, viewer)
    if (typeof counts === 'string') return counts
    below += counts.entries - 1
    versions += counts.versions
  }
  const isOne = entries.length === 1
  const { t, count } = viewer
  const going = [
    isOne ? t('the entry') : count(entries.length, '{n} entry', '{n} entries'),
    ...(below === 0 ? [] : [underWords(below, isOne, viewer)]),
    ...(versions > 0 ? [count(versions, '{n} version', '{n} versions')] : []),
  ]
  const undo = undoOf(context, viewer, isOne)
  const { gone, left } = await sentencesOf(listed(going, viewer), entries, space, viewer)
  return [gone, undo, left].filter(Boolean).join(' ')
}

const underWords = (n: number, isOne: boolean, { count }: Wording): string =>
  isOne
    ? count(n, '{n} entry under it', '{n} entries under it')
    : count(n, '{n} entry under them', '{n} entries under them')

/** Joins up to three parts of a sentence. */
function listed([first = '', second, third]: readonly string[], { t }: Wording): string {
  if (second === undefined) return first
  return third === undefined
    ? t('{first} and {second}', { first, second })
    : t('{first}, {second} and {third}', { first, second, third })
}

/** Says what is deleted, and which addresses of pages among these entries go with them, or stay. */
async function sentencesOf(
  list: string,
  entries: readonly Entry[],
  { routes }: Context['services']['space'],
  { t, can }: Viewer,
): Promise<{ gone: string; left: string }> {
  const ids = entries.flatMap(({ route_id }) => route_id ?? [])
  const [first] = ids
  const n = ids.length
  const alone = t('This deletes {list}.', { list })
  if (first === undefined) return { gone: alone, left: '' }
  const mayDelete = can('routes:delete')
  if (n > 1)
    return mayDelete
      ? { gone: t('This deletes {list}, with {n} addresses.', { list, n }), left: '' }
      : { gone: alone, left: t('{n} addresses remain, without a page.', { n }) }
  const { slug } = await routes.get(first)
  return mayDelete
    ? { gone: t('This deletes {list}, with the address {slug}.', { list, slug }), left: '' }
    : { gone: alone, left: t('The address {slug} remains, without a page.', { slug }) }
}
