import { setCookie } from 'hono/cookie'
import { z } from 'zod'
import type { Ctx } from '../middleware/context.js'
import { type Language, languages } from '../texts/language.js'
import type { PanelContext } from './context.js'
import { languageCookie } from './view.js'

const yearSeconds = 31_536_000

/** The form that chooses a language. */
export const ChosenLanguage = z.object({
  language: z.enum(Object.keys(languages) as [Language, ...Language[]]),
})

/** Stores a choice about the look of the panel in this browser. */
export function keepPreference(
  c: Ctx,
  { config }: PanelContext,
  name: string,
  value: string,
  maxAge = yearSeconds,
): void {
  const secure = config().cookie_secure
  setCookie(c, name, value, { path: '/admin', httpOnly: true, secure, sameSite: 'Lax', maxAge })
}

/** Stores the language of the panel in this browser. */
export const keepLanguage = (c: Ctx, context: PanelContext, language: Language): void =>
  keepPreference(c, context, languageCookie, language)
