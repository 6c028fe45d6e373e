import type { Access } from '../services/accounts/access.js'
import type { PlainText } from '../texts/text.js'
import { panelPath } from './context.js'
import { Icon } from './parts.js'
import type { View } from './view.js'

/** A place that every page links to. */
export interface Place {
  readonly path: string
  readonly word: PlainText
  readonly icon: string
  readonly access: Access
  readonly phone?: true
  /** The key after `g`. */
  readonly key?: string
  /** Whether the path belongs to the whole panel, also for a space with pages of its own. */
  readonly outside?: true
  /** Another path whose pages belong to the place. */
  readonly also?: string
  /** A permission: whoever has it finds the place under the settings, and not in the rail. */
  readonly under?: Access
}

interface Group {
  readonly name?: PlainText
  readonly places: readonly Place[]
}

const overview = {
  path: '/',
  word: 'Overview',
  icon: 'home',
  access: 'signed-in',
  phone: true,
  key: 'h',
} satisfies Place
const content: readonly Place[] = [
  { path: '/content', word: 'Content', icon: 'content', access: 'content:update', phone: true, key: 'c' },
  { path: '/media', word: 'Media', icon: 'media', access: 'media:read', phone: true, key: 'm' },
  { path: '/trash', word: 'Trash', icon: 'trash', access: 'content:update', key: 'x' },
]
const calendar: Place = {
  path: '/calendar',
  word: 'Calendar',
  icon: 'calendar',
  access: 'content:update',
  phone: true,
}
const structure: readonly Place[] = [
  { path: '/routes', word: 'Routes', icon: 'routes', access: 'routes:read', key: 'r' },
  {
    path: '/datatypes',
    word: 'Datatypes',
    icon: 'datatypes',
    access: 'datatypes:read',
    key: 'd',
    also: '/fields',
  },
]

const settings: Access = 'config:read'
const adminSpace: Place = {
  path: '/space/content',
  word: 'Admin space',
  icon: 'space',
  access: 'admin_tree:update',
  under: settings,
}
const imports: Place = {
  path: '/import',
  word: 'Imports',
  icon: 'imports',
  access: 'import:read',
  under: settings,
}

/** The places that the page of the settings leads to. */
export const underSettings: readonly Place[] = [imports, adminSpace]

const ofSite: readonly Group[] = [
  { places: [overview, ...content, calendar] },
  {
    name: 'Structure',
    places: [
      ...structure,
      { path: '/redirects', word: 'Redirects', icon: 'redirects', access: 'routes:read' },
      { path: '/locales', word: 'Locales', icon: 'locales', access: 'content:read' },
      adminSpace,
    ],
  },
  {
    name: 'Service',
    places: [
      { path: '/users', word: 'People', icon: 'people', access: 'users:read', key: 'p' },
      { path: '/roles', word: 'Roles', icon: 'roles', access: 'roles:read' },
      { path: '/tokens', word: 'API keys', icon: 'keys', access: 'tokens:read' },
      { path: '/webhooks', word: 'Webhooks', icon: 'webhooks', access: 'webhook:read', key: 'w' },
      { path: '/audit', word: 'Audit log', icon: 'audit', access: 'audit:read', key: 'a' },
      { path: '/backups', word: 'Backups', icon: 'backups', access: 'deploy:read' },
      imports,
      { path: '/settings', word: 'Settings', icon: 'settings', access: settings, key: 's', also: '/import' },
    ],
  },
]

const ofAdminSpace: readonly Group[] = [
  { places: [{ ...overview, word: 'Back to the site', icon: 'back', outside: true }] },
  { name: 'Admin space', places: [...content, ...structure] },
]

const groupsOf = ({ base }: View) => (base === panelPath ? ofSite : ofAdminSpace)

/** Returns the places that the user may see, with their words in the language of the view. */
export const placesOf = (view: View) =>
  groupsOf(view)
    .flatMap(({ places }) => places)
    .filter(({ access }) => view.can(access))
    .map(place => ({ ...place, word: view.t(place.word) }))

export const addressOfPlace = ({ base }: View, { path, outside }: Pick<Place, 'path' | 'outside'>): string =>
  `${outside ? panelPath : base}${path === '/' ? '' : path}`

const isWithin = (at: string, path: string) => at === path || (path !== '/' && at.startsWith(`${path}/`))

const isAt = ({ path: at }: View, { path, also, outside }: Place): boolean =>
  !outside && (isWithin(at, path) || (also !== undefined && isWithin(at, also)))

const isInRail = ({ can }: View, { access, under }: Place): boolean => can(access) && !(under && can(under))

const PlaceLink = ({ view, place }: { view: View; place: Place }) => (
  <a
    href={addressOfPlace(view, place)}
    class={place.phone ? undefined : 'low'}
    title={view.t(place.word)}
    data-go={place.key}
    aria-current={isAt(view, place) ? 'page' : undefined}
  >
    <Icon view={view} name={place.icon} />
    <span class="word">{view.t(place.word)}</span>
  </a>
)

/** The navigation on the left of every page. */
export function Rail({ view }: { view: View }) {
  const seen = groupsOf(view)
    .map(({ name, places }) => ({ name, places: places.filter(place => isInRail(view, place)) }))
    .filter(({ places }) => places.length > 0)
  return (
    <nav class={view.base === panelPath ? 'rail' : 'rail other'} aria-label={view.t('Main')}>
      <a class="brand" href={panelPath}>
        <span class="word">Slugline</span>
      </a>
      {seen.map(({ name, places }) => (
        <>
          {name && <h2>{view.t(name)}</h2>}
          {places.map(place => (
            <PlaceLink view={view} place={place} />
          ))}
        </>
      ))}
      <span class="spacer" />
      <a
        href={`${panelPath}/profile`}
        title={view.t('Profile')}
        aria-current={view.base === panelPath && isWithin(view.path, '/profile') ? 'page' : undefined}
      >
        <Icon view={view} name="profile" />
        <span class="word own-name">{view.user?.name}</span>
        <span class="word on-phone">{view.t('Profile')}</span>
      </a>
    </nav>
  )
}
