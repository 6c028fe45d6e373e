import { z } from 'zod'
import { badRequest } from '../../../errors.js'
import { isDeep } from '../../../services/delivery/formats/typed-value.js'
import type { Notes } from '../../../services/import/notes.js'
import type { Lists, Records } from '../../../services/import/records.js'
import type { ExportFiles } from '../../../services/import/site.js'
import { UnreadRecords } from '../../../services/import/unread.js'
import { memberText } from '../../imports.js'

const mostSchemas = 2000

const attribute = z.looseObject({
  type: z.string(),
  required: z.boolean().nullish(),
  unique: z.boolean().nullish(),
  private: z.boolean().nullish(),
  multiple: z.boolean().nullish(),
  repeatable: z.boolean().nullish(),
  component: z.string().nullish(),
  relation: z.string().nullish(),
  target: z.string().nullish(),
  mappedBy: z.string().nullish(),
  morphBy: z.string().nullish(),
  enum: z.array(z.string()).nullish(),
  allowedTypes: z.array(z.string()).nullish(),
  components: z.array(z.string()).nullish(),
  pluginOptions: z
    .looseObject({ i18n: z.looseObject({ localized: z.boolean().nullish() }).nullish() })
    .nullish(),
})
export type Attribute = z.infer<typeof attribute>

const schema = z.object({
  uid: z.string(),
  modelType: z.string(),
  kind: z.string().nullish(),
  info: z
    .looseObject({
      singularName: z.string().nullish(),
      pluralName: z.string().nullish(),
      displayName: z.string().nullish(),
    })
    .nullish(),
  options: z.looseObject({ draftAndPublish: z.boolean().nullish() }).nullish(),
  pluginOptions: attribute.shape.pluginOptions,
  attributes: z.unknown().transform(members => new Map(Object.entries(members ?? {}))),
})

/** A content type or component. */
export interface StrapiSchema extends Omit<z.infer<typeof schema>, 'attributes'> {
  readonly attributes: ReadonlyMap<string, Attribute>
}

const ref = z.union([z.string(), z.number()]).transform(String)
const entity = z.looseObject({ type: z.string(), id: ref, data: z.record(z.string(), z.unknown()) })
/** A row of a content type: a document in one locale, as a draft or as it is published. */
export type Entity = z.infer<typeof entity>

const end = z.looseObject({
  type: z.string(),
  ref,
  field: z.string().nullish(),
  pos: z.number().nullish(),
})
const link = z.looseObject({ kind: z.string(), left: end, right: end })
/** A pair of a relation, which `left` owns. */
export type Link = z.infer<typeof link>

const configuration = z.looseObject({
  type: z.string(),
  value: z.looseObject({ key: z.unknown().optional(), value: z.unknown().optional() }),
})

/** Types of Strapi itself that say something about content. */
export const ownTypes = {
  locale: 'plugin::i18n.locale',
  file: 'plugin::upload.file',
  role: 'plugin::users-permissions.role',
  permission: 'plugin::users-permissions.permission',
} as const

export interface StrapiExport {
  readonly schemas: ReadonlyMap<string, StrapiSchema>
  /** Rows of all types but those of Strapi itself. */
  readonly entities: Records<Entity>
  /** Rows of the types of Strapi itself. */
  readonly own: Readonly<Record<keyof typeof ownTypes, Records<Entity>>>
  /** The types that rows have. */
  readonly types: ReadonlySet<string>
  /** The locales of rows by their types, in the order in which they came first; those of locales with their names. */
  readonly locales: readonly {
    readonly type: string
    readonly code: string
    readonly name: string | undefined
  }[]
  readonly links: Records<Link>
  readonly defaultLocale: string | undefined
  readonly names: ReadonlySet<string>
  readonly unread: UnreadRecords
}

/** @returns the value, or what is wrong with the line */
function parsed<T>(type: z.ZodType<T>, line: string): { readonly value: T } | { readonly problem: string } {
  if (isDeep(line)) return { problem: 'has too many levels' }
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch {
    return { problem: 'must be JSON' }
  }
  const { data, error } = type.safeParse(json)
  if (data !== undefined) return { value: data }
  const [issue] = error?.issues ?? []
  return { problem: [...(issue?.path ?? []).map(String), issue?.message].join(': ') }
}

/** Without a record of these parts there is nothing to import. */
const needed: ReadonlySet<string> = new Set(['schemas', 'entities'])

/**
 * Reads the records of a part of the export, which has a file or several.
 * @param take told each of them
 */
async function readPart<T>(
  { files, unread }: { readonly files: ExportFiles; readonly unread: UnreadRecords },
  part: string,
  type: z.ZodType<T>,
  take: (record: T) => unknown,
): Promise<void> {
  let count = 0
  const names = files.names.filter(name => name.startsWith(`${part}/`) && name.endsWith('.jsonl')).sort()
  for (const name of names) {
    let number = 0
    for await (const line of files.lines(name)) {
      number++
      if (line.trim() === '') continue
      const read = parsed(type, line)
      if ('problem' in read) unread.add(`${name}, line ${number}`, read.problem)
      else {
        take(read.value)
        count++
      }
    }
  }
  const [first] = (unread.found?.named ?? []).filter(({ place }) => place.startsWith(`${part}/`))
  if (first && count === 0 && needed.has(part)) throw badRequest(`${first.place}: ${first.reason}`)
}

/** Keeps the rows of an export, those of Strapi itself apart. */
function rowsIn(lists: Lists) {
  const own = {
    locale: lists.make<Entity>(),
    file: lists.make<Entity>(),
    role: lists.make<Entity>(),
    permission: lists.make<Entity>(),
  }
  const byType = new Map(
    Object.entries(own).map(([name, list]) => [ownTypes[name as keyof typeof own], list]),
  )
  const entities = lists.make<Entity>()
  const types = new Set<string>()
  const locales = new Map<string, StrapiExport['locales'][number]>()
  return {
    ...{ own, entities, types },
    get locales() {
      return [...locales.values()]
    },
    add(row: Entity): void {
      const { type, data } = row
      ;(byType.get(type as (typeof ownTypes)['file']) ?? entities).push(row)
      types.add(type)
      const isLocale = type === ownTypes.locale
      const code = memberText(data, isLocale ? 'code' : 'locale')
      const key = `${type} ${code}`
      const name = isLocale ? memberText(data, 'name') : undefined
      // Of several locales with one code, the last name is taken.
      if (code !== undefined && (isLocale || !locales.has(key)))
        locales.set(isLocale ? `${key} ${locales.size}` : key, { type, code, name })
    },
  }
}

/** The attributes that can be read. */
const attributesOf = (
  { uid, attributes }: z.infer<typeof schema>,
  unread: UnreadRecords,
): Map<string, Attribute> =>
  new Map(
    [...attributes].flatMap(([name, given]) => {
      const { data } = attribute.safeParse(given)
      if (!data) unread.add(`schemas: ${uid}: attribute ${name.slice(0, 100)}`, 'cannot be read')
      return data ? [[name, data] as const] : []
    }),
  )

/** @throws HttpError 400 if it is not an export of Strapi, or is encrypted or damaged */
export async function strapiExport(files: ExportFiles, lists: Lists, notes: Notes): Promise<StrapiExport> {
  const source = { files, unread: new UnreadRecords(notes) }
  const { unread } = source
  const { names } = files
  if (names.length === 1 && names[0]?.endsWith('.enc'))
    throw badRequest('the export is encrypted: create one with strapi export --no-encrypt')
  if (!names.some(name => /^schemas\/.*\.jsonl$/.test(name)))
    throw badRequest(
      'this is not an export of Strapi: it has no schemas. Create one with strapi export --no-encrypt',
    )
  const schemas: z.infer<typeof schema>[] = []
  await readPart(source, 'schemas', schema, one => schemas.push(one))
  if (schemas.length > mostSchemas) throw badRequest(`the export has more than ${mostSchemas} types`)
  const standards: unknown[] = []
  await readPart(source, 'configuration', configuration, ({ value: { key, value } }) => {
    if (key === 'plugin_i18n_default_locale') standards.push(value)
  })
  const read = new Map(schemas.map(one => [one.uid, { ...one, attributes: attributesOf(one, unread) }]))
  const rows = rowsIn(lists)
  await readPart(source, 'entities', entity, one => rows.add(one))
  const links = lists.make<Link>()
  await readPart(source, 'links', link, one => links.push(one))
  const { own, entities, types, locales } = rows
  const [defaultLocale] = standards
  return {
    ...{ schemas: read, own, entities, types, locales, links },
    defaultLocale: typeof defaultLocale === 'string' ? defaultLocale.replaceAll('"', '') : undefined,
    names: new Set(names),
    unread,
  }
}
