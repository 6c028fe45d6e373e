import { z } from 'zod'
import { type Actor, signedIn } from '../../actor.js'
import { type RecordOf, type RowOf, withoutSecrets } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import type { Slice } from '../../db/reader.js'
import { tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { duplicate, forbidden, invalid, notFound } from '../../errors.js'
import { timestamp } from '../../ids.js'
import { limits as bounds } from '../../limits.js'
import type { Clock, Hashing, Random } from '../../ports.js'
import type { RoleLimits } from '../../role-limits.js'
import { reference, time } from '../body-parts.js'
import { type Check, reads } from '../crud.js'
import { randomSecret } from '../secrets.js'
import type { AccessService } from './access.js'
import { type GivenLimits, keyLimitsInput, storedLimits } from './given-limits.js'
import { keyRights } from './key-rights.js'
import { permissionLabel } from './permissions.js'

const label = z.string().max(255)
/** A word written twice has eight different pairs of neighbouring characters; 16 random hex digits have 13 to 15. */
const minPairs = 12
const pairsIn = (text: string): number =>
  new Set(Array.from({ length: text.length - 1 }, (_, i) => text.slice(i, i + 2))).size

const permissions = z
  .array(permissionLabel)
  .min(1, 'must contain at least one, or be null for all permissions of the user')
  .max(1000)
  .transform(labels => [...new Set(labels)])
  .nullable()
  .meta({
    description:
      'The permissions of the key, never more than those of its user. null: all permissions of the user.',
  })
const readOnly = z.boolean().meta({ description: 'Whether the key is limited to GET, HEAD and OPTIONS.' })

const rateLimit = z
  .int()
  .min(1)
  .max(bounds.accounts.requestsOfKey)
  .nullable()
  .meta({
    description: 'The requests that the key may make in a minute. null: as many as the site allows.',
    examples: [600],
  })

/** A key that somebody else than the service has made. @param form its characters, of which there are not many */
export const givenKey = (form: RegExp, problem: string) =>
  z
    .string()
    // The pairs of 5 MiB are not counted.
    .regex(form, { error: problem, abort: true })
    .refine(
      value => pairsIn(value) >= minPairs,
      `is too repetitive: it needs at least ${minPairs} different pairs of neighbouring characters`,
    )

export const TokenCreate = z.object({
  label: label.default(''),
  user_id: reference.optional(),
  token_type: z.literal('api_key', 'only api_key can be created').default('api_key'),
  token: givenKey(/^[\x21-\x7e]{16,255}$/, 'must be 16 to 255 visible ASCII characters')
    .optional()
    .meta({ description: 'A key of your choice. If it is missing, the service generates one.' }),
  issued_at: time.optional(),
  expires_at: time.nullish(),
  revoked: z.boolean().default(false),
  permissions: permissions.default(null),
  read_only: readOnly.default(false),
  limits: keyLimitsInput.default(null),
  rate_limit: rateLimit.default(null),
})
export const TokenUpdate = z.object({
  label: label.optional(),
  expires_at: time.nullish(),
  revoked: z.boolean().optional(),
  permissions: permissions.optional(),
  read_only: readOnly.optional(),
  limits: keyLimitsInput.optional(),
  rate_limit: rateLimit.optional(),
})

/** A key as it is shown when it is made. */
export const TokenMade = z
  .object({
    token_id: z.string(),
    user_id: z.string(),
    token_type: z.literal('api_key'),
    token_prefix: z.string().meta({ description: 'The first characters, to tell keys apart.' }),
    label: z.string(),
    issued_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    revoked: z.boolean(),
    last_used_at: z.iso.datetime().nullable(),
    date_created: z.iso.datetime(),
    date_modified: z.iso.datetime(),
    permissions: z.array(z.string()).nullable(),
    read_only: z.boolean(),
    limits: z
      .object({
        datatypes: z.array(z.string()).optional(),
        routes: z.array(z.string()).optional(),
        locales: z.array(z.string()).optional(),
        own: z.literal(true).optional(),
      })
      .nullable(),
    rate_limit: z.int().nullable(),
    token: z.string().meta({ description: 'The key itself, which is shown only once.' }),
  })
  .meta({ id: 'NewToken' })

type TokenRow = RowOf<typeof tables.tokens>

/** All that is stored of a key itself. */
type StoredKey = Pick<TokenRow, 'token_hash' | 'token_prefix'>

/** The characters of a key that are shown, to tell keys apart. */
export const prefixOf = (key: string): string => key.slice(0, 8)

const kind = { token_type: 'api_key' } as const

export type TokenService = ReturnType<typeof tokens>

/** Creates keys of which only the hash is known, by the rules of every key. */
function keyCreation(db: Database, access: AccessService, clock: Clock) {
  const rights = keyRights(db, access, clock)
  /** @param first joins the transaction, and may refuse */
  return async function createByHash(
    actor: Actor,
    { user_id = signedIn(actor).userId, issued_at, ...given }: Omit<z.output<typeof TokenCreate>, 'token'>,
    key: StoredKey,
    first: (tx: Writer) => Promise<void> = async () => undefined,
  ): Promise<RecordOf<typeof tables.tokens>> {
    if (user_id !== actor.userId && !(await access.isAdministrator(actor)))
      throw forbidden('only an administrator can create a key for another user')
    rights.refuseSecond(actor)
    rights.refuseEnd(actor, given.expires_at ?? null)
    const limits = given.limits && (await storedLimits(db, given.limits))
    await rights.refuseMore(actor, { user_id, permissions: given.permissions, limits })
    await rights.refusePermissions(actor, user_id, given.permissions ?? [])
    const row = await db.write(actor, async tx => {
      await first(tx)
      if (await tx.exists(tables.tokens, { token_hash: key.token_hash }))
        throw duplicate('token already exists')
      return tx.insert(tables.tokens, {
        ...{ ...given, ...key, user_id, limits },
        issued_at: issued_at ?? timestamp(clock.now()),
      })
    })
    return withoutSecrets(tables.tokens, row)
  }
}

/** A stored part is not looked up again, so that a record can be sent back whatever was deleted since. */
async function limitsAfter(
  tx: Writer,
  given: GivenLimits | undefined,
  before: RoleLimits | null,
): Promise<RoleLimits | null> {
  if (given === undefined || JSON.stringify(given) === JSON.stringify(before)) return before
  return given && storedLimits(tx, given)
}

/** API keys. Only the hash of a key is stored. Tokens of other kinds are not seen here. */
export function tokens(
  db: Database,
  access: AccessService,
  { clock, random, hashing }: { clock: Clock; random: Random; hashing: Hashing },
) {
  const plain = reads(db, tables.tokens)
  const shown = (row: TokenRow) => withoutSecrets(tables.tokens, row)
  const rights = keyRights(db, access, clock)
  const createByHash = keyCreation(db, access, clock)

  return {
    table: tables.tokens,
    list: (where: Partial<TokenRow>, slice: Slice) => plain.list({ ...where, ...kind }, slice),
    count: (where: Partial<TokenRow>) => plain.count({ ...where, ...kind }),
    async get(id: string) {
      const record = await plain.get(id)
      if (record.token_type !== 'api_key') throw notFound()
      return record
    },
    /**
     * @returns the record with the key itself, which is shown only once
     * @throws 403 when a caller who is not an administrator names another user, or when the key would have more rights
     * or time than the caller; 400 for a permission that its user does not have, or an end that is past
     */
    async create(actor: Actor, { token, ...given }: z.output<typeof TokenCreate>) {
      const value = token ?? `slk_${randomSecret(random)}`
      const key = { token_hash: hashing.sha256(value), token_prefix: prefixOf(value) }
      return { ...(await createByHash(actor, given, key)), token: value }
    },
    createByHash,
    /** @throws 400 as `create` and for a revoked key that would come back; 403 for a key that may do more than the caller */
    update: (
      actor: Actor,
      id: string,
      { revoked, limits: part, ...given }: z.output<typeof TokenUpdate>,
      check?: Check<unknown>,
    ) =>
      db.write(actor, async tx => {
        const before = await tx.lock(tables.tokens, id)
        if (before.token_type !== 'api_key') throw notFound()
        await rights.refuseMore(actor, before)
        const limits = await limitsAfter(tx, part, before.limits)
        const permissions = given.permissions === undefined ? before.permissions : given.permissions
        const after = { ...before, permissions, limits }
        await rights.refuseMore(actor, after)
        check?.(shown(before))
        if (before.revoked && revoked === false) throw invalid('revoked', 'a revoked key cannot be restored')
        if (given.expires_at !== undefined && given.expires_at !== before.expires_at)
          rights.refuseEnd(actor, given.expires_at)
        rights.refuseRate(actor, before.rate_limit, given.rate_limit)
        const added = after.permissions?.filter(label => !before.permissions?.includes(label)) ?? []
        await rights.refusePermissions(actor, before.user_id, added)
        return shown((await tx.update(tables.tokens, id, { ...given, limits, revoked })).after)
      }),
    remove: (actor: Actor, id: string, check?: Check<unknown>) =>
      db.write(actor, async tx => {
        const before = await tx.lock(tables.tokens, id)
        if (before.token_type !== 'api_key') throw notFound()
        await rights.refuseMore(actor, before)
        check?.(shown(before))
        await tx.removeAll(tables.tokens, [before])
      }),
  }
}
