import { adminWord } from '../../resources/admin-space.js'
import { localeResource } from '../../resources/locales.js'
import { redirectResource } from '../../resources/redirects.js'
import type { Resource } from '../../resources/resource.js'
import { userResource } from '../../resources/users.js'
import type { Access } from '../../services/accounts/access.js'
import { t } from '../../texts/terminal.js'
import { resourceView } from '../resource.js'
import type { Area } from '../screen/grid.js'
import { guardedBy } from '../screen/guarded.js'
import { bold, dim, inverse, plain } from '../screen/style.js'
import type { AnyView, Shell, View } from '../screen/view.js'
import { inSpaceOfAdmins, type Session } from '../session.js'
import { auditScreen } from './audit.js'
import { backupsScreen } from './backups.js'
import { configurationScreen } from './configuration.js'
import { contentScreen } from './content.js'
import { datatypesScreen } from './datatypes.js'
import { drawLive, type LiveState, liveReader, liveScreen, liveStart } from './live.js'
import { mediaScreen } from './media.js'
import { mediaFoldersScreen } from './media-folders.js'
import { paletteView } from './palette.js'
import { rolesScreen } from './roles.js'
import { routesScreen } from './routes.js'
import { searchScreen } from './search.js'
import { sshKeysScreen } from './ssh-keys.js'
import { tokensScreen } from './tokens.js'
import { trashScreen } from './trash.js'
import { webhooksScreen } from './webhooks.js'

interface Screen {
  readonly name: string
  readonly about: string
  readonly access: string
  /** Whether it is about the user's own account, which guests do not have. */
  readonly isOwn?: boolean
  open(session: Session): AnyView
}

const listOf =
  <R extends object>(describe: (session: Session) => Resource<R>) =>
  (session: Session): AnyView =>
    resourceView(session, { ...describe(session), byAge: t('Created') })

const contentPlace: Screen = {
  name: t('Content'),
  about: t('pages and their entries'),
  access: 'content:update',
  open: contentScreen,
}
const ofMedia: readonly Screen[] = [
  { name: t('Media'), about: t('files and their texts'), access: 'media:read', open: mediaScreen },
  { name: t('Media folders'), about: t('folders of media'), access: 'media:read', open: mediaFoldersScreen },
]
const trashPlace: Screen = {
  name: t('Trash'),
  about: t('deleted content, to restore'),
  access: 'content:update',
  open: trashScreen,
}
const ofStructure: readonly Screen[] = [
  { name: t('Routes'), about: t('addresses of the site'), access: 'routes:read', open: routesScreen },
  {
    name: t('Datatypes'),
    about: t('types of entries and their fields'),
    access: 'datatypes:read',
    open: datatypesScreen,
  },
]
const ofSpace = [contentPlace, ...ofMedia, ...ofStructure, trashPlace]

const screens: readonly Screen[] = [
  contentPlace,
  { name: t('Search'), about: t('search in published content'), access: 'content:read', open: searchScreen },
  ...ofMedia,
  trashPlace,
  ...ofStructure,
  {
    name: t('Redirects'),
    about: t('old addresses that lead to new ones'),
    access: 'routes:read',
    open: listOf(redirectResource),
  },
  { name: t('Locales'), about: t('languages'), access: 'content:read', open: listOf(localeResource) },
  {
    name: t('Admin space'),
    about: t('a second content space'),
    access: adminWord('content:update'),
    open: adminSpaceScreen,
  },
  { name: t('People'), about: t('user accounts'), access: 'users:read', open: listOf(userResource) },
  { name: t('Roles'), about: t('permissions of users'), access: 'roles:read', open: rolesScreen },
  { name: t('API keys'), about: t('access for programs'), access: 'tokens:read', open: tokensScreen },
  { name: t('SSH keys'), about: t('your own keys'), access: 'signed-in', isOwn: true, open: sshKeysScreen },
  {
    name: t('Webhooks'),
    about: t('receivers of events, and their deliveries'),
    access: 'webhook:read',
    open: webhooksScreen,
  },
  {
    name: t('Live'),
    about: t('requests, changes and schedules, live'),
    access: 'signed-in',
    open: liveScreen,
  },
  { name: t('Audit log'), about: t('who changed what, live'), access: 'audit:read', open: auditScreen },
  {
    name: t('Backups'),
    about: t('copies of all rows and media'),
    access: 'deploy:read',
    open: backupsScreen,
  },
  {
    name: t('Settings'),
    about: t('configuration of the service'),
    access: 'config:read',
    open: configurationScreen,
  },
]

const offered = (session: Session, of: readonly Screen[]) =>
  of.filter(({ access, isOwn }) => session.can(access) && !(isOwn && session.actor.userId === null))

/**
 * Asks what to open: a screen, or anything that is found.
 * @param typed the text to begin with
 */
export const goToView = (session: Session, go: (view: AnyView) => void, typed = ''): AnyView =>
  paletteView(session, offered(session, screens), go, typed)

const steps: Readonly<Record<string, number>> = { up: -1, k: -1, down: 1, j: 1, home: -100, end: 100, G: 100 }

interface PlacesState {
  readonly at: number
  readonly live: LiveState
}

/** From this width on the first screen shows what happens beside the menu. */
const withLive = 110
const menuOf = (width: number) => Math.max(50, Math.min(68, Math.floor(width * 0.4)))

/** The first screen, which lists all others; in a wide window it also shows what happens in the service. */
export function homeView(session: Session): View<PlacesState> {
  const read = liveReader(session)
  let isSeen = false
  return {
    ...placesView(t('Slugline'), session, screens),
    everyMs: 1000,
    shown(shell) {
      // In a narrow window nothing of it is drawn.
      if (!isSeen) return
      shell.work('signed-in', async () => {
        const live = await read()
        return state => ({ ...state, live })
      })
    },
    draw(area, { at, live }) {
      const isWide = area.width >= withLive
      isSeen = isWide
      const menuWidth = menuOf(area.width)
      const menu = isWide ? area.part(0, 0, menuWidth, area.height) : area
      draw(menu, offered(session, screens), at)
      if (isWide) drawLive(area.part(menuWidth + 2, 1, area.width - menuWidth - 3, area.height - 1), live)
    },
  }
}

function adminSpaceScreen(session: Session): AnyView {
  const inside = inSpaceOfAdmins(session)
  return guardedBy(access => adminWord(access as Access), placesView(t('Admin space'), inside, ofSpace))
}

function placesView(title: string, session: Session, of: readonly Screen[]): View<PlacesState> {
  const shown = offered(session, of)
  const open = (at: number, shell: Shell<PlacesState>) => {
    const screen = shown[at]
    if (screen) shell.open(screen.open(session))
  }
  return {
    title: () => title,
    start: { at: 0, live: liveStart },
    update(state, key, shell) {
      const { at } = state
      const clicked = key.type === 'click' ? shown.findIndex(({ name }) => name === key.spot) : -1
      if (clicked >= 0 && clicked !== at) return { ...state, at: clicked }
      if (clicked >= 0) open(at, shell)
      if (key.type !== 'key') return state
      const step = steps[key.key]
      const to = Math.max(0, Math.min(shown.length - 1, at + (step ?? 0)))
      if (to !== at) return { ...state, at: to }
      if (key.key === 'enter' || key.key === 'right' || key.key === 'l') open(at, shell)
      return state
    },
    draw: (area, { at }) => draw(area, shown, at),
    hints: () => [
      { key: '↑↓', does: t('move') },
      { key: 'Enter', does: t('open') },
      { key: 'g', does: t('go to') },
      { key: 'q', does: of === screens ? t('end the session') : t('back') },
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
