import type { Limits } from '../../actor.js'
import { limits } from '../../limits.js'
import type { RoleLimits } from '../../role-limits.js'
import { each, type Query } from '../statements.js'

const { openDeviceSignIns } = limits.accounts

/** Reads of accounts that are more than one table by its columns. */

/** A live session or key with its user, by the hash of the secret that was presented. */
export interface Credential {
  id: string
  user_id: string
  role_id: string
  expires_at: string | null
  last_used: string | null
  limits: Limits | undefined
  /** True for the session of an account with a password and without a second factor, unless a passkey opened it. */
  lacks_factor: boolean
}

/** @returns undefined for a key that may do all that its user may, for ever */
function limitsOf(row: Record<string, unknown>): Limits | undefined {
  const { permissions, read_only, expires_at, part, rate_limit } = row
  const isLimited = [permissions, expires_at, part, rate_limit].some(value => value !== null)
  if (!isLimited && Number(read_only) === 0) return undefined
  return {
    permissions: permissions === null ? null : new Set(JSON.parse(permissions as string) as string[]),
    readOnly: Number(read_only) === 1,
    expiresAt: expires_at as string | null,
    part: part === null ? null : (JSON.parse(part as string) as RoleLimits),
    rate: rate_limit === null ? null : Number(rate_limit),
  }
}

const credentialRow = (row: Record<string, unknown>): Credential => ({
  id: row.id as string,
  user_id: row.user_id as string,
  role_id: row.role_id as string,
  expires_at: row.expires_at as string | null,
  last_used: row.last_used as string | null,
  limits: row.read_only === undefined ? undefined : limitsOf(row),
  lacks_factor: Number(row.lacks_factor ?? 0) === 1,
})

export const sessionByHash: Query<'hash', Credential> = {
  values: ['hash'],
  build: (knex, value) =>
    knex('sessions as s')
      .join('users as u', 'u.user_id', 's.user_id')
      .leftJoin('user_second_factors as f', 'f.user_id', 's.user_id')
      .where('s.token_hash', value('hash'))
      .select([
        's.session_id as id',
        's.user_id as user_id',
        'u.role as role_id',
        's.expires_at as expires_at',
        's.last_access as last_used',
        knex.raw(
          'case when u.password is not null and f.confirmed_at is null and s.by_passkey = 0 then 1 else 0 end as lacks_factor',
        ),
      ]),
  rows: each(credentialRow),
}

/** An API key that may be used, except for its expiry, with its user. */
export const keyByHash: Query<'hash', Credential> = {
  values: ['hash'],
  build: (knex, value) =>
    knex('tokens as t')
      .join('users as u', 'u.user_id', 't.user_id')
      .where('t.token_hash', value('hash'))
      .where('t.token_type', 'api_key')
      .where('t.revoked', 0)
      .select([
        't.token_id as id',
        't.user_id as user_id',
        'u.role as role_id',
        't.expires_at as expires_at',
        't.last_used_at as last_used',
        't.permissions as permissions',
        't.read_only as read_only',
        't.limits as part',
        't.rate_limit as rate_limit',
      ]),
  rows: each(credentialRow),
}

/** The permissions of every role, as `[role_id, label]`. */
export const rolePermissionLabels: Query<never, { role_id: string; label: string }> = {
  values: [],
  build: knex =>
    knex('role_permissions as rp')
      .join('permissions as p', 'p.permission_id', 'rp.permission_id')
      .select(['rp.role_id as role_id', 'p.label as label'])
      .orderBy('rp.role_permission_id'),
  rows: each(row => ({ role_id: row.role_id as string, label: row.label as string })),
}

const expired = (table: string, key: string): Query<'now', string> => ({
  values: ['now'],
  build: (knex, value) =>
    knex(table).select(`${key} as id`).where('expires_at', '<=', value('now')).orderBy(key).limit(500),
  rows: each(row => row.id as string),
})

export const expiredStates = expired('oauth_states', 'oauth_state_id')
export const expiredChallenges = expired('passkey_challenges', 'passkey_challenge_id')
export const expiredSessions = expired('sessions', 'session_id')
export const expiredDeviceSignIns = expired('device_sign_ins', 'device_sign_in_id')
export const expiredPreviewLinks = expired('preview_links', 'preview_link_id')

export const expiredTokens: Query<'now' | 'type', string> = {
  values: ['now', 'type'],
  build: (knex, value) =>
    knex('tokens')
      .select('token_id as id')
      .where('token_type', value('type'))
      .where('expires_at', '<=', value('now'))
      .orderBy('token_id')
      .limit(500),
  rows: each(row => row.id as string),
}

/** The addresses of those who ask for a sign-in that nobody has answered yet, each as often as it asks. */
export const askingAddresses: Query<'now', string> = {
  values: ['now'],
  build: (knex, value) =>
    knex('device_sign_ins')
      .select('ip_address')
      .where('expires_at', '>', value('now'))
      .where('state', 'pending')
      .orderBy('device_sign_in_id')
      .limit(openDeviceSignIns),
  rows: each(row => row.ip_address as string),
}
