import { isUlid } from '../../ids.js'

/**
 * Links in rich text that name an entry by its id instead of an address: `#<id>`, and for an entry that is shown in the
 * text `#inline-<id>` or, alone in a paragraph, `#block-<id>`. Front ends get them in the form of their system.
 */
export interface EntryLink {
  readonly id: string
  readonly shown: 'inline' | 'block' | undefined
}

const form = /^#(?:(inline|block)-)?([0-9A-Z]{26})$/
const inTexts = /\shref="#(?:inline-|block-)?([0-9A-Z]{26})"/g

export function entryLinkOf(href: string | undefined): EntryLink | undefined {
  const [, shown, id] = form.exec(href ?? '') ?? []
  if (id === undefined || !isUlid(id)) return undefined
  return { id, shown: shown === 'inline' || shown === 'block' ? shown : undefined }
}

/** The ids of the entries that a rich text names so. */
export const entriesLinked = (html: string): string[] =>
  [...html.matchAll(inTexts)].flatMap(([, id = '']) => (isUlid(id) ? [id] : []))
