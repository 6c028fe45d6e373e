import type { settingsTexts } from '../en/settings.js'
import type { Translated } from '../text.js'

export const settings: Readonly<Record<(typeof settingsTexts)[number], Translated>> = {}
