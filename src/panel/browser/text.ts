import type { browserTexts } from '../../texts/en/browser.js'
import type { Translated } from '../../texts/text.js'
import { wording } from '../../texts/wording.js'

declare global {
  var sluglineTexts: Readonly<Record<string, Translated>> | undefined
}

const language = document.documentElement.lang || 'en'

/** The texts of the scripts in the language of the page. */
export const { t, count } = wording<(typeof browserTexts)[number]>(language, globalThis.sluglineTexts)

/** The language of the page for times and numbers, as the reader's region writes them if the browser tells it. */
export const locale = navigator.languages.find(tag => tag.split('-')[0] === language) ?? language
