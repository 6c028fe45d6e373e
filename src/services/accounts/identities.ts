import { LRUCache } from 'lru-cache'
import { type Identity, systemActorFor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { type Credential, keyByHash, sessionByHash } from '../../db/queries/accounts.js'
import { tables } from '../../db/tables.js'
import { timestamp } from '../../ids.js'
import type { Clock, Hashing } from '../../ports.js'

/** The credentials that a request sends. */
export interface Presented {
  readonly cookie: string | undefined
  readonly bearer: string | undefined
}

type Kind = Identity['credential']['kind']

interface Known {
  /** The count of changes by other processes when it was read; another count means that it may be out of date. */
  readonly foreign: number
  readonly credential: Credential
}

const useResolutionMs = 60_000
const maxCachedIdentities = 10_000
const sources = new Set<string>(
  [tables.users, tables.sessions, tables.tokens, tables.secondFactors].map(({ name }) => name),
)

// An API key sent as a cookie must not count as a session, so the kind is part of the name.
const nameOf = (kind: Kind, hash: string) => `${kind} ${hash}`

/** Whose sessions and keys are whose. Each is good until anything about users, sessions or keys changes anywhere. */
export class Identities {
  readonly #known = new LRUCache<string, Known>({ max: maxCachedIdentities })
  #changes = 0

  constructor(
    private readonly db: Database,
    private readonly needs: { clock: Clock; hashing: Hashing; used: (userId: string) => void },
  ) {
    db.onCommit(commit => {
      for (const table of commit.tables) if (sources.has(table)) return this.#forget()
    })
  }

  async identify({ cookie, bearer }: Presented): Promise<Identity | undefined> {
    const found = cookie ? await this.#find('session', cookie) : undefined
    const session = this.#identityOf('session', found)
    if (found && !session) await this.#end(found)
    return session ?? (bearer ? this.#identityOf('key', await this.#find('key', bearer)) : undefined)
  }

  identifyCached({ cookie, bearer }: Presented): Identity | undefined {
    // A cookie that is not in memory may still be a session, which goes before the key.
    if (cookie) return this.#checkCached('session', cookie)
    return bearer ? this.#checkCached('key', bearer) : undefined
  }

  #forget(): void {
    this.#known.clear()
    this.#changes++
  }

  async #find(kind: Kind, secret: string): Promise<Credential | undefined> {
    const hash = this.needs.hashing.sha256(secret)
    const name = nameOf(kind, hash)
    const cached = this.#known.get(name)
    const foreign = await this.db.externalChangesNow()
    if (cached?.foreign === foreign) return cached.credential
    const before = this.#changes
    const [credential] = await this.db.query(kind === 'session' ? sessionByHash : keyByHash, { hash })
    if (!credential) this.#known.delete(name)
    else if (this.#changes === before) this.#known.set(name, { foreign, credential })
    return credential
  }

  #checkCached(kind: Kind, secret: string): Identity | undefined {
    const cached = this.#known.get(nameOf(kind, this.needs.hashing.sha256(secret)))
    if (!cached || cached.foreign !== this.db.externalChangesSync()) return undefined
    return this.#identityOf(kind, cached.credential)
  }

  #identityOf(kind: Kind, credential: Credential | undefined): Identity | undefined {
    if (!credential) return undefined
    const now = this.needs.clock.now()
    if (credential.expires_at !== null && credential.expires_at <= timestamp(now)) return undefined
    this.#noteUse(kind, credential, now)
    const { id, user_id: userId, role_id: roleId, limits, lacks_factor } = credential
    return { userId, roleId, credential: { kind, id, limits, ...(lacks_factor && { lacksFactor: true }) } }
  }

  /** A session that was seen over does not come back when the clock goes back. */
  async #end({ id, user_id }: Credential): Promise<void> {
    await this.db
      .write(systemActorFor(user_id), tx => tx.remove(tables.sessions, id))
      // It is gone already, or the database takes no changes now: then the next request tries again.
      .catch(() => undefined)
  }

  /** Best effort, off the request's path. */
  #noteUse(kind: Kind, credential: Credential, now: number): void {
    if (this.db.isReadOnly) return
    if (credential.last_used !== null && Date.parse(credential.last_used) > now - useResolutionMs) return
    const at = timestamp(now)
    credential.last_used = at
    if (kind === 'session') this.needs.used(credential.user_id)
    this.db
      .write(systemActorFor(credential.user_id), tx =>
        kind === 'session'
          ? tx.setSilently(tables.sessions, 'session_id', [credential.id], { last_access: at })
          : tx.setSilently(tables.tokens, 'token_id', [credential.id], { last_used_at: at }),
      )
      .catch(() => undefined)
  }
}
