import { browser } from './fr/browser.js'
import { content } from './fr/content.js'
import { media } from './fr/media.js'
import { settings } from './fr/settings.js'
import type { Translation } from './text.js'

export { refusals } from './fr/refusals.js'
export const translation: Translation = { ...browser, ...content, ...media, ...settings }
