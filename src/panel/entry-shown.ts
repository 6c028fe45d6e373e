import type { Entry, Model } from '../resources/entries.js'
import type { Tree } from '../resources/trees.js'
import type { Talk } from '../resources/views/talk.js'
import type { MayChange } from '../services/limited/may-change.js'
import type { SavedFields } from './conflict.js'
import type { PanelContext } from './context.js'
import type { Draft } from './pages.js'
import type { Save } from './savers.js'
import type { View } from './view.js'

/** The parameters of the page of an entry. */
export interface Asked {
  context: PanelContext
  id: string
  locale: string
  draft?: Draft
  since?: SavedFields | undefined
  plan?: Draft
  said?: Draft
  /** The save of somebody else that kept an undo from being done; null if it is unknown. */
  notUndone?: Save | null
}

/** The data that all parts of the page share. */
export interface Shown extends Asked {
  view: View
  entry: Entry
  model: Model
  tree: Tree
  title: string
  /** The part of the entry that the limits of the user's role leave. */
  mayChange: MayChange
  slug: string | undefined
  /** Comments and the request for review; undefined in the admin space. */
  talk: Talk | undefined
}

/** Whether the limits of the user's role leave what all languages share: place, state, address, deletion. */
export const isShared = ({ mayChange }: Pick<Shown, 'mayChange'>): boolean => mayChange.outside === undefined

/** Whether the fields are written: the limits leave them, or the form keeps what was typed before a refusal. */
export const isWritten = ({ mayChange, locale, draft }: Pick<Shown, 'mayChange' | 'locale' | 'draft'>) =>
  mayChange.inLocale(locale) || (draft !== undefined && draft.isStored !== true)
