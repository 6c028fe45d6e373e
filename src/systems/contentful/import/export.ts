import { z } from 'zod'
import { badRequest } from '../../../errors.js'
import { isDeep } from '../../../services/delivery/formats/typed-value.js'
import type { Notes } from '../../../services/import/notes.js'
import type { ExportFiles } from '../../../services/import/site.js'
import { UnreadRecords } from '../../../services/import/unread.js'

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
  readonly entries: readonly ContentfulRecord[]
  readonly assets: readonly ContentfulRecord[]
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const holdsTypes = (json: unknown): json is object =>
  typeof json === 'object' && json !== null && Object.hasOwn(json, 'contentTypes')

const levels = (name: string): number => name.split('/').length

async function found(files: ExportFiles): Promise<{ name: string; json: object }> {
  const candidates = files.names
    .filter(name => /\.json$/i.test(name))
    .sort((a, b) => levels(a) - levels(b) || (a < b ? -1 : 1))
  const all: { name: string; json: object }[] = []
  for (const name of candidates.slice(0, maxCandidates)) {
    const text = await files.text(name)
    if (isDeep(text, maxDepth)) throw badRequest(`${name} is nested deeper than ${maxDepth} levels`)
    const json = parsed(text)
    if (holdsTypes(json)) all.push({ name, json })
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

/** The export with its records as they are. What was read besides is not kept. */
async function whole(files: ExportFiles) {
  const { name, json } = await found(files)
  const { data, error } = exportSchema.safeParse(json)
  if (error) throw badRequest(`${name}: ${reasonOf(error)}`)
  return { name, data }
}

/** The records of a list that can be read. The list is emptied, so that a large export is in memory once. */
function readable<S extends z.ZodType>(
  list: unknown[],
  schema: S,
  place: string,
  unread: UnreadRecords,
): z.output<S>[] {
  const found: z.output<S>[] = []
  for (const [i, one] of list.entries()) {
    const { data, error } = schema.safeParse(one)
    if (error) unread.add(`${place}.${i}`, reasonOf(error))
    else found.push(data)
    list[i] = undefined
  }
  return found
}

/**
 * @returns the export, the folder that its file is in, with `/` at its end, and the records that cannot be read
 * @throws HttpError 400 that names what is no such export
 */
export async function contentfulExport(
  files: ExportFiles,
  notes: Notes,
): Promise<{ readonly content: ContentfulExport; readonly folder: string; readonly unread: UnreadRecords }> {
  const { name, data } = await whole(files)
  const unread = new UnreadRecords(notes)
  const all = <S extends z.ZodType>(list: 'contentTypes' | 'entries' | 'assets', schema: S) =>
    readable(data[list], schema, `${name}: ${list}`, unread)
  const content = {
    ...data,
    contentTypes: all('contentTypes', typeSchema).map(type => ({
      ...type,
      fields: readable(type.fields, fieldSchema, `${name}: ${type.sys.id}: fields`, unread),
    })),
    entries: all('entries', recordSchema),
    assets: all('assets', recordSchema),
  }
  const isEmpty = [content.contentTypes, content.entries, content.assets].every(({ length }) => length === 0)
  const [first] = unread.found?.named ?? []
  if (first && isEmpty) throw badRequest(`${first.place}: ${first.reason}`)
  return { content, folder: name.slice(0, name.lastIndexOf('/') + 1), unread }
}
