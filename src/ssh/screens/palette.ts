import { datatypeResource } from '../../resources/datatypes.js'
import type { Choice } from '../../resources/form-field.js'
import { localeResource } from '../../resources/locales.js'
import { mediaResource } from '../../resources/media.js'
import { redirectResource } from '../../resources/redirects.js'
import type { Resource } from '../../resources/resource.js'
import { routeResource } from '../../resources/routes.js'
import { userResource } from '../../resources/users.js'
import { type Finding, foundAnything, hasWords, wordsOf } from '../../resources/views/find.js'
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

const mostText = 200

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

/** Returns the view of something that was found. */
function viewOf(session: Session, { kind, id, name }: Finding): AnyView | Promise<AnyView> {
  switch (kind) {
    case 'page':
      return session.can('content:update')
        ? pageView(session, { route_id: id, title: name })
        : recordView(session, routeResource(session), id, name)
    case 'entry':
      return entryScreen(session, id)
    case 'datatype':
      return recordView(session, datatypeResource(session), id, name)
    case 'file':
      return recordView(session, mediaResource(session), id, name)
    case 'person':
      return recordView(session, userResource(session), id, name)
  }
}

function hintOf({ kind, about }: Finding): string {
  if (kind === 'page') return t('page {slug}', { slug: about })
  return kind === 'datatype' ? t('datatype {name}', { name: about }) : about
}

async function records(session: Session, text: string): Promise<Found[]> {
  const found = await foundAnything(session, text)
  return found.map(one => ({
    value: `${one.kind} ${one.id}`,
    word: one.name,
    hint: hintOf(one),
    open: () => viewOf(session, one),
  }))
}

/** Returns the results for a text: screens and actions by name first, and by their descriptions last. */
async function findings(session: Session, places: readonly Place[], text: string): Promise<Found[]> {
  const words = wordsOf(text)
  const own = [
    ...places.map(({ name, about, open }) => ({ value: `go ${name}`, word: name, hint: about, open })),
    ...actions
      .filter(({ access }) => access.every(word => session.can(word)))
      .map(({ name, open }) => ({ value: `do ${name}`, word: name, hint: '', open })),
  ].map(one => ({ ...one, open: () => one.open(session) }))
  if (words.length === 0) return own
  const named = own.filter(({ word }) => hasWords(word, words))
  const told = own.filter(one => !named.includes(one) && hasWords(`${one.word} ${one.hint}`, words))
  return [...named, ...(await records(session, text)), ...told]
}

/** Returns the view of the only record with these words; undefined where several have them, or none. */
export async function onlyOne(session: Session, text: string): Promise<AnyView | undefined> {
  const [first, second] = await records(session, text.trim().slice(0, mostText))
  return second === undefined ? first?.open() : undefined
}

/**
 * Finds screens, actions, pages, datatypes, media and people, and opens one of them.
 * @param typed the text to begin with
 */
export function paletteView(
  session: Session,
  places: readonly Place[],
  go: (view: AnyView) => void,
  typed = '',
): AnyView {
  let found: readonly Found[] = []
  return pickView({
    title: t('Go to'),
    isSearched: true,
    typed,
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
