import { badRequest } from '../errors.js'
import { keyName } from '../services/body-parts.js'
import type { Notes } from '../services/import/notes.js'
import type { ImportedField, ImportedValue, ImportedValues } from '../services/import/site.js'
import { camelCase } from '../services/text.js'
import { ignoringCase, takeName } from './imports.js'
import { labelOf, textType } from './text-types.js'

/** Fields of records that have values and no model, such as the lines of a table. */

/** The values of a record by their names there. */
export type NamedValues = ReadonlyMap<string, unknown>

export interface ColumnWorld {
  readonly notes: Notes
  /** The key of the file that a text names; undefined for other texts. */
  fileOf(text: string, row: number): string | undefined
}

/** A field and its value of one record. */
interface Column {
  readonly field: ImportedField
  valueOf(value: unknown, row: number): ImportedValue | undefined
}

/** A day, perhaps with a time, perhaps with a zone: `2026-01-31 10:00 +01:00`. */
const looseTime =
  /^(\d{4}-\d\d-\d\d)(?:(?:T|t| +)(\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(?: *(Z|z|UTC|[+-]\d\d:?\d\d))?)?$/
/** Such as `Jul 8 2022`, `8 July 2022` or `Fri, 08 Jul 2022 10:00:00 GMT`. */
const namedMonth =
  /^(?=.*\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))[a-z]{3,9}[a-z0-9 ,:+-]{4,40}$|^\d{1,2} [a-z]{3,9} \d{4}$/i

const lastTime = Date.parse('9999-12-31T23:59:59.999Z')

/** A time as people write it, as ISO 8601 in UTC. One without a zone is in UTC. */
export function looseTimeOf(text: string): string | undefined {
  const [, day, minutes = '00:00', seconds = ':00', zone = 'Z'] = looseTime.exec(text.trim()) ?? []
  const isUtc = /^(?:z|utc)$/i.test(zone)
  const written =
    day !== undefined
      ? `${day}T${minutes}${seconds}${isUtc ? 'Z' : zone.replace(/^(...):?/, '$1:')}`
      : namedMonth.test(text.trim())
        ? /(?:gmt|utc|[+-]\d{4})$/i.test(text.trim())
          ? text
          : `${text} UTC`
        : ''
  const time = Date.parse(written)
  return time >= 0 && time <= lastTime ? new Date(time).toISOString() : undefined
}

const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)

const isPicture = (name: string): boolean =>
  /\.(?:avif|bmp|gif|jpe?g|png|svg|tiff?|webp)(?:[?#]|$)/i.test(name)

/** Whether a text looks like the name or address of a file of a kind that editors put on pages. */
const looksLikeFile = (text: string): boolean =>
  text.length <= 2000 &&
  !/[\r\n]/.test(text) &&
  (isPicture(text) || /\.(?:pdf|mp4|webm|mp3|ogg|zip|docx?|xlsx?|pptx?)$/i.test(text))

const maxFields = 1000

/** Finds the fields of records of one type, and the values of each. */
export class Columns {
  readonly fields: readonly ImportedField[]
  private readonly columns: ReadonlyMap<string, Column>

  /**
   * @param type the name of the type in notes
   * @param taken names that fields have already
   * @throws HttpError 400 for too many names
   */
  constructor(
    type: string,
    rows: readonly NamedValues[],
    private readonly world: ColumnWorld,
    taken: Iterable<string> = [],
  ) {
    const values = new Map<string, { readonly row: number; readonly value: unknown }[]>()
    for (const [row, members] of rows.entries())
      for (const [name, value] of members) {
        const known = values.get(name) ?? []
        if (isFilled(value)) known.push({ row, value })
        values.set(name, known)
        if (values.size > maxFields) throw badRequest(`${type}: has more than ${maxFields} fields`)
      }
    const used = new Set([...taken].map(ignoringCase))
    this.columns = new Map(
      [...values].map(([original, own]) => {
        const place = `${type}.${original.slice(0, 100)}`
        const name = nameOf(original, used)
        if (name !== original) world.notes.add('Fields get a different name', `${place} is ${name}`)
        return [original, this.columnOf(original, name, own, place)]
      }),
    )
    this.fields = [...this.columns.values()].map(({ field }) => field)
  }

  /** @param row the place of the record */
  valuesOf(members: NamedValues, row: number): ImportedValues {
    const found = [...members].flatMap(([original, value]) => {
      const column = this.columns.get(original)
      const shown = column && isFilled(value) ? column.valueOf(value, row) : undefined
      return column && shown ? [[column.field.name, shown] as const] : []
    })
    return Object.fromEntries(found)
  }

  private columnOf(
    original: string,
    name: string,
    own: readonly { readonly row: number; readonly value: unknown }[],
    place: string,
  ): Column {
    const values = own.map(({ value }) => value)
    const base = { name, label: labelOf(original) || name }
    const media = this.mediaColumn(base, own)
    if (media) return media
    const kinds = new Set(values.map(value => typeof value))
    if (kinds.size === 1 && (kinds.has('boolean') || kinds.has('number')))
      return {
        field: { ...base, type: kinds.has('number') ? 'number' : 'boolean' },
        valueOf: value => ({ value }),
      }
    if (kinds.has('object')) return { field: { ...base, type: 'json' }, valueOf: value => ({ value }) }
    const texts = values.map(String)
    const type = textType(original, texts, () => undefined)
    const isTime = type === 'text' && texts.length > 0 && texts.every(text => looseTimeOf(text))
    if (isTime) {
      this.world.notes.add('Times without a zone are read as UTC', place)
      return {
        field: { ...base, type: 'datetime' },
        valueOf: value => ({ value: looseTimeOf(String(value)) ?? null }),
      }
    }
    return { field: { ...base, type }, valueOf: value => ({ value: String(value) }) }
  }

  /** A column in which every value names a file, or is a list of such. */
  private mediaColumn(
    base: Pick<ImportedField, 'name' | 'label'>,
    own: readonly { readonly row: number; readonly value: unknown }[],
  ): Column | undefined {
    const isMany = own.some(({ value }) => Array.isArray(value))
    const namesIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])
    const { fileOf } = this.world
    const isFile = (name: unknown, row: number) =>
      typeof name === 'string' && looksLikeFile(name) && fileOf(name, row) !== undefined
    if (own.length === 0 || !own.every(({ row, value }) => namesIn(value).every(one => isFile(one, row))))
      return undefined
    const isAllPictures = own.every(({ value }) => namesIn(value).every(one => isPicture(String(one))))
    const data = {
      ...(isAllPictures ? { kinds: ['image'] } : {}),
      ...(isMany ? { cardinality: 'many' } : {}),
    }
    return {
      field: { ...base, type: 'media', data },
      valueOf: (value, row) => ({ files: namesIn(value).flatMap(one => fileOf(String(one), row) ?? []) }),
    }
  }
}

/** A name for a type or field that no other has. */
export function nameOf(original: string, used: Set<string>): string {
  const isName = keyName.safeParse(original).success && original.length <= 200
  return takeName(isName ? original : camelCase(original).slice(0, 200), used, ignoringCase)
}
