import { type Actor, type KeyClaim, type StoredAnswer, systemActor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { oldKeys } from '../../db/queries/idempotency.js'
import { internalTables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { answerLost, HttpError, keyReused, stillRunning } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Ports } from '../../ports.js'
import { secretBox } from '../secret-box.js'
import type { InstancesService } from './instances.js'
import { withLease } from './leases.js'

const { idempotencyKeys } = internalTables
type KeyRow = RowOf<typeof idempotencyKeys>

const keptMs = 86_400_000
/** A request that has not ended after this time counts as lost, also if its process lives; its key is free again. */
const runningMs = 60_000

interface KeyedRequest {
  caller: Pick<Actor, 'userId' | 'credential'>
  key: string
  address: string
  content: string
}

type Begun = { claim: KeyClaim } | { answer: StoredAnswer }

type IdempotencyParts = Pick<Ports, 'clock' | 'random' | 'hashing' | 'log'> & {
  config: () => Config
  instances: Pick<InstancesService, 'newHolder' | 'isDead'>
}

const isPassing = ({ status }: StoredAnswer) => status >= 500 || status === 429

/** Each request with a key works under a row that only one can insert, so that repeats of it do nothing. */
export class IdempotencyService {
  constructor(
    private readonly db: Database,
    private readonly parts: IdempotencyParts,
  ) {}

  /**
   * @returns a claim to work under, or what the first request with the key was answered
   * @throws 409 while the first is running, 422 when the key came with another request, 409 when the answer is lost
   */
  async begin({ caller, key, address, content }: KeyedRequest): Promise<Begun> {
    const { hashing, instances, config } = this.parts
    const { userId, credential } = caller
    const who = credential?.kind === 'key' ? credential.id : (userId ?? '')
    const keyHash = hashing.sha256(JSON.stringify([who, address, key]))
    // The content may hold a password: its hash tells nothing without the key or the secret of the service.
    const fingerprint = hashing.sha256(JSON.stringify([config().app_secret ?? '', key, content]))
    for (;;) {
      const row = await this.db.get(idempotencyKeys, keyHash)
      if (row && !(await this.#isFree(row))) return { answer: await this.#answerOf(row, fingerprint) }
      const claim = { keyHash, holder: instances.newHolder() }
      const taken = await this.db
        .write(systemActor, tx => this.#take(tx, claim, row, fingerprint))
        .catch(error => {
          // Another request took it at the same moment.
          if (error instanceof HttpError && error.code === 'duplicate') return false
          throw error
        })
      if (taken) return { claim }
    }
  }

  async #take(tx: Writer, { keyHash, holder }: KeyClaim, free: KeyRow | undefined, fingerprint: string) {
    const [now] = await tx.lockAll(idempotencyKeys, { key_hash: keyHash })
    if (now?.holder !== free?.holder || now?.state !== free?.state) return false
    if (now) await tx.deleteAllInternal(idempotencyKeys, 'key_hash', [keyHash])
    const row = { key_hash: keyHash, holder, state: 'running', fingerprint, claimed_at: tx.now }
    await tx.insertInternal(idempotencyKeys, row)
    return true
  }

  /**
   * Whether the key may be claimed again: its claim is too old, or far in the future because the clock went back, or
   * the instance that had it has died before it stored anything.
   */
  async #isFree(row: KeyRow): Promise<boolean> {
    return row.state === 'running' ? this.#isLost(row) : this.#ageOf(row) > keptMs
  }

  #ageOf({ claimed_at }: KeyRow): number {
    return Math.abs(this.parts.clock.now() - Date.parse(claimed_at))
  }

  /** Whether nobody works at the request any more. */
  async #isLost(row: KeyRow): Promise<boolean> {
    return this.#ageOf(row) > runningMs || this.parts.instances.isDead(row.holder)
  }

  async #answerOf(row: KeyRow, fingerprint: string): Promise<StoredAnswer> {
    if (row.fingerprint !== fingerprint) throw keyReused()
    if (row.state === 'answered' && row.body !== null) {
      const body = await this.#opened(row.body)
      if (body !== undefined) return { status: row.status ?? 200, headers: row.headers ?? {}, body }
    }
    throw row.state === 'running' || (row.state === 'written' && !(await this.#isLost(row)))
      ? stillRunning()
      : answerLost()
  }

  /**
   * Keeps the answer for a day; a failure of the service is not kept.
   * @param secret the answer holds a secret: it is kept only where there is an `app_secret` to seal it
   */
  async end(claim: KeyClaim, answer: StoredAnswer, secret: boolean): Promise<void> {
    try {
      const body = secret ? await this.#sealed(answer.body) : answer.body
      await this.db.write(systemActor, async tx => {
        const [row] = await tx.lockAll(idempotencyKeys, { key_hash: claim.keyHash })
        if (row?.holder !== claim.holder || row.state === 'answered') return
        if (isPassing(answer)) {
          if (row.state === 'running')
            await tx.deleteAllInternal(idempotencyKeys, 'key_hash', [claim.keyHash])
        } else
          await tx.updateInternal(idempotencyKeys, [claim.keyHash], { ...answer, state: 'answered', body })
      })
    } catch (error) {
      // The request has been carried out. Its repeats are refused, because its response is lost.
      this.parts.log.warn(
        { err: error },
        'the response to a request with an Idempotency-Key could not be stored',
      )
    }
  }

  /** Null where nothing can seal it: it is shown once, and a repeat says so. */
  async #sealed(body: string): Promise<string | null> {
    const { app_secret } = this.parts.config()
    return app_secret ? sealedPrefix + (await secretBox(app_secret).seal(body)) : null
  }

  async #opened(body: string): Promise<string | undefined> {
    if (!body.startsWith(sealedPrefix)) return body
    const { app_secret } = this.parts.config()
    return app_secret ? secretBox(app_secret).open(body.slice(sealedPrefix.length)) : undefined
  }

  removeOld(): Promise<void> {
    return withLease(this.db, 'idempotency keys', this.parts, async () => {
      const before = timestamp(this.parts.clock.now() - keptMs)
      for (;;) {
        const old = await this.db.query(oldKeys, { before })
        if (old.length === 0) return
        await this.db.write(systemActor, async tx => {
          // A key that was claimed again since it was read is no longer old.
          const held = await tx.lockIn(idempotencyKeys, 'key_hash', old)
          const gone = held.filter(({ claimed_at }) => claimed_at < before)
          await tx.deleteAllInternal(
            idempotencyKeys,
            'key_hash',
            gone.map(({ key_hash }) => key_hash),
          )
        })
      }
    })
  }
}

/** In front of a sealed body; no JSON begins with it. */
const sealedPrefix = 'sealed:'
