import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { entriesOfDatatypes } from '../../db/queries/find-entries.js'
import { mediaReferences, publicMediaReferences } from '../../db/queries/media.js'
import { tables } from '../../db/tables.js'
import type { RecordChange } from '../../db/touched.js'
import type { Writer } from '../../db/writer.js'
import type { AnnouncedResource } from '../../events.js'
import { limits } from '../../limits.js'
import { boundedKeys, type PageKeys, pagesOfTrees, showing } from './affected-pages.js'
import { slugsOf } from './route-translations.js'
import { kindKey, sortedKeys, surrogateKeys } from './surrogate-keys.js'

/** Events of records that are no content: what changes of them are announced as, whatever has made them. */

/** Most pages that an event names. If a change affects more, the event says that any page may have changed. */
const maxPages = limits.webhooks.pagesInEvent
const maxEntries = 1000

interface Affected {
  readonly datatypes: string[]
  /** Addresses whose responses may have changed, sorted; empty where `all_pages` says that any may. */
  readonly slugs: string[]
  readonly all_pages: boolean
  /** Those of cached responses that may be different now, sorted. */
  readonly surrogate_keys: string[]
}

type Known = Map<string, Affected>
type Route = RowOf<typeof tables.routes>
type Change<T extends keyof typeof tables> = RecordChange<RowOf<(typeof tables)[T]>>

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort()
const { pages: everyPageKey, lists, content, redirects } = surrogateKeys
const everyPage: Affected = {
  datatypes: [],
  slugs: [],
  all_pages: true,
  surrogate_keys: sortedKeys([everyPageKey, lists, content, redirects]),
}
const noPage: PageKeys = { slugs: [], keys: [] }

/** @param more cache keys of the change, beside those of the pages and of the lists of datatypes */
function affected(
  datatypes: readonly string[],
  { slugs, keys }: PageKeys,
  more: readonly string[] = [],
): Affected {
  const all = sorted(slugs)
  const all_pages = all.length > maxPages
  const found = [...datatypes.map(kindKey), ...(all_pages ? [everyPageKey] : boundedKeys(keys)), ...more]
  return {
    datatypes: sorted(datatypes),
    slugs: all_pages ? [] : all,
    all_pages,
    surrogate_keys: found.length === 0 ? [] : sortedKeys([...found, content]),
  }
}

const namesOf = async (tx: Writer, ids: readonly string[]): Promise<string[]> =>
  (await tx.findIn(tables.datatypes, 'datatype_id', sorted(ids))).map(({ name }) => name)

const bothOf = <R>({ before, after }: RecordChange<R>): R[] =>
  [before, after].filter(row => row !== undefined)

/** The pages of trees, and of those that show one of the entries. */
async function pagesShowing(tx: Writer, roots: Iterable<string>, ids: readonly string[]): Promise<PageKeys> {
  return pagesOfTrees(tx, tables, [...roots, ...(await showing(tx, tables, ids))])
}

async function ofMedia(tx: Writer, { key, before, after, columns }: Change<'media'>): Promise<Affected> {
  // Nothing can name it yet; and where it is kept, pages do not show but in the raw format.
  if (!before || (after && columns.every(column => column === 'folder_id'))) return affected([], noPage)
  const named = { media: key }
  const found = [
    ...(await tx.query(mediaReferences(tables), named)),
    ...(await tx.query(publicMediaReferences(tables), named)),
  ]
  const ids = sorted(found.map(({ content_data_id }) => content_data_id))
  const entries = await tx.findIn(tables.contentData, 'content_data_id', ids)
  const datatypes = await namesOf(
    tx,
    entries.map(({ datatype_id }) => datatype_id),
  )
  if (ids.length > maxEntries) return { ...everyPage, datatypes }
  const roots = found.map(({ root_id }) => root_id)
  return affected(datatypes, await pagesShowing(tx, roots, ids))
}

/** Returns the pages that show entries of datatypes. @param names that they had */
async function ofDatatypes(
  tx: Writer,
  known: Known,
  ids: readonly string[],
  names: readonly string[],
): Promise<Affected> {
  const key = sorted(ids).join()
  // Fields that go together are of the same datatypes.
  const found = known.get(key) ?? (await entriesShown(tx, ids))
  known.set(key, found)
  const all = sorted([...names, ...found.datatypes])
  const keys = [...found.surrogate_keys, ...all.map(kindKey), lists, content]
  return { ...found, datatypes: all, surrogate_keys: sortedKeys(keys) }
}

async function entriesShown(tx: Writer, ids: readonly string[]): Promise<Affected> {
  const datatypes = await namesOf(tx, ids)
  const entries = await tx.query(entriesOfDatatypes(tables, new Set(ids).size, maxEntries + 1), idsBy(ids))
  if (entries.length > maxEntries) return { ...everyPage, datatypes: sorted(datatypes) }
  const roots = [...tx.changedTrees, ...entries.map(({ root_id }) => root_id)]
  return affected(
    datatypes,
    await pagesShowing(
      tx,
      roots,
      entries.map(({ id }) => id),
    ),
  )
}

const idsBy = (ids: readonly string[]): Record<string, string> =>
  Object.fromEntries([...new Set(ids)].map((id, n) => [`v${n}`, id]))

async function ofRoute(tx: Writer, change: Change<'routes'>): Promise<Affected & { slug: string }> {
  const rows = bothOf<Route>(change)
  const root = await tx.find(tables.contentData, { route_id: change.key })
  const own = rows.flatMap(slugsOf)
  const linking =
    root?.status === 'published' ? await pagesShowing(tx, [root.root_id], [root.content_data_id]) : noPage
  const datatypes = root ? await namesOf(tx, [root.datatype_id]) : []
  const pages = { slugs: [...own, ...linking.slugs], keys: [change.key, ...linking.keys] }
  return { slug: rows.at(-1)?.slug ?? '', ...affected(datatypes, pages, [lists, redirects]) }
}

type Verb = 'created' | 'updated' | 'deleted'
const verbOf = ({ before, after }: RecordChange<unknown>): Verb => {
  if (!before) return 'created'
  return after ? 'updated' : 'deleted'
}

type Told = Record<string, unknown>

const tellers: Record<
  string,
  [AnnouncedResource, (tx: Writer, change: RecordChange<never>, known: Known) => Promise<Told>]
> = {
  [tables.media.name]: [
    'media',
    async (tx, change: Change<'media'>) => ({ media_id: change.key, ...(await ofMedia(tx, change)) }),
  ],
  [tables.datatypes.name]: [
    'datatype',
    async (tx, change: Change<'datatypes'>, known) => {
      const rows = bothOf(change)
      const names = rows.map(({ name }) => name)
      return {
        datatype_id: change.key,
        name: names.at(-1),
        ...(await ofDatatypes(tx, known, [change.key], names)),
      }
    },
  ],
  [tables.fields.name]: [
    'field',
    async (tx, change: Change<'fields'>, known) => {
      const rows = bothOf(change)
      const owners = rows.map(({ parent_id }) => parent_id)
      return { field_id: change.key, name: rows.at(-1)?.name, ...(await ofDatatypes(tx, known, owners, [])) }
    },
  ],
  [tables.routes.name]: [
    'route',
    async (tx, change: Change<'routes'>) => ({ route_id: change.key, ...(await ofRoute(tx, change)) }),
  ],
  [tables.locales.name]: [
    'locale',
    async (_, change: Change<'locales'>) => ({
      locale_id: change.key,
      code: bothOf(change).at(-1)?.code,
      ...everyPage,
    }),
  ],
  [tables.redirects.name]: [
    'redirect',
    async (_, change: Change<'redirects'>) => {
      const rows = bothOf(change)
      const last = rows.at(-1)
      const { slug, target, route_id } = last ?? { slug: '', target: null, route_id: null }
      return {
        redirect_id: change.key,
        slug,
        target,
        route_id,
        ...affected([], { slugs: rows.map(row => row.slug), keys: [change.key] }),
      }
    },
  ],
}

/** Announces changes of media, of the model, of routes, locales and redirects at the end of each transaction. */
export function recordEvents(db: Database): void {
  db.beforeCommit(async tx => {
    const known: Known = new Map()
    for (const change of tx.touched.announced()) {
      const [resource, tell] = tellers[change.table.name] ?? []
      // Another author is shown nowhere, and a deleted account may give all of its records to one.
      if (!resource || !tell || change.columns.every(column => column === 'author_id')) continue
      const verb = verbOf(change)
      const data = async () => {
        const told = await tell(tx, change as RecordChange<never>, known)
        return { ...told, [`${verb}_by`]: tx.userId }
      }
      // The name of the event is put together, so no type checks its data; a test compares it with the descriptions.
      await tx.emit(`${resource}.${verb}`, data as () => Promise<never>)
    }
  })
}
