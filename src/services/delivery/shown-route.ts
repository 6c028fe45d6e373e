import type { ContentTree, LinkedEntries } from './tree.js'

type Route = NonNullable<ContentTree['route']>

/** The route with slug and title in the best of the locales, as values are shown; what has no locale comes last. */
export function shownRoute<R extends Route | undefined>(route: R, chain: readonly string[]): R | Route {
  if (!route || Object.keys(route.translations).length === 0) return route
  const best = (member: 'slug' | 'title'): string => {
    for (const locale of chain) {
      const text = route.translations[locale]?.[member]
      if (text !== undefined) return text
    }
    return route[member]
  }
  return { ...route, slug: best('slug'), title: best('title') }
}

/** The route as it is stored, with translations only for locales that may be seen. */
export const storedRoute = <R extends Route | undefined>(route: R, isSeen: (locale: string) => boolean) =>
  route && {
    ...route,
    translations: Object.fromEntries(Object.entries(route.translations).filter(([locale]) => isSeen(locale))),
  }

/** Entries of other trees with the addresses that they have in these locales. */
export const shownLinks = (linked: LinkedEntries, chain: readonly string[]): LinkedEntries =>
  chain.length === 0
    ? linked
    : new Map([...linked].map(([id, { node, route }]) => [id, { node, route: shownRoute(route, chain) }]))
