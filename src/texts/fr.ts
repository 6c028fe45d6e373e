import { browser } from './fr/browser.js'
import { content } from './fr/content.js'
import { media } from './fr/media.js'
import { settings } from './fr/settings.js'
import type { Translation } from './text.js'

export const fr: Translation = { ...browser, ...content, ...media, ...settings }
