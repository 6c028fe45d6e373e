import { z } from 'zod'
import { badRequest } from '../../../errors.js'
import { isDeep } from '../../../services/delivery/formats/typed-value.js'
import type { Notes } from '../../../services/import/notes.js'
import { type Lists, type Records, recordAt, recordsOf } from '../../../services/import/records.js'
import type { ExportFiles } from '../../../services/import/site.js'
import { UnreadRecords } from '../../../services/import/unread.js'
import { memberText } from '../../imports.js'

/** The files that `sanity dataset export` writes, as far as they are read. */

/** Levels of arrays and objects. Sanity itself takes 20. */
const maxDepth = 100

const text = z.string().optional().catch(undefined)

const documentSchema = z.looseObject({
  _id: z.string().min(1).max(255),
  _type: z.string().min(1).max(255),
  _createdAt: text,
  _updatedAt: text,
})
/** An asset: its document, or its entry in `assets.json`. */
const assetSchema = z.looseObject({ originalFilename: text, url: text, altText: text, description: text })
const assetMapSchema = z.record(z.string(), assetSchema)

export type SanityDocument = z.output<typeof documentSchema>
export type SanityAsset = z.output<typeof assetSchema>

/** The parts of a document that stay in memory. */
interface IndexedDocument {
  readonly id: string
  readonly type: string
  readonly language: string | undefined
  readonly isDraft: boolean
}

export interface SanityExport {
  /** Each published document, or its draft if it was never published, in the order of their creation. */
  readonly documents: Records<SanityDocument>
  /** Of each of these. */
  readonly index: readonly IndexedDocument[]
  /** By their ids, or the beginnings of these without size and ending. */
  readonly assets: ReadonlyMap<string, SanityAsset>
  readonly folder: string
  readonly unread: UnreadRecords
}

/** @returns the value, or what is wrong with the text */
function parsed<S extends z.ZodType>(
  json: string,
  schema: S,
  expected: string,
): { readonly value: z.output<S> } | { readonly problem: string } {
  if (isDeep(json, maxDepth)) return { problem: `is nested deeper than ${maxDepth} levels` }
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return { problem: 'is not JSON' }
  }
  const { data } = schema.safeParse(value)
  return data === undefined ? { problem: expected } : { value: data }
}

function dataFile({ names }: ExportFiles): string {
  const found = names.filter(name => /(?:^|\/)data\.ndjson$/.test(name))
  const candidates = found.length > 0 ? found : names.filter(name => name.endsWith('.ndjson'))
  const [name, second] = candidates
  if (name === undefined)
    throw badRequest('data.ndjson is missing: create the export with `sanity dataset export`')
  if (second !== undefined) throw badRequest(`found two exports, ${name} and ${second}: choose one of them`)
  return name
}

const isOfStudio = ({ _id, _type }: SanityDocument): boolean =>
  _id.startsWith('_.') || /^(?:sanity|system)\./.test(_type)
const isAsset = ({ _type }: SanityDocument): boolean => /^sanity\.(?:image|file)Asset$/.test(_type)

/** A document in the list of all. */
interface Kept {
  readonly at: number
  readonly type: string
  readonly createdAt: string
  readonly language: string | undefined
}

const keptAt = (at: number, document: SanityDocument): Kept => ({
  ...{ at, type: document._type, createdAt: document._createdAt ?? '' },
  language: memberText(document, 'language'),
})

/** The time when a document was created; documents without one come first. */
const isEarlier = (a: Kept & { id: string }, b: Kept & { id: string }): boolean =>
  `${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}`

function merged(
  all: ReadonlyMap<string, Kept>,
  notes: Notes,
): readonly (Kept & Pick<IndexedDocument, 'id' | 'isDraft'>)[] {
  const found: (Kept & Pick<IndexedDocument, 'id' | 'isDraft'>)[] = []
  for (const [id, one] of all) {
    const [, of, published = id] = /^(drafts|versions)\.(?:(?<=versions\.)[^.]+\.)?(.+)$/.exec(id) ?? []
    if (of === 'versions') notes.add('Versions in releases are left out', one.type)
    else if (of === undefined) found.push({ ...one, id, isDraft: false })
    else if (all.has(published))
      notes.add('Drafts of published documents are left out: the published state is imported', one.type)
    else found.push({ ...one, id: published, isDraft: true })
  }
  return found.sort((a, b) => (isEarlier(a, b) ? -1 : 1))
}

/** The assets that `assets.json` has. @throws HttpError 400 for a file that is no such list */
async function assetsIn(files: ExportFiles, map: string): Promise<Map<string, SanityAsset>> {
  if (!files.names.includes(map)) return new Map()
  const known = parsed(await files.text(map), assetMapSchema, 'is not an object of assets')
  if ('problem' in known) throw badRequest(`${map}: ${known.problem}`)
  return new Map(Object.entries(known.value))
}

/** @throws HttpError 400 that names what is no such export */
export async function sanityExport(files: ExportFiles, lists: Lists, notes: Notes): Promise<SanityExport> {
  const name = dataFile(files)
  const folder = name.slice(0, name.lastIndexOf('/') + 1)
  const stored = lists.make<SanityDocument>()
  const all = new Map<string, Kept>()
  const assets = await assetsIn(files, `${folder}assets.json`)
  const unread = new UnreadRecords(notes)
  let [line, read] = [0, 0]
  for await (const json of files.lines(name)) {
    line++
    if (json.trim() === '') continue
    const one = parsed(json, documentSchema, 'has no _id and _type')
    if ('problem' in one) {
      unread.add(`${name}: line ${line}`, one.problem)
      continue
    }
    read++
    const document = one.value
    if (isAsset(document)) assets.set(document._id, assetSchema.parse(document))
    else if (isOfStudio(document)) notes.add('Documents of the Studio itself are left out', document._type)
    else {
      if (all.has(document._id)) notes.add('Of several documents with the same id, only the last is imported')
      all.set(document._id, keptAt(stored.length, document))
      stored.push(document)
    }
  }
  const [first] = unread.found?.named ?? []
  if (first && read === 0) throw badRequest(`${first.place}: ${first.reason}`)
  const index = merged(all, notes)
  const documents = recordsOf(index.length, (i): SanityDocument => {
    const { at, id } = recordAt(index, i)
    const document = recordAt(stored, at)
    return document._id === id ? document : { ...document, _id: id }
  })
  return { documents, index, assets, folder, unread }
}
