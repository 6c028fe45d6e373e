import type { Metas, WordpressItem } from './export.js'
import { phpArray } from './php-value.js'

/** A field of Advanced Custom Fields (ACF), as far as the export says. */
export interface AcfField {
  readonly type: string
  readonly label: string
  readonly isMultiple: boolean
  readonly choices: ReadonlyMap<string, string>
}

type Definitions = ReadonlyMap<string, AcfField>

/** Texts as they are stored; values with parts are JSON. */
export type MetaValue = string | { readonly json: unknown }

export interface Meta {
  readonly value: MetaValue
  readonly field: AcfField | undefined
  readonly isAcf: boolean
}

/** The fields that an export says that ACF has, by their keys, such as `field_5f1a`. */
export function acfFields(items: Iterable<WordpressItem>): Definitions {
  const fields = new Map<string, AcfField>()
  for (const item of items) {
    const { slug, title } = item
    const settings = phpArray(item.texts().content)
    if (!settings || Array.isArray(settings) || typeof settings.type !== 'string') continue
    const { choices, multiple } = settings
    const labels = typeof choices === 'object' && choices !== null ? Object.entries(choices) : []
    fields.set(slug, {
      type: settings.type,
      label: title,
      isMultiple: multiple === 1 || multiple === '1' || multiple === true,
      choices: new Map(labels.map(([value, label]) => [value, String(label)])),
    })
  }
  return fields
}

/** Types of fields that consist of parts, whose names begin with the name of the whole. */
const composites: ReadonlySet<string> = new Set(['repeater', 'group', 'flexible_content'])

class MetaReader {
  constructor(
    private readonly metas: Metas,
    private readonly definitions: Definitions,
  ) {}

  read(): Map<string, Meta> {
    const names = [...this.metas.keys()].filter(name => name !== '' && !name.startsWith('_'))
    return this.within('', names)
  }

  private keyOf(name: string): string | undefined {
    const [key] = this.metas.get(`_${name}`) ?? []
    return key?.startsWith('field_') ? key : undefined
  }

  private fieldOf(name: string): AcfField | undefined {
    const key = this.keyOf(name)
    return key === undefined ? undefined : this.definitions.get(key)
  }

  /** @param names the rest of names behind the prefix */
  private within(prefix: string, names: readonly string[]): Map<string, Meta> {
    const numbered = new Set(names.flatMap(name => /^(.+?)_0_./.exec(name)?.[1] ?? []))
    const wholes = new Map<string, string[]>()
    for (const name of names) {
      const type = this.fieldOf(prefix + name)?.type
      const isAcf = this.keyOf(prefix + name) !== undefined
      if (type === undefined ? isAcf && numbered.has(name) : composites.has(type)) wholes.set(name, [])
    }
    const own: string[] = []
    for (const name of names) {
      const parts = wholes.get(wholeOf(name, wholes) ?? '')
      if (parts) parts.push(name)
      else own.push(name)
    }
    return new Map(own.map(name => [name, this.meta(prefix, name, wholes.get(name))]))
  }

  private meta(prefix: string, name: string, parts: readonly string[] | undefined): Meta {
    const field = this.fieldOf(prefix + name)
    const isAcf = this.keyOf(prefix + name) !== undefined
    const values = this.metas.get(prefix + name) ?? []
    const [text = ''] = values
    if (parts) return { value: { json: this.composite(prefix, name, text, parts) }, field, isAcf }
    if (values.length > 1)
      return { value: { json: values.map(value => phpArray(value) ?? value) }, field, isAcf }
    const array = phpArray(text)
    return { value: array ? { json: array } : text, field, isAcf }
  }

  private composite(prefix: string, name: string, text: string, parts: readonly string[]): unknown {
    const rests = parts.map(part => part.slice(name.length + 1))
    const inside = `${prefix}${name}_`
    if (this.fieldOf(prefix + name)?.type === 'group') return this.plain(inside, rests)
    const rows = new Map<number, string[]>()
    for (const rest of rests) {
      const [, number = '', member = ''] = /^(\d{1,6})_(.+)$/.exec(rest) ?? []
      if (member === '') continue
      const row = rows.get(Number(number)) ?? []
      row.push(member)
      rows.set(Number(number), row)
    }
    const layouts = phpArray(text)
    const count = Array.isArray(layouts) ? layouts.length : Number(text)
    const inOrder = [...rows].filter(([number]) => number < count).sort(([a], [b]) => a - b)
    return inOrder.map(([number, members]) => ({
      ...(Array.isArray(layouts) ? { acf_fc_layout: layouts[number] } : {}),
      ...this.plain(`${inside}${number}_`, members),
    }))
  }

  private plain(prefix: string, names: readonly string[]): Record<string, unknown> {
    const metas = [...this.within(prefix, names)]
    return Object.fromEntries(metas.map(([name, { value, field }]) => [name, plainValue(value, field)]))
  }
}

function plainValue(value: MetaValue, field: AcfField | undefined): unknown {
  if (typeof value !== 'string') return value.json
  if (field?.type === 'true_false') return value === '1'
  const isNumber = ['number', 'range', 'image', 'file'].includes(field?.type ?? '')
  return isNumber && value !== '' && Number.isFinite(Number(value)) ? Number(value) : value
}

function wholeOf(name: string, wholes: ReadonlyMap<string, unknown>): string | undefined {
  if (wholes.size === 0) return undefined
  for (let at = name.indexOf('_'); at > 0; at = name.indexOf('_', at + 1)) {
    const whole = name.slice(0, at)
    if (wholes.has(whole) && at < name.length - 1) return whole
  }
  return undefined
}

/** The custom values of a post by their names, those of repeaters and groups as one. */
export const metaValues = (metas: Metas, definitions: Definitions): Map<string, Meta> =>
  new MetaReader(metas, definitions).read()
