import { type Authorization, axios, Client, crypto } from 'acme-client'
import type { CertificateOrder, Ordered } from '../ports.js'
import { certificateIn } from './certificate-files.js'

const callTimeoutMs = 30_000
/** A whole order: its lease is longer. */
const orderTimeoutMs = 300_000
/** The longest common name that a certificate takes; longer names are alternative names only. */
const maxCommonName = 64
const maxReasonLength = 500

let retryAfterMs: number | undefined

// A failed call is an outcome of its order, which has waits of its own: what the library adds to calls would try it for
// minutes, and loses the reason of a call that nobody has answered.
axios.interceptors.request.clear()
axios.interceptors.response.clear()
axios.defaults.timeout = callTimeoutMs
axios.interceptors.response.use(response => {
  if (response.status === 429 || response.status === 503)
    retryAfterMs = waitIn(response.headers['retry-after'])
  return response
})

function waitIn(header: unknown): number | undefined {
  if (typeof header !== 'string') return undefined
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(wait) && wait > 0 ? wait : undefined
}

/** One line, without what the error has beside its message: the calls with their signed bodies. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code} ` : ''
  return `${code}${error.message}`.replaceAll(/\s+/g, ' ').trim().slice(0, maxReasonLength)
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** A new private key, P-256, PEM. */
export const newKey = async (): Promise<string> => (await crypto.createPrivateEcdsaKey('P-256')).toString()

async function issued(order: CertificateOrder, accountKey: string): Promise<string> {
  const { names, challenge: kind } = order
  const client = new Client({
    directoryUrl: order.directoryUrl,
    accountKey,
    // The library's own waits begin with five seconds, and most authorities answer sooner.
    backoffAttempts: 30,
    backoffMin: 250,
    backoffMax: 5000,
  })
  const [commonName = ''] = names
  const [key, csr] = await crypto.createCsr(
    { altNames: [...names], ...(commonName.length <= maxCommonName ? { commonName } : {}) },
    await newKey(),
  )
  const subjectOf = (authorization: Authorization, token: string) =>
    kind === 'http-01' ? token : authorization.identifier.value
  const chain = await client.auto({
    csr,
    ...(order.email === undefined ? {} : { email: order.email }),
    termsOfServiceAgreed: true,
    challengePriority: [kind],
    // It would ask by the names and ports of this machine, which need not be those from outside.
    skipChallengeVerification: true,
    async challengeCreateFn(authorization, { type, token }, keyAuthorization) {
      if (type !== kind) throw new Error(`the certificate authority offers no ${kind}`)
      await order.present(subjectOf(authorization, token), keyAuthorization)
    },
    challengeRemoveFn: (authorization, { token }) => order.withdraw(subjectOf(authorization, token)),
  })
  return `${key.toString().trimEnd()}\n${chain}`
}

/** Orders a certificate with a new P-256 key. Never throws. */
export async function orderCertificate(order: CertificateOrder, accountKey: string): Promise<Ordered> {
  retryAfterMs = undefined
  const timeout = AbortSignal.timeout(orderTimeoutMs)
  try {
    const pem = await untilAborted(issued(order, accountKey), AbortSignal.any([order.signal, timeout]))
    const certificate = certificateIn(pem)
    if (!certificate) throw new Error('the certificate authority sent no certificate for this key')
    return { kind: 'issued', certificate }
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error), retryAfterMs }
  }
}

/** The certificate by which TLS-ALPN-01 shows a key authorisation. */
export async function challengeCertificate(
  host: string,
  keyAuthorization: string,
): Promise<{ key: string; cert: string }> {
  // The library reads nothing else of the authorisation.
  const authorization = { identifier: { type: 'dns', value: host } } as Authorization
  const [key, cert] = await crypto.createAlpnCertificate(authorization, keyAuthorization, await newKey())
  return { key: key.toString(), cert: cert.toString() }
}
