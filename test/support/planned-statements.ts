import { dueEntries, pendingTrees } from '../../src/db/queries/content.js'
import type { SourceShape, TestShape } from '../../src/db/queries/entry-tests.js'
import { countEntries, listEntries, sourceIds, walkEntries } from '../../src/db/queries/find-entries.js'
import { referrers, treesWith } from '../../src/db/queries/links.js'
import { matchingTitles } from '../../src/db/queries/matching.js'
import { mediaReferences, publicMediaReferences } from '../../src/db/queries/media.js'
import { pageFound } from '../../src/db/queries/page.js'
import {
  publishedMediaReferences,
  publishedRouteCount,
  publishedRouteKeys,
  publishedValueCount,
  publishedValueKeys,
  publishedValues,
} from '../../src/db/queries/published.js'
import { publishedPagesAt, publishedRouteBehind } from '../../src/db/queries/published-pages.js'
import { redirectFound } from '../../src/db/queries/redirects.js'
import { searchCandidates, searchCount, textBeginnings, textSizes } from '../../src/db/queries/search.js'
import { childEntries, namingValues, recordedValues } from '../../src/db/queries/shown-entries.js'
import { firstPieces } from '../../src/db/queries/trash.js'
import { leanTrees, wholeTrees } from '../../src/db/queries/trees.js'
import { pendingHolder, publishedHolder } from '../../src/db/queries/unique-values.js'
import { deliveriesDueAfter, dueDeliveries, finishedDeliveries } from '../../src/db/queries/webhooks.js'
import {
  countTrees,
  hiddenTreesWithWords,
  listTrees,
  type TreeFilter,
} from '../../src/db/queries/work-list.js'
import type { Statement, Statements } from '../../src/db/statements.js'
import { tables } from '../../src/db/tables.js'

/** Returns the statements of requests whose plans are checked, by what they read. */
export function plannedStatements(statements: Statements) {
  const slice = { limit: 500, offset: 0, after: true }
  const [lean, whole] = [leanTrees(tables, 'public'), wholeTrees(tables, 'public')]
  const working = wholeTrees(tables, 'working')
  const asked: Record<string, Statement> = {
    'a public page by its slug': statements.ofQuery(pageFound(tables, 'public')),
    'a working page by its slug': statements.ofQuery(pageFound(tables, 'working')),
    'where an address leads': statements.ofQuery(redirectFound),
    'entries of a page': statements.ofQuery(lean.entries),
    'values of a page': statements.ofQuery(lean.values),
    'whole values of a page': statements.ofQuery(whole.values),
    'entries of a working tree': statements.ofQuery(working.entries),
    'values of a working tree': statements.ofQuery(working.values),
    'which trees have pending changes': statements.ofQuery(pendingTrees(tables, 50)),
    'what is to be published': statements.ofQuery(dueEntries(tables, 'publish_at')),
    'what is to be taken back': statements.ofQuery(dueEntries(tables, 'unpublish_at')),
    'what is to be delivered': statements.ofQuery(dueDeliveries(0, 10)),
    'what to send again': statements.ofQuery(finishedDeliveries('all')),
    'what waits for too long': statements.ofQuery(deliveriesDueAfter),
    'who has a unique value': statements.ofQuery(publishedHolder(tables)),
    'who refers to an entry': statements.ofList(referrers(tables), 2),
    'which public trees have an entry': statements.ofList(treesWith(tables), 2),
    'which public entries refer to a media item': statements.ofQuery(publicMediaReferences(tables)),
    'who has a unique value in what is public': statements.ofQuery(pendingHolder(tables)),
    'who refers to a media item': statements.ofQuery(mediaReferences(tables)),
    'the first pieces of what is in the trash': statements.ofList(firstPieces(tables, 'entries'), 2),
    'what the public sees of values': statements.ofList(publishedValues(tables, true), 2),
    'what the public sees of references': statements.ofQuery(publishedMediaReferences(tables, true)),
    ...Object.fromEntries(
      ([[], ['content_data_id'], ['field_id', 'locale'], ['route_id']] as const).flatMap(filters => [
        [
          `values of the public by ${filters}`,
          statements.ofQuery(publishedValueKeys(tables, filters, true, slice)),
        ],
        [`how many they are by ${filters}`, statements.ofQuery(publishedValueCount(tables, filters, true))],
      ]),
    ),
    'a route of the public by its slug': statements.ofQuery(publishedRouteKeys(tables, ['slug'], slice)),
    'routes of the public': statements.ofQuery(publishedRouteKeys(tables, [], slice)),
    'whether there is one': statements.ofQuery(publishedRouteCount(tables, ['slug'])),
  }

  const searched: Record<string, Statement> = {
    'what is searched': statements.ofQuery(searchCandidates(tables, 1000)),
    'how much of it there is': statements.ofQuery(searchCount(tables, 10_000)),
  }
  const hidden: Record<string, Statement> = {
    'trees by words that the public does not see': statements.ofQuery(hiddenTreesWithWords(tables, 2, 50)),
    'entries by a title that the public does not see': statements.ofQuery(
      matchingTitles(tables, { fields: 1, words: 1, limit: 20, isAscii: true }),
    ),
  }
  asked['sizes of what was found'] = statements.ofList(textSizes(tables), 2)
  asked['texts of what was found'] = statements.ofList(textBeginnings(tables, 20_000), 2)

  const price: Extract<TestShape, { at: 'field' }> = {
    at: 'field',
    key: 'number',
    op: 'gte',
    count: 1,
    long: false,
    locales: 1,
  }
  const ofAuthor: TestShape = {
    at: 'relation',
    locales: 1,
    test: { ...price, key: 'text', op: 'eq' },
  }
  const list = { ids: 0, sorts: [], after: false, limit: 26, offset: false } as const
  const order = (column: 'id' | 'published_at', descending: boolean) =>
    ({ at: 'column', column, descending }) as const
  const source = (shape: SourceShape) => statements.ofQuery(sourceIds(tables, shape, 401))
  const text = { ...price, key: 'text', op: 'contains' } as const
  const slugs = { at: 'route', column: 'slug', op: 'in', count: 2 } as const
  const queried: Record<string, Statement> = {
    'by a field': source(price),
    'by a field, in several locales': source({ ...price, locales: 3 }),
    'between two numbers': source({ at: 'range', locales: 1, ops: ['gte', 'lt'] }),
    'by a text in a field': source(text),
    'by their slugs': source(slugs),
    'by the beginning of their slugs': source({ at: 'slugs' }),
    'by when they were published': source({
      at: 'published',
      tests: [
        { op: 'gte', count: 1 },
        { op: 'lt', count: 1 },
      ],
    }),
    'by their ids': source({ at: 'ids', count: 2 }),
    'by one of several conditions': source({ at: 'any', sources: [price, slugs] }),
    'that are few, by a relation': statements.ofQuery(
      listEntries(tables, { ...list, ids: 4, sorts: [], tests: [ofAuthor] }),
    ),
    'that are few, as they are counted': statements.ofQuery(
      countEntries(tables, { tests: [ofAuthor], ids: 4 }),
    ),
    'that are counted without a condition': statements.ofQuery(countEntries(tables, { tests: [], ids: 0 })),
    'with what they are called by': statements.ofList(namingValues(tables), 2),
    'with their records': statements.ofList(recordedValues(tables), 2),
    'right under others': statements.ofList(childEntries(tables, 5001), 2),
  }

  const walk = { tests: [ofAuthor], key: 'number', limit: 26 } as const
  const ordered: Record<string, Statement> = {
    ...Object.fromEntries(
      [true, false].flatMap(descending =>
        [true, false].map(after => [
          `one field, ${descending ? 'down' : 'up'}${after ? ', from a cursor on' : ''}`,
          statements.ofQuery(
            walkEntries(tables, {
              ...walk,
              bounds: after ? ['gte', 'lt'] : [],
              tests: [ofAuthor],
              descending,
              after,
            }),
          ),
        ]),
      ),
    ),
    ...Object.fromEntries(
      [true, false].flatMap(descending =>
        (['id', 'published_at'] as const).map(column => [
          `${column}, ${descending ? 'down' : 'up'}`,
          statements.ofQuery(
            listEntries(tables, { ...list, tests: [ofAuthor], sorts: [order(column, descending)] }),
          ),
        ]),
      ),
    ),
    'published pages': statements.ofQuery(publishedPagesAt(tables, true, 500)),
    'ends of sitemaps': statements.ofQuery(publishedRouteBehind(tables, 49_999)),
  }

  const every: TreeFilter = { hasDatatype: false, hasAuthor: false, ids: 0, state: '', place: '' }
  const filters: Record<string, TreeFilter> = {
    state: { ...every, state: 'draft' },
    schedules: { ...every, state: 'scheduled' },
    datatype: { ...every, hasDatatype: true },
    author: { ...every, hasAuthor: true },
    'where they are': { ...every, place: 'shared' },
  }
  const latest = { by: 'changed', descending: true, titles: 0 } as const
  const changed = {
    'of all trees': statements.ofQuery(listTrees(tables, every, { ...latest, few: false })),
    ...Object.fromEntries(
      Object.entries(filters).map(([name, filter]) => [
        `of trees by ${name}`,
        statements.ofQuery(listTrees(tables, filter, { ...latest, few: false })),
      ]),
    ),
  }
  const titled = statements.ofQuery(
    listTrees(tables, every, { by: 'title', descending: false, titles: 1, few: false, firstTitles: true }),
  )
  const unrouted: Record<string, Statement> = {
    'entries of public trees on no route': statements.ofQuery(lean.entriesWithoutRoute),
    'values of public trees on no route': statements.ofQuery(lean.valuesWithoutRoute),
    'entries of working trees on no route': statements.ofQuery(working.entriesWithoutRoute),
    'values of working trees on no route': statements.ofQuery(working.valuesWithoutRoute),
  }
  const rooted = Object.fromEntries(
    Object.entries(filters).flatMap(([name, filter]) => [
      [`how many trees there are by ${name}`, statements.ofQuery(countTrees(tables, filter))],
      [`few trees by ${name}`, statements.ofQuery(listTrees(tables, filter, { ...latest, few: true }))],
    ]),
  )

  return { asked, queried, searched, hidden, ordered, changed, rooted, titled, unrouted }
}
