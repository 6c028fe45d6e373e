import { z } from 'zod'
import { type Actor, signedIn } from '../../actor.js'
import { type RecordOf, type RowOf, withoutSecrets } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { duplicate, forbidden, invalid, notFound } from '../../errors.js'
import { timestamp } from '../../ids.js'
import type { Clock, Hashing, Random } from '../../ports.js'
import { reference, time } from '../body-parts.js'
import { type Check, reads } from '../crud.js'
import { randomSecret } from '../secrets.js'
import type { AccessService } from './access.js'
import { refuseBeyondOwnRights } from './own-rights.js'

const label = z.string().max(255)
/** Of 32 random hexadecimal digits fewer than ten are different once in 50,000 times; of what people type, often. */
const minDistinct = 10

export const TokenCreate = z.object({
  label: label.default(''),
  user_id: reference.optional(),
  token_type: z.literal('api_key', 'only api_key can be made').default('api_key'),
  token: z
    .string()
    .regex(/^[\x21-\x7e]{32,255}$/, 'must be 32 to 255 visible ASCII characters')
    .refine(
      value => new Set(value).size >= minDistinct,
      `must have at least ${minDistinct} different characters`,
    )
    .optional()
    .meta({ description: 'A value of your own; the service makes one when it is absent.' }),
  issued_at: time.optional(),
  expires_at: time.nullish(),
  revoked: z.boolean().default(false),
})
export const TokenUpdate = z.object({
  label: label.optional(),
  expires_at: time.nullish(),
  revoked: z.boolean().optional(),
})

type Row = RowOf<typeof tables.tokens>
type TokenRecord = RecordOf<typeof tables.tokens>

export interface TokenService {
  readonly table: typeof tables.tokens
  list(
    where: Partial<Row>,
    slice: { limit?: number; offset?: number; after?: string },
  ): AsyncGenerator<TokenRecord[]>
  count(where: Partial<Row>): Promise<number>
  get(id: string): Promise<TokenRecord>
  /**
   * @returns the record with the key itself, which is shown this once
   * @throws 403 when another user is named and the caller is no administrator
   */
  create(actor: Actor, given: z.output<typeof TokenCreate>): Promise<TokenRecord & { token: string }>
  /** @throws 400 for a revoked key that would come back; 403 for a key of somebody who may do more */
  update(
    actor: Actor,
    id: string,
    given: z.output<typeof TokenUpdate>,
    check?: Check<unknown>,
  ): Promise<TokenRecord>
  remove(actor: Actor, id: string, check?: Check<unknown>): Promise<void>
}

const kind = { token_type: 'api_key' } as const

/** API keys. Only the hash of a key is stored. Tokens of other kinds are not seen here. */
export function tokens(
  db: Database,
  access: AccessService,
  { clock, random, hashing }: { clock: Clock; random: Random; hashing: Hashing },
): TokenService {
  const plain = reads(db, tables.tokens)
  const shown = (row: Row) => withoutSecrets(tables.tokens, row)

  async function refuseForeign(actor: Actor, token: Row): Promise<void> {
    if (token.token_type !== 'api_key') throw notFound()
    const owner = await db.get(tables.users, token.user_id)
    if (owner) await refuseBeyondOwnRights(access, actor, { account: owner })
  }

  return {
    table: tables.tokens,
    list: (where, slice) => plain.list({ ...where, ...kind }, slice),
    count: where => plain.count({ ...where, ...kind }),
    async get(id) {
      const record = await plain.get(id)
      if (record.token_type !== 'api_key') throw notFound()
      return record
    },
    async create(actor, { user_id = signedIn(actor).userId, token, issued_at, ...given }) {
      if (user_id !== actor.userId && !(await access.isAdministrator(actor)))
        throw forbidden('only an administrator makes a key for another user')
      const value = token ?? `slk_${randomSecret(random)}`
      const token_hash = hashing.sha256(value)
      const row = await db.write(actor, async tx => {
        if (await tx.exists(tables.tokens, { token_hash })) throw duplicate('token already exists')
        return tx.insert(tables.tokens, {
          ...given,
          user_id,
          token_hash,
          token_prefix: value.slice(0, 8),
          issued_at: issued_at ?? timestamp(clock.now()),
        })
      })
      return { ...shown(row), token: value }
    },
    update: (actor, id, { revoked, ...given }, check) =>
      db.write(actor, async tx => {
        const before = await tx.lock(tables.tokens, id)
        await refuseForeign(actor, before)
        check?.(shown(before))
        if (before.revoked && revoked === false) throw invalid('revoked', 'a revoked key does not come back')
        return shown((await tx.update(tables.tokens, id, { ...given, revoked })).after)
      }),
    remove: (actor, id, check) =>
      db.write(actor, async tx => {
        const before = await tx.lock(tables.tokens, id)
        await refuseForeign(actor, before)
        check?.(shown(before))
        await tx.removeAll(tables.tokens, [before])
      }),
  }
}
