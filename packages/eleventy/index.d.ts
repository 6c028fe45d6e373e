import type { Query, Slugline } from '@slugline/client'

export interface PluginOptions {
  /**
   * Queries whose entries become global data under these names, all pages of each: one request for 200 entries.
   * A name that Eleventy uses itself, such as `tags`, is refused.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a site takes queries of any model
  readonly queries?: Readonly<Record<string, Query<any, any, any>>>
  /** The languages of the site. With them, each name holds an object with a list for each language. */
  readonly locales?: readonly string[]
  /** A client whose key may read routes. Old addresses then have pages that lead to the current ones. */
  readonly redirects?: Pick<Slugline, 'redirects'>
}

/** The plugin, for `eleventy.addPlugin(plugin, options)`. */
export default function slugline(eleventy: object, options?: PluginOptions): void
