import { invalid } from '../../errors.js'
import { type SecretBox, secretBox } from '../secret-box.js'

/** In front of a stored secret that is encrypted. No secret may begin with it. */
export const sealedPrefix = 'sealed:'
const maxStoredLength = 512

let latest: { appSecret: string; box: SecretBox } | undefined

/** Making the key takes time, and a process has one `app_secret`. */
function boxOf(appSecret: string): SecretBox {
  if (latest?.appSecret !== appSecret) latest = { appSecret, box: secretBox(appSecret) }
  return latest.box
}

interface Key {
  readonly app_secret?: string | undefined
}

/** A webhook's secret as it is stored: encrypted where there is an `app_secret`. @throws 400 for one that is too long */
export async function storedSecret(secret: string, { app_secret }: Key): Promise<string> {
  if (!app_secret) return secret
  const stored = sealedPrefix + (await boxOf(app_secret).seal(secret))
  if (stored.length > maxStoredLength) throw invalid('secret', 'is too long to be encrypted')
  return stored
}

/** The secret itself; undefined when it was encrypted under another `app_secret`. */
export async function openedSecret(stored: string, { app_secret }: Key): Promise<string | undefined> {
  if (!stored.startsWith(sealedPrefix)) return stored
  return app_secret ? boxOf(app_secret).open(stored.slice(sealedPrefix.length)) : undefined
}
