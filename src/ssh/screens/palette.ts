import { datatypeResource } from '../../resources/datatypes.js'
import { all } from '../../resources/entries.js'
import type { Choice } from '../../resources/form-field.js'
import { localeResource } from '../../resources/locales.js'
import { mediaResource } from '../../resources/media.js'
import { redirectResource } from '../../resources/redirects.js'
import type { Resource } from '../../resources/resource.js'
import { routeResource } from '../../resources/routes.js'
import { userResource } from '../../resources/users.js'
import { foundMedia, foundPages, foundPeople, foundTexts } from '../../resources/views/find.js'
import { mediaName } from '../../resources/views/search.js'
import { t } from '../../texts/terminal.js'
import { newRecordView, recordView } from '../resource.js'
import { pickView } from '../screen/over.js'
import type { AnyView } from '../screen/view.js'
import type { Session } from '../session.js'
import { newPage, pageView } from './content.js'
import { entryScreen } from './entry.js'

/** A screen that can be gone to. */
export interface Place {
  readonly name: string
  readonly about: string
  open(session: Session): AnyView
}

/** A result: its words, and the view that it opens. */
interface Found extends Choice {
  open(): AnyView | Promise<AnyView>
}

const [mostItems, mostText, mostDatatypes] = [8, 200, 500]

const wordsIn = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean)
const fits = (words: readonly string[], text: string) =>
  words.every(word => text.toLowerCase().includes(word))

const makes =
  <R extends object>(describe: (session: Session) => Resource<R>) =>
  (session: Session): AnyView =>
    newRecordView(session, describe(session))

const actions: readonly { name: string; access: readonly string[]; open(session: Session): AnyView }[] = [
  { name: t('New page'), access: ['content:create', 'routes:create'], open: newPage },
  { name: t('New route'), access: ['routes:create'], open: makes(routeResource) },
  { name: t('New datatype'), access: ['datatypes:create'], open: makes(datatypeResource) },
  { name: t('New redirect'), access: ['routes:create'], open: makes(redirectResource) },
  { name: t('New locale'), access: ['content:admin'], open: makes(localeResource) },
  { name: t('New person'), access: ['users:create'], open: makes(userResource) },
]

async function pages(session: Session, text: string): Promise<Found[]> {
  const { items } = await foundPages(session, text)
  const others = await foundTexts(session, text, mostItems, items)
  const mayEdit = session.can('content:update')
  return [
    ...items.slice(0, mostItems).map(route => ({
      value: `page ${route.route_id}`,
      word: route.title,
      hint: t('page {slug}', { slug: route.slug }),
      open: () =>
        mayEdit
          ? pageView(session, route)
          : recordView(session, routeResource(session), route.route_id, route.title),
    })),
    ...others.map(({ id, title, type, slug }) => ({
      value: `entry ${id}`,
      word: title,
      hint: [type, slug].filter(Boolean).join(' '),
      open: () => entryScreen(session, id),
    })),
  ]
}

async function datatypes(session: Session, words: readonly string[]): Promise<Found[]> {
  if (!session.can('datatypes:read')) return []
  const known = await all(session.services.space.datatypes.list({}, { limit: mostDatatypes }))
  return known
    .filter(({ label, name }) => fits(words, `${label} ${name}`))
    .slice(0, mostItems)
    .map(({ datatype_id, label, name }) => ({
      value: `datatype ${datatype_id}`,
      word: label,
      hint: t('datatype {name}', { name }),
      open: () => recordView(session, datatypeResource(session), datatype_id, label),
    }))
}

async function media(session: Session, text: string): Promise<Found[]> {
  const found = await foundMedia(session, text, mostItems)
  return found.map(item => ({
    value: `media ${item.media_id}`,
    word: mediaName(item),
    hint: item.mimetype,
    open: () => recordView(session, mediaResource(session), item.media_id, mediaName(item)),
  }))
}

async function people(session: Session, text: string): Promise<Found[]> {
  const { items } = await foundPeople(session, text)
  return items.slice(0, mostItems).map(({ user_id, name, username, email }) => ({
    value: `person ${user_id}`,
    word: name || username,
    hint: email,
    open: () => recordView(session, userResource(session), user_id, name || username),
  }))
}

/** Returns the results for a text: screens and actions by name first, and by their descriptions last. */
async function findings(session: Session, places: readonly Place[], text: string): Promise<Found[]> {
  const words = wordsIn(text)
  const own = [
    ...places.map(({ name, about, open }) => ({ value: `go ${name}`, word: name, hint: about, open })),
    ...actions
      .filter(({ access }) => access.every(word => session.can(word)))
      .map(({ name, open }) => ({ value: `do ${name}`, word: name, hint: '', open })),
  ].map(one => ({ ...one, open: () => one.open(session) }))
  if (words.length === 0) return own
  const named = own.filter(({ word }) => fits(words, word))
  const told = own.filter(one => !named.includes(one) && fits(words, `${one.word} ${one.hint}`))
  return [
    ...named,
    ...(await pages(session, text)),
    ...(await datatypes(session, words)),
    ...(await media(session, text)),
    ...(await people(session, text)),
    ...told,
  ]
}

/** Finds screens, actions, pages, datatypes, media and people, and opens one of them. */
export function paletteView(
  session: Session,
  places: readonly Place[],
  go: (view: AnyView) => void,
): AnyView {
  let found: readonly Found[] = []
  return pickView({
    title: t('Go to'),
    isSearched: true,
    choices: (shell, given) =>
      shell.work('signed-in', async () => {
        found = await findings(session, places, given.trim().slice(0, mostText))
        const choices = found
        return state => ({ ...state, choices, at: 0 })
      }),
    picked([value], _choices, shell) {
      const one = found.find(result => result.value === value)
      if (one) shell.work('signed-in', async () => go(await one.open()))
    },
  })
}
