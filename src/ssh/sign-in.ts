import type { AuthContext, Connection as Client, KeyboardAuthContext, PublicKeyAuthContext } from 'ssh2'
import ssh2 from 'ssh2'
import type { Actor } from '../actor.js'
import { HttpError } from '../errors.js'
import { limits } from '../limits.js'
import { limitKey } from '../net/client-address.js'
import type { PublicKeys } from '../ports.js'
import { t } from '../texts/terminal.js'
import type { Site } from './terminal.js'

const maxTries = limits.ssh.attempts
const maxPasswordLength = 1024
const maxCodeLength = 64
const methods: ['publickey', 'password'] = ['publickey', 'password']
/** Offered after the right password of an account with a second factor. */
const codeMethods: ['keyboard-interactive'] = ['keyboard-interactive']

/** A user who has proved their identity, and the key if it was by one; null for a guest. */
export type Proved = { readonly userId: string; readonly keyId?: string } | null

/** The user name of guests. A client asks for a sign-in without proof first, so a name has to say that it is wanted. */
const guestName = 'guest'

interface Needs {
  readonly site: Site
  readonly publicKeys: PublicKeys
  readonly address: string | undefined
  /** The actor of a sign-in, before the user is known. */
  readonly visitor: () => Actor
  /** Called when the password was right and the code is asked for, which takes a person some time. */
  readonly more: () => void
}

interface Password {
  readonly username: string
  readonly password: string
}

/** The result of an attempt: `code` if only the code is missing, `late` if it was not checked. */
type Verdict = Proved | 'ask' | 'code' | 'late' | undefined

/** Whether a signature by RSA uses a hash other than SHA-1; other types of keys have a hash of their own. */
const isModern = ({ key, hashAlgo }: PublicKeyAuthContext): boolean =>
  key.algo !== 'ssh-rsa' || hashAlgo === 'sha256' || hashAlgo === 'sha512'

function isSigned({ key, blob, signature, hashAlgo }: PublicKeyAuthContext): boolean {
  if (!blob || !signature) return false
  const parsed = ssh2.utils.parseKey(`${key.algo} ${key.data.toString('base64')}`)
  return !(parsed instanceof Error) && parsed.verify(blob, signature, hashAlgo) === true
}

/**
 * Finds the owner of a registered key, who signs in whatever name they gave. Only the owner of a key learns that it is
 * registered: without a signature every key that could be one is asked for its signature
 * (docs/decisions/670-terminal-over-ssh.md).
 */
async function byKey(
  context: PublicKeyAuthContext,
  { site, publicKeys }: Needs,
): Promise<Proved | 'ask' | undefined> {
  const { key } = context
  const parsed = isModern(context) ? await publicKeys.parse(key.algo, key.data) : undefined
  if (!parsed) return undefined
  if (!context.signature) return 'ask'
  const registered = await site.services.sshSignIn.byKey(parsed.fingerprint)
  // The signature is checked in any case, so that an unknown key takes as long as a known one.
  const signed = isSigned(context)
  return signed && registered ? { userId: registered.userId, keyId: registered.id } : undefined
}

async function byPassword(
  { username, password }: Password,
  { site, visitor }: Needs,
  code?: string,
): Promise<Verdict> {
  if (password.length > maxPasswordLength || username.length > maxPasswordLength) return undefined
  try {
    const given = { password, ...(code === undefined ? {} : { code }) }
    return await site.services.sshSignIn.byPassword(visitor(), username, given)
  } catch (error) {
    if (error instanceof HttpError && error.code === 'second_factor_required') return 'code'
    if (error instanceof HttpError && (error.status === 401 || error.status === 429)) return undefined
    throw error
  }
}

const isLate = async ({ site, address }: Needs): Promise<boolean> =>
  (await site.services.rateLimiter.consume(limitKey(address))) !== undefined

/** Asks for the code in the terminal. A client that leaves never answers. */
const codeFrom = (context: KeyboardAuthContext): Promise<string> =>
  new Promise(resolve =>
    context.prompt([{ prompt: `${t('Code of your app, or a recovery code')}: `, echo: true }], answers =>
      resolve(answers[0] ?? ''),
    ),
  )

async function byCode(context: KeyboardAuthContext, known: Password, needs: Needs): Promise<Verdict> {
  const code = await codeFrom(context)
  if (await isLate(needs)) return 'late'
  const verdict = code.length > maxCodeLength ? undefined : await byPassword(known, needs, code)
  return verdict === 'code' ? undefined : verdict
}

/** @param known the right password of this client, if only the code is missing */
async function prove(context: AuthContext, known: Password | undefined, needs: Needs): Promise<Verdict> {
  if (context.method === 'publickey') return byKey(context, needs)
  if (context.method === 'none' && context.username === guestName)
    return (await needs.site.services.sshSignIn.hasGuests()) ? null : undefined
  if (context.method === 'keyboard-interactive' && known?.username === context.username)
    return byCode(context, known, needs)
  if (context.method !== 'password') return undefined
  return (await isLate(needs)) ? 'late' : byPassword(context, needs)
}

/**
 * Lets in a user who proves their identity by a key, or by a password and the code of their second factor, and guests if
 * the settings have them. A key is something that the user has, so it is not asked for a code. Every failure has the same
 * response.
 * @param enter opens the session; if it fails nobody is let in
 */
export function signIn(client: Client, needs: Needs, enter: (proved: Proved) => Promise<void>): void {
  let tries = 0
  let isIn = false
  let known: Password | undefined
  const refuse = (context: AuthContext, mayTryAgain: boolean) => {
    if (context.method !== 'none') tries++
    context.reject(known ? codeMethods : methods)
    if (tries >= maxTries || !mayTryAgain) client.end()
  }
  client.on('authentication', context => {
    const answer = async () => {
      const proved = await prove(context, known, needs)
      if (proved === 'ask') return context.accept()
      if (proved === 'code' && context.method === 'password' && !known) {
        known = { username: context.username, password: context.password }
        needs.more()
        return context.reject(codeMethods, true)
      }
      if (proved === undefined || proved === 'late' || proved === 'code')
        return refuse(context, proved !== 'late')
      // A client may send several requests at once.
      if (isIn) return context.reject()
      isIn = true
      await enter(proved)
      context.accept()
    }
    answer().catch(error => {
      needs.site.log.warn({ err: error, ip: needs.address }, 'a sign-in over SSH failed')
      refuse(context, false)
    })
  })
}
