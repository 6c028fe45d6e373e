import { indexedPart, pendingHolder, publishedHolder } from '../../db/queries/unique-values.js'
import type { Reader } from '../../db/reader.js'
import type { EntryRow, FieldRow } from '../../db/tables.js'
import { type ContentSpace, internalTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { allInvalid } from '../../errors.js'
import { Turns } from '../../turns.js'
import {
  type CheckedValue,
  entryErrors,
  type Facts,
  type FieldError,
  hasRules,
  type RuledField,
} from './check-values.js'
import type { HeldEntry } from './edit-trees.js'
import { rulesOf } from './field-data.js'
import { anyIds } from './field-values.js'
import { textKey } from './indexed-value.js'
import { hasPendingChanges } from './public-state.js'

/** Reads what the rules of values are checked with, and refuses to make public what breaks them. */

type EntryToCheck = Pick<EntryRow, 'content_data_id' | 'datatype_id'>

export const ruled = (field: FieldRow): RuledField & FieldRow => ({ ...field, rules: rulesOf(field) })

function grouped<T>(list: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) {
    const group = groups.get(keyOf(one))
    if (group) group.push(one)
    else groups.set(keyOf(one), [one])
  }
  return groups
}

interface What {
  only?: ReadonlySet<string> | undefined
  /** Called before other entries are asked for their values: nobody may publish the same ones meanwhile. */
  hold?: () => Promise<unknown>
}

/** Everything that keeps entries from being public, in their order and in that of their fields. */
export async function errorsOf(
  read: Reader,
  space: ContentSpace,
  entries: readonly EntryToCheck[],
  { only, hold }: What = {},
): Promise<FieldError[]> {
  const kinds = [...new Set(entries.map(({ datatype_id }) => datatype_id))]
  const fields = (await read.findIn(space.fields, 'parent_id', kinds))
    .filter(({ field_id }) => only?.has(field_id) ?? true)
    .map(ruled)
    .filter(hasRules)
    .sort((a, b) => a.sort_order - b.sort_order)
  if (fields.length === 0) return []
  const byDatatype = grouped(fields, ({ parent_id }) => parent_id)
  const checked = entries.filter(({ datatype_id }) => byDatatype.has(datatype_id))
  const ids = checked.map(({ content_data_id }) => content_data_id)
  const values = await read.findIn(space.contentFields, 'content_data_id', ids)
  if (fields.some(({ rules }) => rules.unique)) await hold?.()
  const facts = await factsOf(read, space, fields, values)
  const byEntry = grouped(values, ({ content_data_id }) => content_data_id)
  const turns = new Turns()
  const errors: FieldError[] = []
  for (const { content_data_id, datatype_id } of checked) {
    const own = { content_data_id, values: byEntry.get(content_data_id) ?? [] }
    errors.push(...(await turns.run(entryErrors(own, byDatatype.get(datatype_id) ?? [], facts))))
    await turns.next()
  }
  return errors
}

/** Reads the facts about other records that the check of the values needs. */
export async function factsOf(
  read: Reader,
  space: ContentSpace,
  fields: readonly RuledField[],
  values: readonly CheckedValue[],
): Promise<Facts> {
  const idsOf = (...names: ('kinds' | 'altRequired' | 'target' | 'unique')[]) => {
    const those = new Set(
      fields.filter(({ rules }) => names.some(name => rules[name])).map(({ field_id }) => field_id),
    )
    return values.filter(({ field_id, field_value }) => those.has(field_id) && field_value !== '')
  }
  const named = (...names: ('kinds' | 'altRequired' | 'target')[]) => [
    ...new Set(idsOf(...names).flatMap(({ field_value }) => anyIds(field_value))),
  ]
  const found = await read.findIn(space.media, 'media_id', named('kinds', 'altRequired'))
  const media = new Map(
    found.map(({ media_id, mimetype, display_name, name, alt_text }) => [
      media_id,
      { mimetype, name: display_name || name, hasAlt: alt_text.trim() !== '' },
    ]),
  )
  const datatypes = await datatypeNames(read, space, named('target'))
  const holders = await holdersOf(read, space, idsOf('unique'))
  const isAsked = fields.some(({ required }) => required)
  const standard = isAsked ? await read.find(tables.locales, { is_default: true }) : undefined
  return {
    defaultLocale: standard?.code,
    media: id => media.get(id),
    datatypeName: id => datatypes.get(id),
    holderOf: value => holders.get(value),
  }
}

async function datatypeNames(read: Reader, space: ContentSpace, ids: readonly string[]) {
  const entries = await read.findIn(space.contentData, 'content_data_id', ids)
  const kinds = [...new Set(entries.map(({ datatype_id }) => datatype_id))]
  const datatypes = await read.findIn(space.datatypes, 'datatype_id', kinds)
  const names = new Map(datatypes.map(({ datatype_id, name }) => [datatype_id, name]))
  return new Map(
    entries.map(({ content_data_id, datatype_id }) => [content_data_id, names.get(datatype_id) ?? '']),
  )
}

async function holdersOf(
  read: Reader,
  space: ContentSpace,
  values: readonly CheckedValue[],
): Promise<Map<CheckedValue, string>> {
  const found = new Map<CheckedValue, string>()
  const turns = new Turns()
  for (const value of values) {
    const { field_id: field, locale, field_value, content_data_id: except } = value
    const asked = { field, locale, value: field_value, except }
    const [published] = await read.query(publishedHolder(space), { ...asked, part: indexedPart(field_value) })
    const [holder = published] = await read.query(pendingHolder(space), {
      ...asked,
      key: textKey(field_value),
    })
    if (holder !== undefined) found.set(value, holder)
    await turns.next()
  }
  return found
}

/**
 * Called when entries have become public, at the end of what made them so.
 * Those who publish unique values take turns from here to their commit, in each space: whoever comes second sees what
 * the first one has published.
 * @param members where entries are in the request, such as `children.2.`, by their ids
 * @throws 400 that lists every value which breaks a rule
 */
export async function refuseBroken(
  tx: Writer,
  space: ContentSpace,
  entries: readonly EntryToCheck[],
  only?: ReadonlySet<string>,
  members?: ReadonlyMap<string, string>,
): Promise<void> {
  if (entries.length === 0) return
  const hold = () => tx.lock(internalTables.locks, space.contentFields.name)
  const errors = await errorsOf(tx, space, entries, { only, hold })
  const [first, ...others] = errors.map(one => {
    const place = members?.get(one.content_data_id) ?? ''
    return { ...one, error: place + one.error, member: place + one.member }
  })
  if (first) throw allInvalid([first, ...others])
}

/**
 * Refuses an edit that breaks rules where the public sees it at once: in a published entry whose tree has no
 * unpublished changes.
 */
export async function refuseBrokenEdit(
  tx: Writer,
  space: ContentSpace,
  entry: HeldEntry,
  only?: ReadonlySet<string>,
): Promise<void> {
  if (entry.status !== 'published' || only?.size === 0) return
  if (!(await hasPendingChanges(tx, space, entry.root_id))) await refuseBroken(tx, space, [entry], only)
}
