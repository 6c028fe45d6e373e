import type { Entry, Operator, Query, SluglineError } from '@slugline/client'
import type { LiveLoader, Loader } from 'astro/loaders'

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

/** One entry: by its id, or by its slug, which is that of the default language. */
export type LiveEntry = ({ id: string; slug?: undefined } | { slug: string; id?: undefined }) & {
  locale?: string
}

export interface LiveList {
  locale?: string
  /** Conditions beside those of the query; all must hold. */
  where?: readonly (readonly [name: string, operator: Operator, value: unknown])[]
  /** At most this many entries, 1 to 200; without it all. */
  limit?: number
}

/** A loader that asks the service whenever a page is rendered, for live content collections. */
export function liveEntries<E extends Entry = Entry>(
  // biome-ignore lint/suspicious/noExplicitAny: a loader takes the query of any model
  query: Query<any, any, any>,
  options?: Pick<LoaderOptions, 'body'>,
): LiveLoader<E & Record<string, unknown>, LiveEntry, LiveList, SluglineError>
