import { z } from 'zod'
import { badRequest } from '../../../errors.js'
import type { GrowingRecords } from '../../../ports.js'
import { Notes } from '../../../services/import/notes.js'
import type { Lists, Records } from '../../../services/import/records.js'
import type { ExportFiles } from '../../../services/import/site.js'
import { UnreadRecords } from '../../../services/import/unread.js'
import { type JsonPart, jsonParts, PartsProblem, parsed } from '../../json-parts.js'

/** The file that `contentful space export` writes, as far as it is read. */

/** Levels of arrays and objects. Rich text has two for each of its own. */
const maxDepth = 500
const maxCandidates = 20

const id = z.string().min(1).max(255)
const time = z.string().optional().catch(undefined)
const version = z.number().optional().catch(undefined)
const flag = z.boolean().catch(false)
const record = z.record(z.string(), z.unknown())
const rules = z.array(record).catch([])
const orUndefined = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined)

const fieldSchema = z.looseObject({
  id,
  name: z.string().catch(''),
  type: z.string(),
  linkType: orUndefined(z.string()),
  items: orUndefined(
    z.looseObject({ type: z.string(), linkType: orUndefined(z.string()), validations: rules }),
  ),
  localized: flag,
  required: flag,
  validations: rules,
  defaultValue: orUndefined(record),
})

const typeSchema = z.looseObject({
  sys: z.looseObject({ id }),
  name: z.string().catch(''),
  displayField: orUndefined(z.string()),
  fields: z.array(z.unknown()),
})

const recordSchema = z.looseObject({
  sys: z.looseObject({
    id,
    ...{ createdAt: time, updatedAt: time, publishedAt: time, firstPublishedAt: time, archivedAt: time },
    ...{ version, publishedVersion: version, archivedVersion: version },
    contentType: orUndefined(z.looseObject({ sys: z.looseObject({ id }) })),
  }),
  metadata: orUndefined(z.looseObject({ tags: z.array(z.unknown()).catch([]) })),
  fields: z.record(z.string(), record.catch({})).catch({}),
})

const controlSchema = z.looseObject({
  fieldId: z.string(),
  widgetId: orUndefined(z.string()),
  settings: orUndefined(
    z.looseObject({ format: orUndefined(z.string()), helpText: orUndefined(z.string()) }),
  ),
})

const exportSchema = z.object({
  contentTypes: z.array(z.unknown(), 'must be an array'),
  editorInterfaces: z
    .array(
      z.looseObject({
        sys: z.looseObject({ contentType: z.looseObject({ sys: z.looseObject({ id }) }) }),
        controls: z.array(controlSchema).catch([]),
      }),
    )
    .catch([]),
  entries: z.array(z.unknown()).default([]),
  assets: z.array(z.unknown()).default([]),
  locales: z
    .array(
      z.looseObject({
        code: z.string(),
        name: z.string().catch(''),
        fallbackCode: z.string().nullish().catch(null),
        default: flag,
        contentDeliveryApi: z.boolean().catch(true),
      }),
      'must be an array',
    )
    .min(1, 'is empty'),
  ...{ tags: z.array(z.unknown()).catch([]), webhooks: z.array(z.unknown()).catch([]) },
  roles: z.array(z.unknown()).catch([]),
})

export type ContentfulExport = Omit<z.output<typeof exportSchema>, 'contentTypes' | 'entries' | 'assets'> & {
  readonly contentTypes: readonly ContentfulType[]
  readonly entries: Records<ContentfulRecord>
  readonly assets: Records<ContentfulRecord>
}
export type ContentfulType = Pick<z.output<typeof typeSchema>, 'sys' | 'name' | 'displayField'> & {
  readonly fields: readonly z.output<typeof fieldSchema>[]
}
export type ContentfulField = ContentfulType['fields'][number]
export type ContentfulControl = z.output<typeof controlSchema>
/** An entry or an asset. */
export type ContentfulRecord = z.output<typeof recordSchema>

/** Records of the delivery API have no version, and are published. */
export const isPublished = ({ sys }: ContentfulRecord): boolean =>
  sys.publishedVersion !== undefined || sys.version === undefined

const levels = (name: string): number => name.split('/').length

type Gathered = ReturnType<typeof gathering>

/** Keeps the members of an export: its records in lists, all others in memory. */
function gathering(name: string, lists: Lists) {
  const members = new Map<string, unknown>()
  const records = new Map<string, Read>()
  return {
    ...{ name, members, records },
    add(part: JsonPart): void {
      const { kind, name: member } = part
      if (kind === 'item') {
        const value = parsed(part.json)
        const known = members.get(member)
        if (records.has(member)) records.get(member)?.add(value)
        else if (Array.isArray(known)) known.push(value)
        return
      }
      // Of several members with one name, the last is meant.
      records.delete(member)
      if (kind === 'list' && isRecords(member)) records.set(member, new Read(`${name}: ${member}`, lists))
      const value = kind === 'list' ? [] : parsed(part.json)
      members.set(member, Object.hasOwn(exportSchema.shape, member) ? value : undefined)
    },
  }
}

const isRecords = (member: string): boolean => member === 'entries' || member === 'assets'

/** The records of a list that can be read. */
class Read {
  readonly records: GrowingRecords<ContentfulRecord>
  readonly unread = new UnreadRecords(new Notes())
  private count = 0

  constructor(
    private readonly place: string,
    lists: Lists,
  ) {
    this.records = lists.make()
  }

  add(value: unknown): void {
    const { data, error } = recordSchema.safeParse(value)
    if (error) this.unread.add(`${this.place}.${this.count}`, reasonOf(error))
    else this.records.push(data)
    this.count++
  }
}

async function* textOf(files: ExportFiles, name: string): AsyncGenerator<string> {
  if (files.pieces) yield* files.pieces(name)
  else yield await files.text(name)
}

/** @returns undefined for a file that is no such export */
async function gathered(files: ExportFiles, name: string, lists: Lists): Promise<Gathered | undefined> {
  const all = gathering(name, lists)
  try {
    for await (const part of jsonParts(textOf(files, name), maxDepth)) all.add(part)
  } catch (error) {
    if (!(error instanceof PartsProblem)) throw error
    if (error.isDeep) throw badRequest(`${name} is nested deeper than ${maxDepth} levels`)
    return undefined
  }
  return all.members.has('contentTypes') ? all : undefined
}

async function found(files: ExportFiles, lists: Lists): Promise<Gathered> {
  const candidates = files.names
    .filter(name => /\.json$/i.test(name))
    .sort((a, b) => levels(a) - levels(b) || (a < b ? -1 : 1))
  const all: Gathered[] = []
  for (const name of candidates.slice(0, maxCandidates)) {
    const one = await gathered(files, name, lists)
    if (one) all.push(one)
  }
  const [first, second] = all
  if (first && second)
    throw badRequest(`found two exports, ${first.name} and ${second.name}: choose one of them`)
  if (first) return first
  throw badRequest(
    'the JSON file with contentTypes is missing: create the export with `contentful space export`',
  )
}

const reasonOf = ({ issues: [issue] }: z.ZodError): string =>
  `${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'cannot be read'}`

/** The items of a list that can be read. */
function readable<S extends z.ZodType>(
  list: readonly unknown[],
  schema: S,
  place: string,
  unread: UnreadRecords,
): z.output<S>[] {
  return list.flatMap((one, i) => {
    const { data, error } = schema.safeParse(one)
    if (!error) return [data]
    unread.add(`${place}.${i}`, reasonOf(error))
    return []
  })
}

/**
 * @returns the export, the folder that its file is in, with `/` at its end, and the records that cannot be read
 * @throws HttpError 400 that names what is no such export
 */
export async function contentfulExport(
  files: ExportFiles,
  lists: Lists,
  notes: Notes,
): Promise<{ readonly content: ContentfulExport; readonly folder: string; readonly unread: UnreadRecords }> {
  const { name, members, records } = await found(files, lists)
  const { data, error } = exportSchema.safeParse(Object.fromEntries(members))
  if (error) throw badRequest(`${name}: ${reasonOf(error)}`)
  const unread = new UnreadRecords(notes)
  const contentTypes = readable(data.contentTypes, typeSchema, `${name}: contentTypes`, unread).map(type => ({
    ...type,
    fields: readable(type.fields, fieldSchema, `${name}: ${type.sys.id}: fields`, unread),
  }))
  const recordsOf = (member: 'entries' | 'assets'): Records<ContentfulRecord> => {
    const read = records.get(member)
    if (read) unread.addAll(read.unread)
    return read?.records ?? lists.make<ContentfulRecord>()
  }
  const [entries, assets] = [recordsOf('entries'), recordsOf('assets')]
  const [first] = unread.found?.named ?? []
  const isEmpty = [contentTypes, entries, assets].every(({ length }) => length === 0)
  if (first && isEmpty) throw badRequest(`${first.place}: ${first.reason}`)
  return {
    content: { ...data, contentTypes, entries, assets },
    folder: name.slice(0, name.lastIndexOf('/') + 1),
    unread,
  }
}
