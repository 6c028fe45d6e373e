import { z } from 'zod'
import { invalid } from '../../errors.js'

/** Passwords as they are set: nothing is trimmed or cut off. */
export const password = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(128, 'must have at most 128 characters')

/** @throws 400 for a password that everybody who knows the account can guess */
export function refuseOwnName(
  password: string,
  { email, username }: { email: string; username?: string | undefined },
): void {
  const names = [email, email.split('@')[0], username]
  if (names.some(name => name?.toLowerCase() === password.toLowerCase()))
    throw invalid('password', 'must not be the e-mail address or the username')
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

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

/** A name of an account: one line, nothing that hides in it. */
export const username = z
  .string()
  .max(255)
  .regex(/^[^\s\p{C}]+$/u, 'must have no whitespace or control characters')

export const personName = z
  .string()
  .max(255)
  .regex(/^[^\p{Cc}]*$/u, 'must have no control characters')
