import { systemActor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { internalTables } from '../../db/tables.js'
import { timestamp } from '../../ids.js'
import type { AcmeChallenge, Clock } from '../../ports.js'

const { acmeChallenges: table } = internalTables

/** Longer than any order takes; afterwards the leftovers of a crash are removed. */
const lifetimeMs = 3_600_000

const challengeKey = (kind: AcmeChallenge, subject: string) => `${kind}:${subject}`

const isSubject = (subject: string): boolean => /^[\w.-]{1,253}$/.test(subject)

export type AcmeChallenges = ReturnType<typeof acmeChallenges>

/** Key authorisations, in the database because the certificate authority may reach any of several instances. */
export const acmeChallenges = (db: Database, clock: Clock) => ({
  /** @param subject the token of HTTP-01, the host of TLS-ALPN-01 */
  async present(kind: AcmeChallenge, subject: string, keyAuthorization: string) {
    const challenge_key = challengeKey(kind, subject)
    await db.write(systemActor, async tx => {
      const old = (await tx.findAll(table)).filter(({ expires_at }) => expires_at <= tx.now)
      await tx.deleteAllInternal(table, 'challenge_key', [
        challenge_key,
        ...old.map(row => row.challenge_key),
      ])
      const expires_at = timestamp(clock.now() + lifetimeMs)
      await tx.insertInternal(table, { challenge_key, key_authorization: keyAuthorization, expires_at })
    })
  },
  async withdraw(kind: AcmeChallenge, subject: string) {
    await db.write(systemActor, tx => tx.deleteInternal(table, challengeKey(kind, subject)))
  },
  async find(kind: AcmeChallenge, subject: string) {
    if (!isSubject(subject)) return undefined
    const row = await db.get(table, challengeKey(kind, subject))
    return row && row.expires_at > timestamp(clock.now()) ? row.key_authorization : undefined
  },
})
