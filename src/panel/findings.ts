import type { Ctx } from '../middleware/context.js'
import { type Finder, foundMedia, foundPages, foundPeople, foundTexts } from '../resources/views/find.js'
import { mediaName } from '../resources/views/search.js'
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
    word: place.outside ? place.word : view.t('Go to {place}', { place: place.word }),
    path: addressOfPlace(view, place),
    icon: place.icon,
  }))
  const own = actions
    .filter(({ access, site }) => view.can(access) && (isSite || !site))
    .map(({ word, path, icon }) => ({ word: view.t(word), icon, path: `${view.base}${path}` }))
  return [...own, ...places].filter(({ word }) => fits(word)).map(one => ({ ...one, hint: '' }))
}

const finderOf = ({ context, view, c }: Asked): Finder => ({
  services: context.services,
  actor: panelActor(c),
  can: access => view.can(access as Access),
})

async function routes(asked: Asked): Promise<Part<PageFinding>> {
  const { view, text } = asked
  const { items, isMore } = await foundPages(finderOf(asked), text)
  const front = `${view.base}/${view.can('content:update') ? 'content' : 'routes'}`
  return {
    isMore,
    items: items.map(({ title, slug, route_id }) => ({
      word: title,
      hint: slug,
      path: `${front}/${route_id}`,
      icon: 'routes',
      route_id,
    })),
  }
}

/** Returns entries by their words. @param known pages that were found by their titles */
async function entries(asked: Asked, most: number, known: readonly PageFinding[]): Promise<Finding[]> {
  const found = await foundTexts(finderOf(asked), asked.text, most, known)
  return found.map(({ id, title, type, slug }) => ({
    word: title,
    hint: [type, slug].filter(Boolean).join(' · '),
    path: `${asked.view.base}/content/entry/${id}`,
    icon: 'content',
  }))
}

async function files(asked: Asked, most: number): Promise<Finding[]> {
  const found = await foundMedia(finderOf(asked), asked.text, most)
  return found.map(media => ({
    word: mediaName(media),
    hint: media.mimetype,
    path: `${asked.view.base}/media/${media.media_id}`,
    icon: 'media',
  }))
}

async function people(asked: Asked): Promise<Part<Finding>> {
  const { items, isMore } = await foundPeople(finderOf(asked), asked.text)
  return {
    isMore,
    items: items.map(({ user_id, name, username, email }) => ({
      word: name || username,
      hint: email,
      path: `${asked.view.base}/users/${user_id}`,
      icon: 'people',
    })),
  }
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
    const others = await entries(asked, most + 1, pages.items)
    add('Content', { items: [...pages.items, ...others], isMore: pages.isMore })
    add('Media', { items: await files(asked, most + 1), isMore: false })
    if (isSite) add('People', await people(asked))
  }
  add('Commands', { items: doings(asked, isSite), isMore: false }, asked.text === '' ? 100 : most)
  return groups.filter(({ items }) => items.length > 0)
}
