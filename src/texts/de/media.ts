import type { mediaTexts } from '../en/media.js'
import type { Translated } from '../text.js'

export const media: Readonly<Record<(typeof mediaTexts)[number], Translated>> = {}
