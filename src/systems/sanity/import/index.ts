import { Notes } from '../../../services/import/notes.js'
import { recordAt } from '../../../services/import/records.js'
import {
  type ImportedEntry,
  type ImportedType,
  type ImportedValue,
  type ImportedValues,
  type ReadLargeExport,
  readingInMemory,
} from '../../../services/import/site.js'
import { sizeOfJson } from '../../../services/import/size.js'
import { trimmed } from '../../../services/text.js'
import { compatName, importAddress, isObject, memberOf, memberText, PageAddresses } from '../../imports.js'
import { kebab, pluralOf } from '../../mapping.js'
import { labelOf, timeOf } from '../../text-types.js'
import { htmlOfBlocks, type TextWorld } from './blocks.js'
import { type SanityDocument, type SanityExport, sanityExport } from './export.js'
import { type FieldPlan, slugOf } from './fields.js'
import { SanityFiles } from './files.js'
import { type Model, modelOf, placeOf, type TypePlan } from './model.js'
import { assetOf, contentOf, isMedia, isPart, referenceOf, type SanityObject, typeOf } from './objects.js'

type State = Pick<ImportedEntry, 'createdAt' | 'isPublished' | 'publishedAt'>

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

const noTime = new Date(0).toISOString()

const titleFields = ['title', 'name', 'heading', 'headline', 'label']

/** Where a document that has a slug is likely to be: the front end knows it, and the export does not. */
function pathOf({ _type }: SanityDocument, slug: string): string {
  const path = trimmed(slug, '/')
  if (slug.includes('/') || /page$/i.test(_type)) return `/${path}`
  return `/${pluralOf(kebab(_type))}/${path}`
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

class SanityEntries {
  private readonly addresses = new PageAddresses()
  private readonly world: TextWorld

  constructor(
    private readonly model: Model,
    private readonly keys: ReadonlySet<string>,
    private readonly files: SanityFiles,
    private readonly notes: Notes,
  ) {
    this.world = {
      notes,
      hasEntry: key => keys.has(key),
      fileIn: (image, place) => files.use(image, place, true),
      json: (value, place) => this.json(value, place),
    }
  }

  of(document: SanityDocument, isDraft: boolean): ImportedEntry {
    const { _id, _updatedAt, _createdAt } = document
    const createdAt = timeOf(_createdAt) ?? noTime
    const publishedAt = isDraft ? undefined : (timeOf(_updatedAt) ?? createdAt)
    const page = this.pageOf(document)
    const changedAt = timeOf(_updatedAt)
    const entry = {
      ...this.entry(document, _id, { createdAt, isPublished: !isDraft, publishedAt }),
      ids: [{ kind: 'document', id: _id }],
      source: { size: sizeOfJson(contentOf(document).map(([, value]) => value)) },
      ...(changedAt === undefined ? {} : { changedAt }),
    }
    return page ? { ...entry, page } : entry
  }

  private entry(object: SanityObject, key: string, state: State): ImportedEntry {
    const plan = this.model.get(typeOf(object) ?? '')
    const parts = plan?.children === undefined ? [] : listOf(memberOf(object, plan.children)).filter(isPart)
    const children = parts.map((part, i) => this.entry(part, `${key}/${i}`, state))
    return {
      ...{ key, type: plan?.name ?? '', ...state },
      values: plan ? this.valuesOf(object, plan) : {},
      ...(children.length > 0 ? { children } : {}),
    }
  }

  private valuesOf(object: SanityObject, { original, fields }: TypePlan): ImportedValues {
    return Object.fromEntries(
      contentOf(object).flatMap(([name, value]) => {
        const plan = fields.get(name)
        const taken = plan && this.valueOf(value, plan, placeOf(original, name))
        return plan && taken ? [[plan.field.name, taken]] : []
      }),
    )
  }

  /** @returns undefined for an empty value */
  private valueOf(value: unknown, { kind }: FieldPlan, place: string): ImportedValue | undefined {
    switch (kind) {
      case 'text':
      case 'number':
      case 'boolean':
        // An empty value may be of a different kind.
        return typeof value === 'object' || value === '' ? undefined : { value }
      case 'slug': {
        const slug = slugOf(value)
        if (slug === undefined && memberText(value, 'current') !== undefined)
          this.notes.add('Invalid slugs are left out', place)
        return slug === undefined ? undefined : { value: slug }
      }
      case 'reference':
      case 'references': {
        const entries = listOf(value).flatMap(one => this.entryNamed(one, place) ?? [])
        return entries.length > 0 || isEmptyList(value) ? { entries } : undefined
      }
      case 'media':
      case 'mediaList': {
        const media = listOf(value).filter(isMedia)
        const files = media.flatMap(one => this.files.use(one, place, false) ?? [])
        return files.length > 0 || isEmptyList(value) ? { files } : undefined
      }
      case 'blocks': {
        const html = htmlOfBlocks(listOf(value), this.world, place)
        return html === '' ? undefined : { html }
      }
      default:
        return { value: this.json(value, place) }
    }
  }

  private entryNamed(value: unknown, place: string): string | undefined {
    const key = referenceOf(value)
    if (key === undefined || this.keys.has(key)) return key
    this.notes.add('References to documents that the export does not have are left out', place)
    return undefined
  }

  /** The JSON with `import:entry:` and `import:file:` in place of ids, as in addresses in HTML. */
  private json(value: unknown, place: string): unknown {
    if (Array.isArray(value)) return value.map(one => this.json(one, place))
    if (!isObject(value)) return value
    if (/^(?:locale[A-Z]|internationalizedArray)/.test(typeOf(value) ?? ''))
      this.notes.add('Fields with values in several languages become JSON fields', place)
    const file = assetOf(value) === undefined ? undefined : this.files.use(value, place, true)
    const entry = referenceOf(value)
    const members = Object.entries(value).flatMap(([name, member]) => {
      if (name === '_sanityAsset' || (file !== undefined && name === 'asset')) return []
      const isRef = name === '_ref' && entry !== undefined && this.keys.has(entry)
      return [[name, isRef ? importAddress('entry', entry) : this.json(member, place)]]
    })
    const asset = file && { _type: 'reference', _ref: importAddress('file', file) }
    return Object.fromEntries(asset ? [...members, ['asset', asset]] : members)
  }

  private pageOf(document: SanityDocument): ImportedEntry['page'] {
    const fields = [...(this.model.get(document._type)?.fields ?? [])]
    const [name] = fields.find(([, { kind }]) => kind === 'slug') ?? []
    const slug = name === undefined ? undefined : slugOf(memberOf(document, name))
    if (slug === undefined) return undefined
    const wanted = pathOf(document, slug)
    const path = this.addresses.take(wanted)
    if (path !== wanted) this.notes.add('Pages whose address is taken get a number at the end of it', wanted)
    const title = titleFields.map(one => memberText(document, one)?.trim()).find(text => text)
    return { path, title: (title ?? slug).slice(0, 255) }
  }
}

function importedType({ original, name, fields, children }: TypePlan, hasPages: boolean): ImportedType {
  const weak = [...fields.values()].flatMap(({ field, isWeak }) => (isWeak ? field.name : []))
  const compat = {
    ...compatName(original, name),
    ...(children === undefined || children === 'children' ? {} : { children }),
    ...(weak.length > 0 ? { weak } : {}),
  }
  return {
    ...{ name, label: labelOf(original) || name, hasPages },
    fields: [...fields.values()].map(({ field }) => field),
    ...(Object.keys(compat).length > 0 ? { compat } : {}),
  }
}

function noteLanguages({ index }: SanityExport, notes: Notes): void {
  const languages = index.map(({ language }) => language)
  if (new Set(languages.filter(language => language !== undefined)).size < 2) return
  for (const [i, language] of languages.entries())
    if (language !== undefined)
      notes.add(
        'Each language of a document becomes a separate entry, with a field for the language',
        index[i]?.type,
      )
}

/** Reads what `sanity dataset export` writes, with `--raw` or without. */
export const readLargeSanity: ReadLargeExport = async (files, lists) => {
  const notes = new Notes()
  const content = await sanityExport(files, lists, notes)
  const { documents, index } = content
  noteLanguages(content, notes)
  const model = modelOf(content, notes)
  const used = new SanityFiles(files.names, content, notes)
  const entries = new SanityEntries(model, new Set(index.map(({ id }) => id)), used, notes)
  const made = lists.make<ImportedEntry>()
  const onPages = new Set<string>()
  let i = 0
  for (const document of documents) {
    const entry = entries.of(document, recordAt(index, i++).isDraft)
    if (entry.page) onPages.add(entry.type)
    made.push(entry)
  }
  const types = [...model.values()].map(plan => importedType(plan, onPages.has(plan.name)))
  return {
    locales: [],
    types,
    entries: made,
    files: used.files,
    notes: notes.sentences,
    unread: content.unread.found,
  }
}

export const readSanity = readingInMemory(readLargeSanity)
