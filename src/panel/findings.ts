import type { Ctx } from '../middleware/context.js'
import { all } from '../resources/entries.js'
import { foundEntries, mediaName } from '../resources/views/search.js'
import type { Access } from '../services/accounts/access.js'
import type { PlainText } from '../texts/text.js'
import type { PanelContext } from './context.js'
import { addressOfPlace, placesOf } from './rail.js'
import { panelActor, type View } from './view.js'

interface Finding {
  readonly word: string
  readonly hint: string
  readonly path: string
  readonly icon: string
}

interface PageFinding extends Finding {
  readonly route_id: string
}

interface Part<F extends Finding> {
  readonly items: readonly F[]
  readonly isMore: boolean
}

const none = { items: [], isMore: false }

export interface Findings extends Part<Finding> {
  readonly name: 'Content' | 'Media' | 'People' | 'Commands'
  /** The name in the language of the user. */
  readonly title: string
}

/** Actions that can be started from everywhere, with their labels. */
const actions: readonly { word: PlainText; path: string; icon: string; access: Access; site?: true }[] = [
  { word: 'New page', path: '/content/new', icon: 'add', access: 'routes:create' },
  { word: 'Upload files', path: '/media', icon: 'media', access: 'media:create' },
  { word: 'New datatype', path: '/datatypes/new', icon: 'add', access: 'datatypes:create' },
  { word: 'New redirect', path: '/redirects/new', icon: 'add', access: 'routes:create', site: true },
  { word: 'New locale', path: '/locales/new', icon: 'add', access: 'content:admin', site: true },
  { word: 'New person', path: '/users/new', icon: 'add', access: 'users:create', site: true },
  { word: 'New role', path: '/roles/new', icon: 'add', access: 'roles:create', site: true },
  { word: 'New API key', path: '/tokens/new', icon: 'add', access: 'tokens:create', site: true },
  { word: 'New webhook', path: '/webhooks/new', icon: 'add', access: 'webhook:create', site: true },
  { word: 'Back up now', path: '/backups', icon: 'backups', access: 'deploy:create', site: true },
  { word: 'Change password', path: '/profile', icon: 'profile', access: 'signed-in', site: true },
  { word: 'Sign out', path: '/profile', icon: 'profile', access: 'signed-in', site: true },
]

interface Asked {
  context: PanelContext
  view: View
  c: Ctx
  text: string
}

function doings({ view, text }: Asked, isSite: boolean): Finding[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (word: string) => words.every(one => word.toLowerCase().includes(one))
  const places = placesOf(view).map(place => ({
    word: view.t('Go to {place}', { place: place.word }),
    path: addressOfPlace(view, place),
    icon: place.icon,
  }))
  const own = actions
    .filter(({ access, site }) => view.can(access) && (isSite || !site))
    .map(({ word, path, icon }) => ({ word: view.t(word), icon, path: `${view.base}${path}` }))
  return [...own, ...places].filter(({ word }) => fits(word)).map(one => ({ ...one, hint: '' }))
}

async function routes({ context, view, c, text }: Asked): Promise<Part<PageFinding>> {
  if (!view.can('routes:read')) return none
  const { space } = context.services
  const { keys: route_id, isMore } = await space.matchingRoutes(text)
  if (route_id.length === 0) return none
  // A user who may only read must not learn of pages that are not public.
  const seen = await space.records.routes(panelActor(c))
  const found = await Promise.all(route_id.map(id => seen.get(id).catch(() => undefined)))
  const front = `${view.base}/${view.can('content:update') ? 'content' : 'routes'}`
  const items = found.flatMap(route =>
    route
      ? [
          {
            word: route.title,
            hint: route.slug,
            path: `${front}/${route.route_id}`,
            icon: 'routes',
            route_id: route.route_id,
          },
        ]
      : [],
  )
  return { items, isMore }
}

/** Returns public entries by their words. @param known pages that were found by their titles */
async function entries(
  { context, view, text }: Asked,
  most: number,
  known: ReadonlySet<string>,
): Promise<Finding[]> {
  if (!view.can('content:update') || !view.can('content:read')) return []
  const found = await foundEntries(text.slice(0, 200), most, context)
  return found
    .filter(({ route_id }) => !known.has(route_id ?? ''))
    .map(({ id, title, type, slug }) => ({
      word: title,
      hint: [type, slug].filter(Boolean).join(' · '),
      path: `${view.base}/content/entry/${id}`,
      icon: 'content',
    }))
}

async function files({ context, view, text }: Asked, most: number): Promise<Finding[]> {
  if (!view.can('media:read') || text.length > 255) return []
  const found = await all(context.services.media.items.list({ text }, { limit: most }))
  return found.map(media => ({
    word: mediaName(media),
    hint: media.mimetype,
    path: `${view.base}/media/${media.media_id}`,
    icon: 'media',
  }))
}

async function people({ context, view, text }: Asked): Promise<Part<Finding>> {
  if (!view.can('users:read')) return none
  const { matchingUsers, users } = context.services
  const { keys, isMore } = await matchingUsers(text)
  const found = await Promise.all(keys.map(id => users.get(id)))
  const items = found.map(({ user_id, name, username, email }) => ({
    word: name || username,
    hint: email,
    path: `${view.base}/users/${user_id}`,
    icon: 'people',
  }))
  return { items, isMore }
}

/** Returns the results for a text by kind, as far as the user may read them; without a text the actions. */
export async function findingsOf(asked: Asked, isSite: boolean, most: number): Promise<Findings[]> {
  const groups: Findings[] = []
  const add = (name: Findings['name'], { items, isMore }: Part<Finding>, limit = most) =>
    groups.push({
      name,
      title: asked.view.t(name),
      items: items.slice(0, limit),
      isMore: isMore || items.length > limit,
    })
  if (asked.text !== '') {
    const pages = await routes(asked)
    const known = new Set(pages.items.map(({ route_id }) => route_id))
    const others = await entries(asked, most + 1, known)
    add('Content', { items: [...pages.items, ...others], isMore: pages.isMore })
    add('Media', { items: await files(asked, most + 1), isMore: false })
    if (isSite) add('People', await people(asked))
  }
  add('Commands', { items: doings(asked, isSite), isMore: false }, asked.text === '' ? 100 : most)
  return groups.filter(({ items }) => items.length > 0)
}
