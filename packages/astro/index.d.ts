import type { Entry, Query } from '@slugline/client'
import type { Loader } from 'astro/loaders'

export interface LoaderOptions {
  /** The languages of the collection, with one list of entries for each; the default language unless given. */
  readonly locales?: readonly string[]
  /** The rich text field that `<Content />` renders. */
  readonly body?: string
}

/** The data of a collection's entry. */
export type Loaded<E = Entry> = E & {
  /** The language for which the entry was read; `locale` is the one that it is shown in. */
  language?: string
  /** The place of the entry in the query's order. */
  position: number
}

/**
 * A loader of the entries that a query finds: one request for 200 of them, in each language. The id of an entry in the
 * collection is `<language>/<id>`, or `<id>` without `locales`.
 */
// biome-ignore lint/suspicious/noExplicitAny: a loader takes the query of any model
export function entries(query: Query<any, any, any>, options?: LoaderOptions): Loader
