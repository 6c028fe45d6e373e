import { typeProblem } from '../../../services/content/field-values.js'
import type { ImportedField, ImportedValue, ImportedValues } from '../../../services/import/site.js'
import { camelCase } from '../../../services/text.js'
import { ignoringCase, takeName } from '../../imports.js'
import type { AcfField, Meta, MetaValue } from './metas.js'
import type { WordpressNotes } from './notes.js'

/** Looks up the records that numbers in custom fields stand for. */
export interface FieldReferences {
  file(id: number): string | undefined
  entry(id: number): { readonly key: string; readonly type: string } | undefined
  term(id: number): { readonly key: string; readonly type: string } | undefined
  author(id: number): { readonly key: string; readonly type: string } | undefined
  html(text: string): string
}

interface Candidate {
  readonly type: ImportedField['type']
  readonly data?: ImportedField['data']
  readonly convert: (value: MetaValue) => ImportedValue | undefined
  readonly missing?: 'missingFiles' | 'missingEntries'
}

interface Column {
  readonly name: string
  readonly field: AcfField | undefined
  readonly isAcf: boolean
  readonly values: readonly MetaValue[]
}

const textual =
  (fits: (text: string) => unknown): Candidate['convert'] =>
  value =>
    typeof value === 'string' && fits(value) ? { value } : undefined

const ofType = (type: 'number' | 'date' | 'datetime' | 'email' | 'url') => (text: string) =>
  typeProblem({ field_type: type, data: {} }, text) === undefined

const number: Candidate = {
  type: 'number',
  convert: value =>
    typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) && ofType('number')(value)
      ? { value: Number(value) }
      : undefined,
}
const boolean: Candidate = {
  type: 'boolean',
  convert: value => (value === 'true' || value === 'false' ? { value: value === 'true' } : undefined),
}
const trueFalse: Candidate = {
  type: 'boolean',
  convert: value => (value === '1' || value === '0' ? { value: value === '1' } : undefined),
}
const date: Candidate = { type: 'date', convert: textual(ofType('date')) }
const compactDate: Candidate = {
  type: 'date',
  convert: value => {
    const text = typeof value === 'string' ? value.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3') : ''
    return text.length === 10 && ofType('date')(text) ? { value: text } : undefined
  },
}
const dateTime: Candidate = { type: 'datetime', convert: textual(ofType('datetime')) }
const localTime: Candidate = {
  type: 'datetime',
  convert: value => {
    const text = typeof value === 'string' ? `${value.replace(' ', 'T')}Z` : ''
    return ofType('datetime')(text) ? { value: text } : undefined
  },
}
const email: Candidate = { type: 'email', convert: textual(ofType('email')) }
const url: Candidate = {
  type: 'url',
  convert: textual(text => /^https?:/i.test(text) && ofType('url')(text)),
}
const text: Candidate = {
  type: 'text',
  convert: textual(value => !/[\r\n]/.test(value) && value.length <= 255),
}
const textarea: Candidate = { type: 'textarea', convert: textual(() => true) }
const json: Candidate = {
  type: 'json',
  convert: value => ({ value: typeof value === 'string' ? value : value.json }),
}
const guesses = [number, boolean, date, dateTime, url, email, text, textarea, json]

function idsOf(value: MetaValue): number[] | undefined {
  const list = typeof value === 'string' ? [value] : value.json
  if (!Array.isArray(list) || !list.every(id => /^\d{1,15}$/.test(String(id)))) return undefined
  return list.map(Number)
}

const maxFields = 500

/** Finds the fields of one kind of entries and their values. */
export class CustomFields {
  readonly fields: ImportedField[] = []
  private readonly values = new Map<number, [string, ImportedValue][]>()

  /**
   * @param metas of the entries that have some, by the places of these
   * @param taken names that fields have already
   */
  constructor(
    metas: ReadonlyMap<number, ReadonlyMap<string, Meta>>,
    taken: ReadonlySet<string>,
    private readonly references: FieldReferences,
    private readonly notes: WordpressNotes,
  ) {
    const all = [...new Set([...metas.values()].flatMap(own => [...own.keys()]))]
    const names = all.slice(0, maxFields)
    notes.count('manyFields', undefined, all.length - names.length)
    const used = new Set([...taken].map(name => name.toLowerCase()))
    for (const name of names) {
      const own = [...metas].flatMap(([at, each]): [number, Meta][] => {
        const meta = each.get(name)
        return meta ? [[at, meta]] : []
      })
      const column = columnOf(
        name,
        own.map(([, meta]) => meta),
      )
      const candidate = this.chosen(column)
      const field = fieldName(name, used)
      if (field !== name) this.notes.count('renamed', `${name} is ${field}`)
      const label = column.field?.label.trim() || labelOf(name)
      this.fields.push({
        name: field,
        label,
        type: candidate.type,
        ...(candidate.data ? { data: candidate.data } : {}),
      })
      for (const [at, meta] of own) {
        const value = meta.value === '' ? undefined : this.valueOf(meta.value, candidate)
        const values = this.values.get(at)
        if (value && values) values.push([field, value])
        else if (value) this.values.set(at, [[field, value]])
      }
    }
  }

  /** @param at the place of the entry's metas */
  valuesOf(at: number): ImportedValues {
    return Object.fromEntries(this.values.get(at) ?? [])
  }

  /** Nothing where all references lead nowhere. */
  private valueOf(given: MetaValue, { convert, missing }: Candidate): ImportedValue | undefined {
    const value = convert(given)
    const keys = value && ('entries' in value ? value.entries : 'files' in value ? value.files : undefined)
    if (!keys || !missing) return value
    const named = (idsOf(given) ?? []).filter(id => id !== 0)
    this.notes.count(missing, undefined, named.length - keys.length)
    return keys.length > 0 ? value : undefined
  }

  private chosen(column: Column): Candidate {
    const { field, isAcf, values, name } = column
    const candidates = [
      ...(field ? this.defined(field, column) : []),
      ...(isAcf && !field ? [compactDate] : []),
    ]
    if (values.length === 0) return candidates[0] ?? text
    const fitting = [...candidates, ...guesses].find(({ convert }) => values.every(value => convert(value)))
    const chosen = fitting ?? json
    for (const value of values)
      if (typeof value === 'string' && /^[aOC]:\d+:[{"]/.test(value)) this.notes.count('phpObjects', name)
    if (chosen === localTime) this.notes.count('localTimes', name)
    if (isAcf && chosen === json && (field?.type === 'group' || values.some(hasRows)))
      this.notes.count('nestedReferences', name)
    const isNumbered = values.every(value => this.references.file(Number(value)) !== undefined)
    if (chosen === number && isAcf && !field && isNumbered) this.notes.count('maybeFiles', name)
    return chosen
  }

  private defined({ type, choices, isMultiple }: AcfField, column: Column): readonly Candidate[] {
    switch (type) {
      case 'number':
      case 'range':
        return [number]
      case 'true_false':
        return [trueFalse]
      case 'date_picker':
        return [compactDate]
      case 'date_time_picker':
        return [localTime]
      case 'email':
        return [email]
      case 'url':
      case 'oembed':
        return [url]
      case 'textarea':
        return [textarea]
      case 'text':
        return [text, textarea]
      case 'wysiwyg':
        return [this.rich()]
      case 'image':
      case 'file':
        return [this.media(type === 'image', false)]
      case 'gallery':
        return [this.media(true, true)]
      case 'post_object':
      case 'relationship':
      case 'page_link':
        return [this.relation(column, 'entry', isMultiple || type === 'relationship')]
      case 'taxonomy':
        return [
          this.relation(
            column,
            'term',
            column.values.some(value => typeof value !== 'string'),
          ),
        ]
      case 'user':
        return [this.relation(column, 'author', isMultiple)]
      case 'select':
      case 'radio':
      case 'button_group':
        return isMultiple ? [json] : [select(choices)]
      default:
        return []
    }
  }

  private rich(): Candidate {
    const known = new Map<string, string>()
    return {
      type: 'richtext',
      convert: value => {
        if (typeof value !== 'string') return undefined
        const html = known.get(value) ?? this.references.html(value)
        known.set(value, html)
        return { html }
      },
    }
  }

  private media(isPicture: boolean, isMany: boolean): Candidate {
    const data = { ...(isPicture ? { kinds: ['image'] } : {}), ...(isMany ? { cardinality: 'many' } : {}) }
    return {
      ...{ type: 'media', data, missing: 'missingFiles' },
      convert: value => {
        const ids = idsOf(value)
        return ids && { files: ids.flatMap(id => this.references.file(id) ?? []) }
      },
    }
  }

  private relation({ values }: Column, what: 'entry' | 'term' | 'author', isMany: boolean): Candidate {
    const find = (id: number) => this.references[what](id)
    const target = new Set(values.flatMap(value => idsOf(value) ?? []).flatMap(id => find(id)?.type ?? []))
    const data = {
      ...(target.size > 0 ? { target: target.size === 1 ? [...target][0] : [...target] } : {}),
      ...(isMany ? { cardinality: 'many' } : {}),
    }
    return {
      ...{ type: 'relation', data, missing: 'missingEntries' },
      convert: value => {
        const ids = idsOf(value)
        return ids && { entries: ids.flatMap(id => find(id)?.key ?? []) }
      },
    }
  }
}

const hasRows = (value: MetaValue): boolean =>
  typeof value !== 'string' &&
  Array.isArray(value.json) &&
  value.json.some(row => typeof row === 'object' && row !== null)

function select(choices: ReadonlyMap<string, string>): Candidate {
  const options = [...choices].map(([value, label]) => (value === label ? value : { value, label }))
  return { type: 'select', data: { options }, convert: textual(value => choices.has(value)) }
}

function columnOf(name: string, present: readonly Meta[]): Column {
  return {
    name,
    field: present.find(({ field }) => field)?.field,
    isAcf: present.some(({ isAcf }) => isAcf),
    values: present.map(({ value }) => value).filter(value => value !== ''),
  }
}

/** A name that no other field has. */
export function fieldName(wanted: string, used: Set<string>): string {
  const base = /^[A-Za-z][A-Za-z0-9_]{0,199}$/.test(wanted) ? wanted : camelCase(wanted).slice(0, 200)
  return takeName(base, used, ignoringCase)
}

/** `client-name` as `Client name`. */
export function labelOf(name: string): string {
  const words = name.replaceAll(/[-_\s]+/g, ' ').trim()
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1)
}
