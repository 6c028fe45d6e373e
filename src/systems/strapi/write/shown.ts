/** Members of a document by their names. */
export type Written = Record<string, unknown>

/**
 * Which references are written: `everything` as far as it was read, only `names` of entries with media in full, `one`
 * level with nothing behind it, none, or those that are named.
 */
export type Populate = 'everything' | 'names' | 'one' | 'none' | ReadonlyMap<string, StrapiShown>

/** How much of a document is written. */
export interface StrapiShown {
  readonly fields?: ReadonlySet<string> | undefined
  readonly populate: Populate
  readonly on?: ReadonlyMap<string, StrapiShown> | undefined
  readonly sort?: readonly { readonly name: string; readonly descending: boolean }[] | undefined
}

export const everything: StrapiShown = { populate: 'everything' }
export const nothing: StrapiShown = { populate: 'none' }

/** The part of the request for the target of a reference; undefined if the reference is not shown. */
export function behind({ populate }: StrapiShown, name: string): StrapiShown | undefined {
  if (typeof populate === 'object') return populate.get(name)
  if (populate === 'none') return undefined
  return populate === 'everything' ? { populate: 'names' } : nothing
}

/** Where a document has itself in its other locales. */
export const localizationsKey = 'localizations'

/** Without `populate`, as much of the others as a choice of languages needs. */
const asNamed: StrapiShown = {
  fields: new Set(['title', 'slug', 'locale', 'createdAt', 'updatedAt', 'publishedAt']),
  populate: 'none',
}

/** How much is written of a document in its other locales; undefined for nothing. */
export function localizationsIn({ populate }: StrapiShown): StrapiShown | undefined {
  if (typeof populate === 'object') return populate.get(localizationsKey)
  if (populate === 'everything') return asNamed
  return populate === 'one' ? nothing : undefined
}

/** The wanted members of a document. */
export const only = <T>(written: Record<string, T>, { fields }: Pick<StrapiShown, 'fields'>) =>
  fields ? Object.fromEntries(Object.entries(written).filter(([name]) => fields.has(name))) : written

type Shape = string | null | readonly Shape[]

/** The request as JSON, which is the cache key of documents that were written for it. */
export const shapeOf = ({ fields, populate, on, sort }: StrapiShown): Shape => [
  sort ? sort.map(({ name, descending }) => [name, descending ? 'desc' : 'asc']) : null,
  fields ? [...fields] : null,
  typeof populate === 'string' ? populate : inPlaces(populate),
  on ? inPlaces(on) : null,
]
const inPlaces = (places: ReadonlyMap<string, StrapiShown>): Shape =>
  [...places].map(([name, shown]) => [name, shapeOf(shown)])
