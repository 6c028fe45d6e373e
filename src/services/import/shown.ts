import type { ImportedEntry, ImportedValue, ImportedValues } from './site.js'
import { noSize, type Size, sizeOfJson, sumOf } from './size.js'

/** A record as the root of its system shows it to front ends. */
export interface ShownRecord {
  /** Its id in that system. */
  readonly id: string
  readonly createdAt?: string | undefined
  readonly changedAt?: string | undefined
  readonly publishedAt?: string | undefined
  readonly title?: string | undefined
  readonly slug?: string | undefined
  /** Its fields by their names here. */
  readonly members: Readonly<Record<string, unknown>>
}

/** One request of a front end, about some entries of an import. */
interface Question {
  readonly path: string
  readonly entries: readonly ImportedEntry[]
  /** Undefined for the default locale, or for all at once. */
  readonly locale?: string | undefined
  /** True if it needs a key that may read drafts. */
  readonly needsKey: boolean
  recordsIn(body: unknown): readonly ShownRecord[]
}

/** The names that front ends have for a datatype. */
export interface ShownType {
  readonly wordpress: string
  readonly strapi: string
  readonly children: string
  /** Whether everybody may read its published entries. */
  readonly isPublic: boolean
}

/** Returns the questions about entries of one type and state. At most 100 entries at once. */
export type Questions = (
  type: ShownType,
  entries: readonly ImportedEntry[],
  locales: readonly string[],
) => readonly Question[]

/** Asks the root of the other system in the site. */
export interface SiteRoot {
  readonly types: ReadonlyMap<string, ShownType>
  readonly questions: Questions
  ask(path: string, withKey: boolean): Promise<{ readonly status: number; readonly body: unknown }>
}

const countOf = (value: unknown): number => {
  if (Array.isArray(value)) return value.length
  return value === null || value === undefined || value === 0 || value === false ? 0 : 1
}

/** The size of a field as it is shown. Related records are counted in their own entries. */
function sizeOfMember(given: ImportedValue, shown: unknown): Size {
  if ('entries' in given) return noSize
  const size = sizeOfJson(shown)
  return 'files' in given ? { ...noSize, pictures: Math.max(size.pictures, countOf(shown)) } : size
}

const memberOf = (members: unknown, name: string): unknown =>
  typeof members === 'object' && members !== null && Object.hasOwn(members, name)
    ? (members as Readonly<Record<string, unknown>>)[name]
    : undefined

const sizeOfMembers = (given: ImportedValues, members: unknown): Size =>
  sumOf(Object.entries(given).map(([name, value]) => sizeOfMember(value, memberOf(members, name))))

/** The size of an entry as it is shown in a locale, with its children. Each datatype has its own name for them. */
export function sizeShown(
  entry: ImportedEntry,
  members: unknown,
  { types, locale }: { readonly types: SiteRoot['types']; readonly locale?: string | undefined },
): Size {
  const given = locale === undefined ? entry.values : (entry.translations?.[locale] ?? {})
  const list = memberOf(members, types.get(entry.type)?.children ?? '')
  const below = (entry.children ?? []).map((child, i) =>
    sizeShown(child, Array.isArray(list) ? list[i] : undefined, { types, locale }),
  )
  return sumOf([sizeOfMembers(given, members), ...below])
}
