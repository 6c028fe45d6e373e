import type { Actor } from '../actor.js'
import { sessionExpired } from '../errors.js'
import { isUlid } from '../ids.js'
import { limits } from '../limits.js'
import { actorOf, type Ctx } from '../middleware/context.js'
import { nonceOf } from '../middleware/headers.js'
import { cookieIn } from '../middleware/session-cookie.js'
import { rightsOf } from '../resources/admin-space.js'
import { all } from '../resources/entries.js'
import type { Access } from '../services/accounts/access.js'
import type { UndoMark } from '../services/content/undo.js'
import type { MayChange } from '../services/limited/may-change.js'
import { type Language, languages, mirroredWording, preferredLanguage, wordingIn } from '../texts/language.js'
import type { Wording } from '../texts/wording.js'
import type { PanelContext } from './context.js'
import { type AddressOf, addressesOf } from './files.js'
import { formToken } from './form-token.js'
import { moveBackIn, type Place } from './moved-from.js'
import { undoMarkIn } from './undo-last.js'

export const themes = ['light', 'dark'] as const
type Theme = (typeof themes)[number]
/** No secret: the theme of the panel in this browser. */
export const themeCookie = 'slugline_theme'

/** No secret: the language of the panel in this browser. */
export const languageCookie = 'slugline_language'

/** No secret: how this browser shows the page beside a form; the script writes it. */
const paneCookie = 'slugline_pane'

/** No secret: the time zone of this browser; the script writes it. */
const zoneCookie = 'slugline_zone'

const shownHeader = 'slugline-tree'

/** Everything that a page knows about its request, with the texts of its language. */
export interface View extends Wording {
  readonly nonce: string
  readonly token: string
  readonly base: string
  /** Under `base`, without the query. */
  readonly path: string
  readonly theme: Theme | undefined
  readonly fileAddress: AddressOf
  readonly user: { readonly user_id: string; readonly name: string; readonly role: string } | undefined
  /** Whether the user has this permission in this space, so that nothing is shown that would be refused. */
  can(access: Access): boolean
  /** Returns which part of an entry in this space the limits of the user's role leave. @param id null for a new page */
  mayChange(id: string | null): Promise<MayChange>
  /** Answers for several entries at once. */
  mayChangeEach(ids: readonly string[]): Promise<(id: string) => MayChange>
  readonly tree: { readonly shown: string; readonly beside: string | undefined }
  readonly pane: readonly string[]
  /** True on the page that follows a change. */
  readonly saved: boolean
  /** Ids in the trash of entries that were just deleted. */
  readonly deleted: readonly string[]
  /** Whether the user may restore all of these. */
  readonly mayRestore: boolean
  readonly movedFrom: Place | undefined
  /** The last action, if the page offers to undo it. */
  readonly undo: UndoMark | undefined
  readonly isNew: boolean
  readonly now: number
  /** The time zone that the browser says it is in, unchecked. */
  readonly zone: string | undefined
}

/** Returns the actor of a request to the panel. */
export const panelActor = (c: Ctx): Actor => ({ ...actorOf(c), surface: 'panel' })

const themeIn = (c: Ctx): Theme | undefined => {
  const given = cookieIn(c.req.header('cookie'), themeCookie)
  return themes.find(theme => theme === given)
}

/** The chosen language, else the first one that the browser asks for and the panel has. */
function languageIn(c: Ctx): Language {
  const given = cookieIn(c.req.header('cookie'), languageCookie)
  return given !== undefined && Object.hasOwn(languages, given)
    ? (given as Language)
    : preferredLanguage(c.req.header('accept-language'))
}

/** Returns the texts for a request. The mirrored ones exist only on a developer's machine. */
const wordingFor = async (c: Ctx, { config }: PanelContext): Promise<Wording> =>
  cookieIn(c.req.header('cookie'), languageCookie) === mirroredWording.language &&
  config().environment === 'local'
    ? mirroredWording
    : wordingIn(languageIn(c))

async function mayRestoreAll(
  c: Ctx,
  deleted: readonly string[],
  rights: ReadonlySet<string>,
  { services: { space } }: PanelContext,
): Promise<boolean> {
  if (deleted.length === 0 || deleted.length > limits.content.selectedRecords) return false
  if (!rights.has('content:delete')) return false
  const found = await all(space.trash.list({ trash_id: deleted }, { limit: deleted.length }))
  const { restore } = await space.trash.mayChange(panelActor(c), found)
  return found.length === deleted.length && deleted.every(restore)
}

/** @throws 403 for an API key, which is for programs */
export async function viewOf(c: Ctx, context: PanelContext): Promise<View> {
  const { identity } = c.env
  if (identity && identity.credential.kind !== 'session') throw sessionExpired(403)
  const rights = identity ? await rightsOf(context.services.access, identity) : new Set<string>()
  const limitsOf = context.services.space.limits
  const profile = identity && (await context.authentication.auth.profile(panelActor(c)))
  const deleted = c.req.query('deleted')?.split('.').filter(isUlid) ?? []
  return {
    ...(await wordingFor(c, context)),
    nonce: nonceOf(c),
    token: formToken(c, context),
    base: context.base,
    path: c.req.path.slice(context.base.length).replace(/\/$/, '') || '/',
    theme: themeIn(c),
    fileAddress: await addressesOf(context),
    user: profile && {
      user_id: profile.user_id,
      name: profile.name || profile.username,
      role: profile.role_label,
    },
    can: access => access === 'public' || rights.has(access),
    mayChange: id => limitsOf.mayChange(panelActor(c), id),
    mayChangeEach: ids => limitsOf.mayChangeEach(panelActor(c), ids),
    tree: {
      shown: c.req.query('shown') ?? c.req.header(shownHeader) ?? '',
      beside: c.req.query('beside'),
    },
    pane: cookieIn(c.req.header('cookie'), paneCookie)?.split('.') ?? [],
    saved: c.req.query('saved') !== undefined,
    deleted,
    mayRestore: await mayRestoreAll(c, deleted, rights, context),
    movedFrom: moveBackIn(c.req.query('moved')),
    undo: undoMarkIn(c.req.query('undo')),
    isNew: c.req.query('new') !== undefined,
    now: context.clock.now(),
    zone: cookieIn(c.req.header('cookie'), zoneCookie)?.slice(0, 64),
  }
}
