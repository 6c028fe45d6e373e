/** A place to go to. */
export interface Place {
  readonly word: string
  readonly hint: string
  readonly path: string
  readonly icon: string
}

const storageName = 'recent places'
const maxRecent = 6

function stored(): Place[] {
  try {
    return JSON.parse(sessionStorage.getItem(storageName) ?? '[]') as Place[]
  } catch {
    return []
  }
}

/** The last pages of this tab, the newest first, without the current one. */
export const recentPlaces = (): Place[] =>
  stored()
    .filter(({ path }) => path !== location.pathname)
    .slice(0, maxRecent)

/** Stores this page as a recent place until the tab is closed, or the user signs out. */
export function placeNow(): void {
  const heading = document.querySelector('#main h1')?.textContent?.trim()
  if (!document.querySelector('.rail')) sessionStorage.removeItem(storageName)
  const isPlace = /\/\w{26}$/.test(location.pathname)
  if (!heading || !isPlace) return
  const current = document.querySelector('.rail [aria-current] use')?.getAttribute('href')?.split('#')[1]
  const crumb = document.querySelector('.crumbs a')?.textContent ?? ''
  const place = { word: heading, hint: crumb, path: location.pathname, icon: current ?? 'content' }
  const others = stored().filter(({ path }) => path !== place.path)
  try {
    sessionStorage.setItem(storageName, JSON.stringify([place, ...others].slice(0, maxRecent + 1)))
  } catch {
    // Storage is full or forbidden: there are no recent places.
  }
}
