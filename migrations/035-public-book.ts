import {
  addColumn,
  createIndex,
  createTable,
  dropTable,
  type Migration,
  type Step,
  type StepSession,
} from '../src/db/schema.js'

const entryColumns = {
  content_data_id: 'id key',
  numeric_id: 'bigint',
  datatype_id: 'id',
  route_id: 'id?',
  parent_id: 'id?',
  root_id: 'id',
  sort_order: 'integer',
  status: 'text(32)',
  author_id: 'id',
  published_at: 'time?',
  published_by: 'id?',
  publish_at: 'time?',
  unpublish_at: 'time?',
  revision: 'integer',
  date_created: 'time',
  date_modified: 'time',
}
const valueColumns = {
  root_id: 'id',
  content_data_id: 'id key',
  field_id: 'id key',
  locale: 'text(64) key',
  position: 'integer key',
  field_value: 'longtext',
  text_key: 'text(191)',
  number_key: 'double?',
  content_field_id: 'id?',
  author_id: 'id?',
  date_created: 'time?',
  date_modified: 'time?',
}

const referenceColumns = {
  target_id: 'id key',
  content_field_id: 'id key',
  content_data_id: 'id',
  field_id: 'id',
}

const made = (prefix: string): Step[] => [
  addColumn(`${prefix}content_trees`, 'pending_since', 'time?'),
  addColumn(`${prefix}content_trees`, 'public_version', 'integer', '0'),
  addColumn(`${prefix}content_trees`, 'public_modified', 'time?'),
  createIndex(`${prefix}content_trees`, ['pending_since']),
  createTable(`${prefix}public_entries`, entryColumns, {
    index: [
      ['datatype_id', 'content_data_id'],
      ['datatype_id', 'published_at', 'content_data_id'],
      ['root_id'],
      ['parent_id', 'sort_order'],
      ['route_id'],
    ],
  }),
  createTable(`${prefix}public_values`, valueColumns, {
    index: [
      ['field_id', 'locale', 'text_key', 'content_data_id', 'position'],
      ['field_id', 'locale', 'number_key', 'content_data_id'],
      ['content_field_id', 'locale'],
      ['root_id'],
    ],
  }),
  createTable(`${prefix}public_references`, referenceColumns, { index: [['content_data_id']], byKey: true }),
  dropTable(`${prefix}content_references`),
  createTable(`${prefix}content_references`, referenceColumns, {
    index: [['content_field_id'], ['content_data_id']],
    byKey: true,
  }),
]

type RawRow = Readonly<Record<string, unknown>>

interface Kept {
  readonly entry: RawRow
  readonly fields: readonly RawRow[]
}

/** The entries of a tree that are published, with all entries above them published too. */
function visible(kept: readonly Kept[], hidden: ReadonlySet<unknown>): Kept[] {
  const below = new Map<unknown, Kept[]>()
  for (const one of kept)
    if (one.entry.status === 'published' && !hidden.has(one.entry.datatype_id))
      below.set(one.entry.parent_id, [...(below.get(one.entry.parent_id) ?? []), one])
  const seen = [...(below.get(null) ?? [])]
  for (const { entry } of seen) seen.push(...(below.get(entry.content_data_id) ?? []))
  return seen
}

const insert = (session: StepSession, table: string, columns: object, row: RawRow) => {
  const names = Object.keys(columns)
  const values = names.map(name => (row[name] ?? null) as string | number | null)
  return session.run(`insert into ${table} (${names}) values (${names.map(() => '?')})`, values)
}

/** Writes the public state of trees with unpublished changes. The next start writes the data derived from it. */
async function fromSnapshots(prefix: string, session: StepSession): Promise<void> {
  const [entries, values] = [`${prefix}public_entries`, `${prefix}public_values`]
  for (const table of [entries, values]) await session.run(`delete from ${table}`, [])
  const types = await session.all(
    `select datatype_id from ${prefix}datatypes where visibility = 'private'`,
    [],
  )
  const hidden = new Set(types.map(({ datatype_id }) => datatype_id))
  for (const { root_id } of await session.all(`select root_id from ${prefix}pending_trees`, [])) {
    const root = String(root_id)
    const [top] = await session.all(`select route_id from ${prefix}content_data where content_data_id = ?`, [
      root,
    ])
    const rows = await session.all(`select snapshot from ${prefix}published_snapshots where root_id = ?`, [
      root,
    ])
    const kept = rows.map(({ snapshot }) => JSON.parse(String(snapshot)) as Kept)
    for (const { entry, fields } of visible(kept, hidden)) {
      const id = String(entry.content_data_id)
      const [now] = await session.all(`select root_id from ${prefix}content_data where content_data_id = ?`, [
        id,
      ])
      const [other] = await session.all(`select root_id from ${entries} where content_data_id = ?`, [id])
      // If two trees show the entry, the one that it is in now counts.
      if (other && now?.root_id !== root) continue
      for (const table of [entries, values])
        await session.run(`delete from ${table} where content_data_id = ?`, [id])
      const isRoot = entry.parent_id === null
      const place = { root_id: root, route_id: isRoot ? (top?.route_id ?? null) : null }
      const published_at = entry.published_at ?? entry.date_created
      await insert(session, entries, entryColumns, { ...entry, ...place, published_at })
      for (const value of fields)
        await insert(session, values, valueColumns, { ...value, root_id: root, position: 0, text_key: '' })
    }
  }
}

const moved = (prefix: string): Step[] => [
  {
    name: `${prefix}public_entries-rows`,
    statements: () => [],
    rows: session => fromSnapshots(prefix, session),
  },
  {
    name: `${prefix}content_trees-public`,
    statements: () => {
      const of = (column: string, table: string) =>
        `(select ${column} from ${prefix}${table} x where x.root_id = ${prefix}content_trees.root_id)`
      return [
        `update ${prefix}content_trees set public_version = version,
          pending_since = ${of('since', 'pending_trees')},
          public_modified = ${of('modified', 'public_index_trees')}`,
      ]
    },
  },
  ...[
    'public_index_entries',
    'public_index_values',
    'public_index_trees',
    'pending_trees',
    'published_snapshots',
  ].map(table => dropTable(prefix + table)),
]

/**
 * One public book replaces an index of the public content and the snapshots of trees with unpublished changes. The
 * public content of those trees moves here; the next start writes everything else from the content.
 */
export const publicBook: Migration = {
  name: '035-public-book',
  steps: [
    ...['', 'admin_'].flatMap(prefix => [...made(prefix), ...moved(prefix)]),
    {
      name: 'public-version',
      statements: () => [
        "delete from counters where name = 'public_version'",
        "insert into counters (name, value) select 'public_version', value from counters where name = 'content_version'",
      ],
    },
  ],
}
