import type { browserTexts } from '../en/browser.js'
import type { Translated } from '../text.js'

export const browser: Readonly<Record<(typeof browserTexts)[number], Translated>> = {}
