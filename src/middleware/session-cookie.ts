import { setCookie } from 'hono/cookie'
import { parse } from 'hono/utils/cookie'
import type { Config } from '../config.js'
import { duration } from '../durations.js'
import type { Ctx } from './context.js'

const sameSite = { lax: 'Lax', strict: 'Strict', none: 'None' } as const

/** The cookie of this name in a Cookie header, when its value could be one of ours. */
export function cookieIn(header: string | null | undefined, name: string): string | undefined {
  if (!header) return undefined
  const value = parse(header, name)[name]
  return value && value.length <= 256 ? value : undefined
}

export interface SessionCookie {
  read(c: Ctx): string | undefined
  write(c: Ctx, value: string): void
  clear(c: Ctx): void
}

/** The session cookie of every surface; its name and attributes are the configuration's. */
export function sessionCookie(config: () => Config): SessionCookie {
  const set = (c: Ctx, value: string, maxAge: number) => {
    const { cookie_name, cookie_secure, cookie_samesite } = config()
    const attributes = { httpOnly: true, secure: cookie_secure, sameSite: sameSite[cookie_samesite], maxAge }
    setCookie(c, cookie_name, value, { path: '/', ...attributes })
  }
  return {
    read: c => cookieIn(c.req.header('cookie'), config().cookie_name),
    write: (c, value) => set(c, value, Math.floor(duration(config().cookie_duration) / 1000)),
    clear: c => set(c, '', 0),
  }
}
