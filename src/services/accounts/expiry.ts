import { systemActor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import {
  expiredDeviceSignIns,
  expiredPreviewLinks,
  expiredSessions,
  expiredTokens,
} from '../../db/queries/accounts.js'
import { internalTables, tables } from '../../db/tables.js'
import { timestamp } from '../../ids.js'
import type { Clock, Log, Random } from '../../ports.js'
import { withLease } from '../operation/leases.js'
import { passwordTokenTypes } from './credentials.js'

/**
 * Removes sessions, reset tokens, preview links and sign-ins of command lines whose time is over; API keys stay, so that
 * their owners see them.
 */
export const expiry =
  (db: Database, { clock, random, log }: { clock: Clock; random: Random; log: Log }) =>
  (): Promise<void> =>
    withLease(db, 'expiry', { clock, random, log }, async () => {
      const now = timestamp(clock.now())
      for (;;) {
        const [sessions, tokens, links, signIns] = [
          await db.query(expiredSessions, { now }),
          (await Promise.all(passwordTokenTypes.map(type => db.query(expiredTokens, { now, type })))).flat(),
          await db.query(expiredPreviewLinks, { now }),
          await db.query(expiredDeviceSignIns, { now }),
        ]
        if (sessions.length + tokens.length + links.length + signIns.length === 0) return
        await db.write(systemActor, async tx => {
          await tx.removeAll(tables.sessions, await tx.lockIn(tables.sessions, 'session_id', sessions))
          await tx.removeAll(tables.tokens, await tx.lockIn(tables.tokens, 'token_id', tokens))
          await tx.removeAll(
            tables.previewLinks,
            await tx.lockIn(tables.previewLinks, 'preview_link_id', links),
          )
          await tx.deleteAllInternal(internalTables.deviceSignIns, 'device_sign_in_id', signIns)
        })
      }
    })
