import type {
  ImportedEntry,
  ImportedField,
  ImportedType,
  ImportedValues,
} from '../../services/import/site.js'
import { sizeOfValues } from '../../services/import/size.js'
import { isSlugText } from '../../services/text.js'
import { slugified, textsIn } from './addresses.js'

const kinds = [
  { field: 'tags', type: 'tag', names: ['tags', 'tag'] },
  { field: 'categories', type: 'category', names: ['categories', 'category'] },
] as const

type Members = ReadonlyMap<string, unknown>

const maxName = 255

/** Tags and categories, which are entries of their own. */
export class Terms {
  private readonly found = new Map<string, { readonly type: string; readonly name: string }>()

  fieldsOf(pages: readonly Members[]): ImportedField[] {
    return kinds
      .filter(({ names }) => pages.some(members => names.some(name => members.has(name))))
      .map(({ field, type }) => ({
        ...{ name: field, label: field === 'tags' ? 'Tags' : 'Categories', type: 'relation' },
        data: { target: type, cardinality: 'many' },
      }))
  }

  valuesOf(members: Members): ImportedValues {
    const values = kinds.flatMap(({ field, type, names }) => {
      const keys = names.flatMap(name => textsIn(members.get(name))).map(name => this.take(type, name))
      return keys.length > 0 ? [[field, { entries: [...new Set(keys)] }] as const] : []
    })
    return Object.fromEntries(values)
  }

  private take(type: string, given: string): string {
    const name = given.replaceAll(/\s+/g, ' ').slice(0, maxName)
    const key = `${type}:${name.toLowerCase()}`
    if (!this.found.has(key)) this.found.set(key, { type, name })
    return key
  }

  made(createdAt: string): {
    readonly types: readonly ImportedType[]
    readonly entries: readonly ImportedEntry[]
  } {
    const types = kinds
      .filter(({ type }) => [...this.found.values()].some(one => one.type === type))
      .map(({ type }) => ({
        ...{ name: type, label: type === 'tag' ? 'Tag' : 'Category', hasPages: false },
        fields: [
          { name: 'name', label: 'Name', type: 'text' },
          { name: 'slug', label: 'Slug', type: 'slug' },
        ] as const,
      }))
    const entries = [...this.found].map(([key, { type, name }]) => {
      const slug = slugified(name)
      const values = { name: { value: name }, ...(isSlugText(slug) ? { slug: { value: slug } } : {}) }
      return {
        ...{ key, ids: [{ kind: type, id: name.toLowerCase() }], type, isPublished: true },
        ...{ createdAt, isUndated: true, values, source: { size: sizeOfValues(values) } },
      }
    })
    return { types, entries }
  }
}
