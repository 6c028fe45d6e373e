import type { SiteRecords } from './site.js'
import type { UnreadRecord } from './unread.js'
import { withChildren } from './values.js'

/** So many records are named in a preview; the report of an import names more. */
const mostUnread = 100

/** A preview of an import: the numbers of records that it would make in an empty site. */
export interface ImportPreview {
  readonly locales: readonly string[]
  readonly datatypes: readonly {
    readonly name: string
    readonly fields: number
    readonly entries: number
    /** Of the entries: a child is published with the page that it is on. */
    readonly published: number
  }[]
  readonly files: number
  /** Records that cannot be read, the first of them. */
  readonly unread: readonly UnreadRecord[]
  /** Parts of the export that cannot be imported. Values that fields refuse are known when entries are stored. */
  readonly notes: readonly string[]
}

export function previewOf({ locales, types, entries, files, notes, unread }: SiteRecords): ImportPreview {
  const counts = new Map(types.map(({ name }) => [name, { entries: 0, published: 0 }]))
  for (const root of entries)
    for (const { type } of withChildren(root)) {
      const count = counts.get(type)
      if (!count) continue
      count.entries++
      if (root.isPublished) count.published++
    }
  return {
    locales: locales.map(({ code }) => code),
    datatypes: types.map(({ name, fields }) => ({
      ...{ name, fields: fields.length },
      ...(counts.get(name) ?? { entries: 0, published: 0 }),
    })),
    files: files.length,
    unread: (unread?.named ?? [])
      .slice(0, mostUnread)
      .map(one => ({ ...one, reason: one.reason.slice(0, 500) })),
    notes,
  }
}
