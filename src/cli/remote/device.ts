import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { visible } from '../visible.js'
import { postJson, Refused } from './client.js'

const Begun = z.object({
  user_code: z.string().max(64),
  verification_url: z.url({ protocol: /^https?$/ }).max(2048),
  interval: z.number().min(1).max(60),
  expires_in: z.number().min(1).max(3600),
})
/** The terminal of the person who signs in. */
interface Terminal {
  writeError(text: string): void
  readonly isInteractive: boolean
  readonly variables: Readonly<Record<string, string | undefined>>
}

const SignedIn = z.object({ email: z.string() })

/** How often in a row a service may be out of reach. */
const mostFailures = 5
/** How much longer to wait after being told to (RFC 8628, 3.5). */
const slowerMs = 5000

/** The name of this machine, as far as the service takes one. */
const hostName = (): string =>
  hostname()
    .replaceAll(/[^\w.-]+/g, '-')
    .slice(0, 64) || 'unknown'

/** The program that opens a URL in a browser; undefined if a person would not see one. */
function opener({ platform }: NodeJS.Process, variables: Terminal['variables']): string[] | undefined {
  if (variables.SSH_CONNECTION) return undefined
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return variables.DISPLAY || variables.WAYLAND_DISPLAY ? ['xdg-open'] : undefined
}

/** Best effort: the address is shown too. */
function openBrowser(url: string, { isInteractive, variables }: Terminal): void {
  const [program, ...args] = (isInteractive && opener(process, variables)) || []
  if (program === undefined) return
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}

/** Behind a proxy the service may not know that its own host is reached by https. */
function pageOf(url: string, address: string): string {
  const [page, service] = [new URL(url), new URL(address)]
  if (page.host === service.host && service.protocol === 'https:') page.protocol = 'https:'
  return page.href
}

/** @throws Error in words for an answer that no Slugline service gives */
function answerOf<T extends z.ZodType>(schema: T, answer: unknown, address: string): z.output<T> {
  const { success, data } = schema.safeParse(answer)
  if (!success) throw new Error(`${address}: the answer is no answer of a Slugline service`)
  return data
}

/**
 * Signs in by a person who approves it in a browser, here or on another device. The key is made here, and no answer
 * holds it: the service makes an API key of its hash.
 * @param wait tests supply their own
 * @returns the key, and whose it is
 * @throws Error in words if the sign-in is denied or expires, or the service cannot be reached
 */
export async function keyByBrowser(
  address: string,
  terminal: Terminal,
  wait: (ms: number) => Promise<unknown> = sleep,
): Promise<{ key: string; email: string }> {
  const key = `slk_${randomBytes(32).toString('base64url')}`
  const asked = await postJson(address, '/auth/device', { device_code: key, host: hostName() })
  const begun = answerOf(Begun, asked, address)
  const page = pageOf(begun.verification_url, address)
  terminal.writeError(
    `Open this page in a browser, and approve the code ${visible(begun.user_code)}:\n${visible(page)}\nWaiting…\n`,
  )
  openBrowser(page, terminal)
  let pauseMs = begun.interval * 1000
  let failures = 0
  for (let waitedMs = 0; waitedMs < begun.expires_in * 1000; waitedMs += pauseMs) {
    await wait(pauseMs)
    try {
      const answer = await postJson(address, '/auth/device/state', { device_code: key })
      return { key, ...answerOf(SignedIn, answer, address) }
    } catch (error) {
      const code = error instanceof Refused ? error.code : undefined
      if (code === 'sign_in_denied' || code === 'sign_in_expired') throw error
      failures = code === 'sign_in_pending' || code === 'too_many_requests' ? 0 : failures + 1
      if (failures >= mostFailures) throw error
      if (code === 'too_many_requests') pauseMs += slowerMs
    }
  }
  throw new Error(`${address}: nobody has approved the sign-in in time: start it again`)
}
