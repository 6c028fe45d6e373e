import type { browserTexts } from '../../texts/en/browser.js'
import type { Translated } from '../../texts/text.js'
import { wording } from '../../texts/wording.js'

declare global {
  /** Set by the file of the page's language, which is before this script; undefined for English. */
  var sluglineTexts: Readonly<Record<string, Translated>> | undefined
}

/** The texts of the scripts in the language of the page. */
export const { t, parts, count } = wording<(typeof browserTexts)[number]>(
  document.documentElement.lang || 'en',
  globalThis.sluglineTexts,
)
