import { invalid } from '../../errors.js'
import { trimmedEnd } from '../text.js'
import { password } from './account-fields.js'

interface Owner {
  email: string
  username?: string | undefined
  name?: string | undefined
}

// Most starts never need it, and it has some megabytes.
const commonPasswords = async (): Promise<readonly string[]> =>
  (await import('@zxcvbn-ts/language-common')).default.dictionary['passwords-common']

const minDistinct = 4
/** Shorter parts of a name are parts of many other words. */
const minNamePart = 3
/** Characters that people put before and after a name: a year, a sign or two. */
const maxAround = 6

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()

function ownNames({ email, username = '', name = '' }: Owner): string[] {
  const whole = [email, ...email.split('@'), username, name].map(folded)
  const words = whole.flatMap(text => text.split(/[^\p{L}\p{N}]/u))
  return [...whole, ...words]
    .filter(text => text.length >= minNamePart)
    .sort((one, other) => other.length - one.length)
}

function isMadeOfOwnNames(password: string, owner: Owner): boolean {
  let rest = password
  for (const name of ownNames(owner)) rest = rest.replaceAll(name, '')
  return rest.length < password.length && rest.length <= maxAround && !/\p{L}/u.test(rest)
}

async function guessableProblem(given: string, owner: Owner): Promise<string | undefined> {
  const password = folded(given)
  if (new Set(password).size < minDistinct) return `must have at least ${minDistinct} different characters`
  if (isMadeOfOwnNames(password, owner))
    return 'must not be made of the e-mail address, the username or the name'
  const common = await commonPasswords()
  // With a sign behind it, it is no better.
  const isCommon = common.includes(password) || common.includes(trimmedEnd(password, '!?.,#$*+-_@'))
  return isCommon ? 'is one of the most common passwords' : undefined
}

/** Why the account cannot have this password, for who sets it without a request; undefined when it can. */
export async function passwordProblem(given: string, owner: Owner): Promise<string | undefined> {
  const [issue] = password.safeParse(given).error?.issues ?? []
  return issue?.message ?? guessableProblem(given, owner)
}

/**
 * Every password that a caller sets goes through here, wherever it is set.
 * @throws 400 about `password`
 */
export async function refuseGuessable(password: string, owner: Owner): Promise<void> {
  const problem = await guessableProblem(password, owner)
  if (problem) throw invalid('password', problem)
}
