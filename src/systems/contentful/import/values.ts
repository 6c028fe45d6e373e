import type { FieldType } from '../../../services/content/field-types.js'
import { typeProblem } from '../../../services/content/field-values.js'
import type { ImportedValue } from '../../../services/import/site.js'
import { memberOf, memberText } from '../../imports.js'
import type { FileFacts } from './assets.js'
import type { ContentfulRecord, ContentfulType } from './export.js'
import { isZoned, timeOf } from './fields.js'
import { htmlOfDocument, type RichTextTargets } from './rich-text.js'

/** The facts about the rest of the export that values need. */
export interface ValueContext {
  readonly defaultLocale: string
  readonly sources: {
    has(key: string): boolean
    get(key: string): { readonly source: ContentfulRecord; readonly type: ContentfulType } | undefined
  }
  readonly files: ReadonlyMap<string, FileFacts>
}

/** @param sentence what becomes less than it was */
type Lose = (sentence: string) => void

const linkedKey = (raw: unknown): string | undefined => memberText(memberOf(raw, 'sys'), 'id')

function known(raw: unknown, records: { has(key: string): boolean }, lose: Lose): string[] {
  return [raw].flat().flatMap(one => {
    const key = linkedKey(one)
    if (key !== undefined && records.has(key)) return [key]
    lose('Links to entries and files that the export does not have are left out')
    return []
  })
}

function titleOf(key: string, locale: string, { sources, defaultLocale }: ValueContext): string | undefined {
  const found = sources.get(key)
  if (!found) return undefined
  const { source, type } = found
  const values = memberOf(source.fields, type.displayField ?? '')
  const titles = [memberOf(values, locale), memberOf(values, defaultLocale), type.name, key]
  return titles.find((title): title is string => typeof title === 'string' && title.trim() !== '')
}

const targetsOf = (context: ValueContext, locale: string, lose: Lose): RichTextTargets => ({
  lose,
  entryTitle: key => titleOf(key, locale, context),
  file(key) {
    const file = context.files.get(key)
    return file && { ...file, isPicture: file.mediaType.startsWith('image/') }
  },
})

/** The value of a field of the type; undefined where nothing is left of it. */
export function importedValue(
  type: FieldType,
  raw: unknown,
  locale: string,
  context: ValueContext,
  lose: Lose,
): ImportedValue | undefined {
  if (type === 'relation') {
    const entries = known(raw, context.sources, lose)
    return entries.length > 0 ? { entries } : undefined
  }
  if (type === 'media') {
    const files = known(raw, context.files, lose)
    return files.length > 0 ? { files } : undefined
  }
  if (type === 'json') return { value: raw }
  const isTime = type === 'datetime' && typeof raw === 'string'
  const text = isTime ? timeOf(raw) : raw
  const value = type === 'richtext' ? htmlOfDocument(raw, targetsOf(context, locale, lose)) : text
  const expected = type === 'number' || type === 'boolean' ? type : 'string'
  if (typeof value !== expected || typeProblem({ field_type: type, data: {} }, String(value)) !== undefined) {
    lose('Values that do not fit the type of their field are left out')
    return undefined
  }
  if (isTime && !isZoned(raw)) lose('Dates and times without a zone are read as UTC')
  return type === 'richtext' ? { html: String(value) } : { value }
}
