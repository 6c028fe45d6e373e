import { adminWord } from '../../resources/admin-space.js'
import { localeResource } from '../../resources/locales.js'
import { redirectResource } from '../../resources/redirects.js'
import type { Resource } from '../../resources/resource.js'
import { userResource } from '../../resources/users.js'
import type { Access } from '../../services/accounts/access.js'
import { resourceView } from '../resource.js'
import type { Area } from '../screen/grid.js'
import { guardedBy } from '../screen/guarded.js'
import { pickView } from '../screen/over.js'
import { bold, dim, inverse, plain } from '../screen/style.js'
import type { AnyView, Shell, View } from '../screen/view.js'
import { inSpaceOfAdmins, type Session } from '../session.js'
import { auditScreen } from './audit.js'
import { backupsScreen } from './backups.js'
import { configurationScreen } from './configuration.js'
import { contentScreen } from './content.js'
import { datatypesScreen } from './datatypes.js'
import { mediaScreen } from './media.js'
import { mediaFoldersScreen } from './media-folders.js'
import { rolesScreen } from './roles.js'
import { routesScreen } from './routes.js'
import { searchScreen } from './search.js'
import { sshKeysScreen } from './ssh-keys.js'
import { tokensScreen } from './tokens.js'
import { webhooksScreen } from './webhooks.js'

interface Screen {
  readonly name: string
  readonly about: string
  readonly access: string
  open(session: Session): AnyView
}

/** Returns the screen of a resource without a screen of its own. */
const listOf =
  <R extends object>(describe: (session: Session) => Resource<R>) =>
  (session: Session): AnyView =>
    resourceView(session, describe(session))

const contentPlace: Screen = {
  name: 'Content',
  about: 'pages and their entries',
  access: 'content:update',
  open: contentScreen,
}
const ofMedia: readonly Screen[] = [
  { name: 'Media', about: 'files with their texts', access: 'media:read', open: mediaScreen },
  { name: 'Media folders', about: 'where files are kept', access: 'media:read', open: mediaFoldersScreen },
]
const ofStructure: readonly Screen[] = [
  { name: 'Routes', about: 'addresses of the site', access: 'routes:read', open: routesScreen },
  {
    name: 'Datatypes',
    about: 'kinds of entries and their fields',
    access: 'datatypes:read',
    open: datatypesScreen,
  },
]
/** The screens that both content spaces have. */
const ofSpace = [contentPlace, ...ofMedia, ...ofStructure]

/** All screens, in the order of the first one. */
const screens: readonly Screen[] = [
  contentPlace,
  { name: 'Search', about: 'words in what is published', access: 'content:read', open: searchScreen },
  ...ofMedia,
  ...ofStructure,
  {
    name: 'Redirects',
    about: 'where old addresses lead',
    access: 'routes:read',
    open: listOf(redirectResource),
  },
  { name: 'Locales', about: 'languages', access: 'content:read', open: listOf(localeResource) },
  {
    name: 'Admin space',
    about: 'the second space of content',
    access: adminWord('content:update'),
    open: adminSpaceScreen,
  },
  { name: 'People', about: 'users: who has an account', access: 'users:read', open: listOf(userResource) },
  { name: 'Roles', about: 'who may do what', access: 'roles:read', open: rolesScreen },
  { name: 'API keys', about: 'keys of programs', access: 'tokens:read', open: tokensScreen },
  { name: 'SSH keys', about: 'your own keys', access: 'signed-in', open: sshKeysScreen },
  {
    name: 'Webhooks',
    about: 'receivers of events, and their deliveries',
    access: 'webhook:read',
    open: webhooksScreen,
  },
  { name: 'Audit log', about: 'what was changed, as it happens', access: 'audit:read', open: auditScreen },
  { name: 'Backups', about: 'copies of everything', access: 'deploy:read', open: backupsScreen },
  {
    name: 'Settings',
    about: 'configuration: what the file says',
    access: 'config:read',
    open: configurationScreen,
  },
]

/** The screens that the role allows. */
const offered = (session: Session, of: readonly Screen[]) => of.filter(({ access }) => session.can(access))

/** Asks which screen to open. */
export const goToView = (session: Session, go: (view: AnyView) => void): AnyView =>
  pickView({
    title: 'Go to',
    choices: offered(session, screens).map(({ name, about }) => ({ value: name, word: name, hint: about })),
    picked([name]) {
      const screen = screens.find(one => one.name === name)
      if (screen) go(screen.open(session))
    },
  })

const steps: Readonly<Record<string, number>> = { up: -1, k: -1, down: 1, j: 1, home: -100, end: 100, G: 100 }

/** The first screen, which lists all others. */
export const homeView = (session: Session): View<number> => placesView('Slugline', session, screens)

/** The screens of the admin space: those of a space, over its services. */
function adminSpaceScreen(session: Session): AnyView {
  const inside = inSpaceOfAdmins(session)
  return guardedBy(access => adminWord(access as Access), placesView('Admin space', inside, ofSpace))
}

function placesView(title: string, session: Session, of: readonly Screen[]): View<number> {
  const shown = offered(session, of)
  const open = (at: number, shell: Shell<number>) => {
    const screen = shown[at]
    if (screen) shell.open(screen.open(session))
  }
  return {
    title: () => title,
    start: 0,
    update(at, key, shell) {
      const clicked = key.type === 'click' ? shown.findIndex(({ name }) => name === key.spot) : -1
      if (clicked >= 0 && clicked !== at) return clicked
      if (clicked >= 0) open(at, shell)
      if (key.type !== 'key') return at
      const step = steps[key.key]
      if (step !== undefined) return Math.max(0, Math.min(shown.length - 1, at + step))
      if (key.key === 'enter' || key.key === 'right' || key.key === 'l') open(at, shell)
      return at
    },
    draw: (area, at) => draw(area, shown, at),
    hints: () => [
      { key: '↑↓', does: 'move' },
      { key: 'Enter', does: 'open' },
      { key: 'g', does: 'go to' },
      { key: 'q', does: of === screens ? 'end the session' : 'back' },
    ],
  }
}

function draw(area: Area, shown: readonly Screen[], at: number): void {
  const top = Math.max(0, Math.min(at - Math.floor(area.height / 2), shown.length + 2 - area.height))
  const y = (i: number) => i + 1 - top
  for (const [i, { name, about }] of shown.entries()) {
    const isAt = i === at
    area.fill(2, y(i), Math.min(64, area.width - 4), 1, isAt ? inverse : plain)
    area.put(4, y(i), name, isAt ? inverse | bold : bold, 18)
    area.put(22, y(i), about, isAt ? inverse : dim, 42)
    area.spot(2, y(i), Math.min(64, area.width - 4), 1, name)
  }
}
