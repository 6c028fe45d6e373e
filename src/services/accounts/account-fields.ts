import { z } from 'zod'
import { isAscii } from '../text.js'

/** Passwords as they are set: nothing is trimmed or cut off. */
export const password = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(128, 'must have at most 128 characters')
  .meta({ examples: ['correct horse battery'] })

/**
 * Addresses are stored and looked up in this form. Letters beyond ASCII are left as they are: some fold into ASCII ones,
 * such as the Kelvin sign into k, and would name somebody else's account.
 */
export const normalEmail = (email: string): string => (isAscii(email) ? email.trim().toLowerCase() : email)

export const email = z
  .string()
  .max(320)
  .refine(isAscii, 'must be an e-mail address of ASCII characters')
  .transform(normalEmail)
  .pipe(z.email('must be an e-mail address'))
  .meta({ examples: ['ada@example.com'] })

/** The address of an account whose provider gave no address. No such domain ever exists (RFC 2606). */
export const placeholderEmail = (id: string): string => `user-${id.toLowerCase()}@no-email.invalid`

/** False for addresses that mail cannot reach, whoever gave them: they say nothing about who somebody is. */
export const isReachable = (email: string): boolean => !/[.@]invalid$/.test(email)

/** A name of an account: one line, nothing that hides in it. */
export const username = z
  .string()
  .max(255)
  .regex(/^[^\s\p{C}]+$/u, 'must not contain whitespace or control characters')
  .meta({ examples: ['ada'] })

export const personName = z
  .string()
  .max(255)
  .regex(/^[^\p{Cc}]*$/u, 'must have no control characters')
