import type { contentTexts } from '../en/content.js'
import type { Translated } from '../text.js'

export const content: Readonly<Record<(typeof contentTexts)[number], Translated>> = {}
