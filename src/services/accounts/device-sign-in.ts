import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { askingAddresses } from '../../db/queries/accounts.js'
import { internalTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import {
  conflict,
  duplicate,
  signInDenied,
  signInExpired,
  signInPending,
  tooMany,
  unavailable,
} from '../../errors.js'
import { timestamp } from '../../ids.js'
import { limits } from '../../limits.js'
import type { Clock, Hashing, Random } from '../../ports.js'
import { givenKey, prefixOf, type TokenService } from './tokens.js'

const { openDeviceSignIns, openDeviceSignInsOfAddress } = limits.accounts
const table = internalTables.deviceSignIns
const lifetimeMs = 600_000
const intervalMs = 2000
/** A request that was delayed on its way makes the next one look early. */
const shortestWaitMs = intervalMs / 2

/** Consonants that are not mistaken for each other or for digits, and form no words (RFC 8628, 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const codeLength = 8
/** Above it, the first letters would be more likely than the last. */
const firstUneven = 256 - (256 % letters.length)

const deviceCode = givenKey(
  /^slk_[\w-]{43}$/,
  'must be slk_ and 32 random bytes as base64url without padding',
).meta({
  description: 'A secret of the caller. It becomes an API key if somebody approves the sign-in.',
  // Refused as too repetitive, so that nobody gets a key that everybody knows.
  examples: [`slk_${'A'.repeat(43)}`],
})

export const DeviceSignInBegin = z.object({
  device_code: deviceCode,
  host: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 ASCII letters, digits, dots, hyphens or underscores')
    .meta({ description: 'The name of the machine, for the person who approves.', examples: ['laptop'] }),
})
export const DeviceSignInState = z.object({ device_code: deviceCode })
export const DeviceSignInDecision = z.object({ code: z.string().max(64) })

/** A sign-in as the person sees it who decides about it. */
export interface DeviceSignIn {
  readonly code: string
  readonly host: string
  readonly address: string
  readonly askedAt: string
  readonly state: RowOf<typeof table>['state']
}

interface Needs {
  readonly tokens: TokenService
  readonly clock: Clock
  readonly random: Random
  readonly hashing: Hashing
}

function newCode(random: Random): string {
  let code = ''
  while (code.length < codeLength)
    code += [...random.bytes(codeLength)]
      .filter(byte => byte < firstUneven)
      .map(byte => letters[byte % letters.length])
      .join('')
  return code.slice(0, codeLength)
}

const plainCode = (typed: string): string => typed.toUpperCase().replaceAll(/[^A-Z]/g, '')
const shownCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/**
 * Sign-in of a command line by a person in a browser, as RFC 8628 describes it. The caller makes the key itself; the
 * service stores its hash, and makes an API key of it when somebody approves. So no answer ever holds a key.
 */
export function deviceSignIn(db: Database, { tokens, clock, random, hashing }: Needs) {
  const now = (afterMs = 0) => timestamp(clock.now() + afterMs)
  const withCode = (typed: string) => ({ user_code_hash: hashing.sha256(plainCode(typed)) })

  /** @throws 400 for a code that is unknown or expired; 409 for one that somebody has used */
  async function decide(tx: Writer, typed: string, state: 'approved' | 'denied'): Promise<void> {
    const [row] = await tx.lockAll(table, withCode(typed))
    if (!row || row.expires_at <= tx.now) throw signInExpired()
    if (row.state !== 'pending') throw conflict(`this sign-in is ${row.state} already`)
    await tx.updateInternal(table, [row.device_sign_in_id], { state })
  }

  return {
    /**
     * Stores that a command line asks for a key.
     * @returns the code for the person, and how often and how long to ask for the answer, in seconds
     * @throws 409 for a device code that is in use; 429, 503 while too many others wait
     */
    async begin(actor: Actor, { device_code, host }: z.output<typeof DeviceSignInBegin>) {
      const asking = await db.query(askingAddresses, { now: now() })
      if (asking.length >= openDeviceSignIns)
        throw unavailable('too many sign-ins are open, try again later', 60)
      if (asking.filter(address => address === actor.ipAddress).length >= openDeviceSignInsOfAddress)
        throw tooMany(lifetimeMs)
      const code = newCode(random)
      const device_code_hash = hashing.sha256(device_code)
      await db.write(actor, async tx => {
        if (await tx.exists(table, { device_code_hash }))
          throw duplicate('device_code: is in use', 'device_code')
        await tx.insertInternal(table, {
          ...{ device_sign_in_id: tx.newId(), device_code_hash, ...withCode(code) },
          ...{ token_prefix: prefixOf(device_code), host, ip_address: actor.ipAddress, state: 'pending' },
          expires_at: now(lifetimeMs),
        })
      })
      return { user_code: shownCode(code), interval: intervalMs / 1000, expires_in: lifetimeMs / 1000 }
    },

    /**
     * @returns whose key the device code is
     * @throws 400 `sign_in_pending`, `sign_in_denied` or `sign_in_expired`; 429 for a caller who asks too often
     */
    async state(
      actor: Actor,
      { device_code }: z.output<typeof DeviceSignInState>,
    ): Promise<{ email: string }> {
      const hash = hashing.sha256(device_code)
      const row = await db.find(table, { device_code_hash: hash })
      if (row?.state === 'denied') throw signInDenied()
      if (row?.state === 'approved') {
        const key = await db.find(tables.tokens, { token_hash: hash, revoked: false })
        const user = key && (await db.get(tables.users, key.user_id))
        if (user) return { email: user.email }
      }
      if (row?.state !== 'pending' || row.expires_at <= now()) throw signInExpired()
      if (row.polled_at !== null && now(-shortestWaitMs) < row.polled_at) throw tooMany(intervalMs)
      await db.write(actor, tx => tx.updateInternal(table, [row.device_sign_in_id], { polled_at: now() }))
      throw signInPending()
    },

    /** Returns what a code is about; undefined for one that is unknown or expired. */
    async find(typed: string): Promise<DeviceSignIn | undefined> {
      const row = await db.find(table, withCode(typed))
      if (!row || row.expires_at <= now()) return undefined
      const { host, ip_address: address, created_at: askedAt, state } = row
      return { code: shownCode(plainCode(typed)), host, address, askedAt, state }
    },

    /**
     * Makes the API key: one of the caller, with all of their permissions.
     * @throws 400, 409 for a code that cannot be approved; 403 as for any new key
     */
    async approve(actor: Actor, { code }: z.output<typeof DeviceSignInDecision>): Promise<void> {
      const row = await db.find(table, withCode(code))
      if (!row) throw signInExpired()
      await tokens.createByHash(
        actor,
        {
          ...{ label: `slugline login on ${row.host}`, token_type: 'api_key', revoked: false },
          ...{ permissions: null, read_only: false, limits: null, rate_limit: null },
        },
        { token_hash: row.device_code_hash, token_prefix: row.token_prefix },
        tx => decide(tx, code, 'approved'),
      )
    },

    /** @throws 400, 409 for a code that cannot be denied */
    deny: (actor: Actor, { code }: z.output<typeof DeviceSignInDecision>): Promise<void> =>
      db.write(actor, tx => decide(tx, code, 'denied')),
  }
}
