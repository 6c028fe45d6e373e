import type { Translated } from './text.js'

/** The tag that Unicode has for a made-up language written from right to left. */
export const mirroredLanguage = 'ar-XB'

/** For tests of the layout: every text in English letters, written from right to left. */
export const browser: Readonly<Record<string, Translated>> = new Proxy<Record<string, Translated>>(
  {},
  { get: (_texts, name) => (typeof name === 'string' ? `\u202e${name}\u202c` : undefined) },
)
