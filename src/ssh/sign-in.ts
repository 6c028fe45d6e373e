import type { AuthContext, Connection as Client, PasswordAuthContext, PublicKeyAuthContext } from 'ssh2'
import ssh2 from 'ssh2'
import { HttpError } from '../errors.js'
import { limits } from '../limits.js'
import { limitKey } from '../net/client-address.js'
import type { PublicKeys } from '../ports.js'
import type { Site } from './terminal.js'

const maxTries = limits.ssh.attempts
const maxPasswordLength = 1024
const methods: ['publickey', 'password'] = ['publickey', 'password']

/** A user who has proved their identity, and the key if it was by one; null for a guest. */
export type Proved = { readonly userId: string; readonly keyId?: string } | null

/** The user name of guests. A client asks for a sign-in without proof first, so a name has to say that it is wanted. */
const guestName = 'guest'

interface Needs {
  readonly site: Site
  readonly publicKeys: PublicKeys
  readonly address: string | undefined
}

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
  { username, password }: PasswordAuthContext,
  { site }: Needs,
): Promise<Proved | undefined> {
  if (password.length > maxPasswordLength || username.length > maxPasswordLength) return undefined
  try {
    return await site.services.sshSignIn.byPassword(username, password)
  } catch (error) {
    if (error instanceof HttpError && error.status === 401) return undefined
    throw error
  }
}

/** @returns `late` for an address with too many attempts; this attempt is not checked */
async function prove(context: AuthContext, needs: Needs): Promise<Proved | 'ask' | 'late' | undefined> {
  if (context.method === 'publickey') return byKey(context, needs)
  if (context.method === 'none' && context.username === guestName)
    return (await needs.site.services.sshSignIn.hasGuests()) ? null : undefined
  if (context.method !== 'password') return undefined
  const wait = await needs.site.services.rateLimiter.consume(limitKey(needs.address))
  return wait === undefined ? byPassword(context, needs) : 'late'
}

/**
 * Lets in a user who proves their identity by a key or a password, and guests if the settings have them. Every failure
 * has the same response.
 * @param enter opens the session; if it fails nobody is let in
 */
export function signIn(client: Client, needs: Needs, enter: (proved: Proved) => Promise<void>): void {
  let tries = 0
  let isIn = false
  const refuse = (context: AuthContext, mayTryAgain: boolean) => {
    if (context.method !== 'none') tries++
    context.reject(methods)
    if (tries >= maxTries || !mayTryAgain) client.end()
  }
  client.on('authentication', context => {
    const answer = async () => {
      const proved = await prove(context, needs)
      if (proved === 'ask') return context.accept()
      if (proved === undefined || proved === 'late') return refuse(context, proved === undefined)
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
