import { browser } from './de/browser.js'
import { content } from './de/content.js'
import { media } from './de/media.js'
import { settings } from './de/settings.js'
import type { Translation } from './text.js'

export { refusals } from './de/refusals.js'
export const translation: Translation = { ...browser, ...content, ...media, ...settings }
