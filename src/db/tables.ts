import { surfaces } from '../actor.js'
import type { EventFilter } from '../event-filter.js'
import type { RoleLimits } from '../role-limits.js'
import {
  bigint,
  boolean,
  created,
  id,
  integer,
  internalTable,
  json,
  longtext,
  type RowOf,
  table,
  text,
  time,
} from './columns.js'
import { type ContentSpace, contentSpace, dates, imageFits, mediaSpace } from './content-tables.js'

export type { ContentSpace }
export type Operation = 'INSERT' | 'UPDATE' | 'DELETE'

/** The lists whose views are saved, by their paths in the panel, and the address of the calendar. */
const preferences = ['/content', '/media', '/audit', '/space/content', '/space/media', 'calendar'] as const

/** `open` until it is answered by somebody who may publish, or withdrawn by its author. */
const reviewStates = ['open', 'approved', 'returned', 'withdrawn'] as const

const importSystems = ['wordpress', 'contentful', 'sanity', 'strapi', 'markdown', 'ghost', 'csv'] as const
/** `ready` has been looked at only, and waits for its start. */
const importStates = ['running', 'ready', 'completed', 'failed', 'cancelled'] as const

export const tables = {
  roles: table(
    'roles',
    'role_id',
    {
      role_id: id(),
      label: text(),
      system_protected: boolean().or(false),
      ...dates,
      /** Whether accounts with a password need a second factor. */
      second_factor: boolean().or(false),
      /** The part of the site that it may change; null for all of it. */
      limits: json<RoleLimits>().orNull(),
    },
    { unique: [['label']] },
  ),
  permissions: table(
    'permissions',
    'permission_id',
    { permission_id: id(), label: text(), system_protected: boolean().or(false), ...dates },
    { unique: [['label']] },
  ),
  rolePermissions: table(
    'role_permissions',
    'role_permission_id',
    {
      role_permission_id: id(),
      role_id: id().of('roles'),
      permission_id: id().of('permissions'),
      date_created: created(),
    },
    { unique: [['role_id', 'permission_id']] },
  ),
  users: table(
    'users',
    'user_id',
    {
      user_id: id(),
      username: text(),
      name: text(),
      email: text(),
      password: text().secret().orNull(),
      role: id().of('roles'),
      email_verified: boolean().or(false),
      origin: text().or('admin'),
      ...dates,
    },
    { unique: [['username'], ['email']] },
  ),
  oauthConnections: table(
    'user_oauth',
    'user_oauth_id',
    {
      user_oauth_id: id(),
      user_id: id().of('users'),
      oauth_provider: text(),
      oauth_provider_user_id: text(),
      access_token: longtext().secret().orNull(),
      refresh_token: longtext().secret().orNull(),
      token_expires_at: time().orNull(),
      ...dates,
    },
    { unique: [['oauth_provider', 'oauth_provider_user_id']] },
  ),
  sshKeys: table(
    'user_ssh_keys',
    'ssh_key_id',
    {
      ssh_key_id: id(),
      user_id: id().of('users'),
      public_key: longtext(),
      key_type: text(),
      fingerprint: text(),
      label: text().or(''),
      last_used: time().silent().orNull(),
      date_created: created(),
    },
    { unique: [['fingerprint']] },
  ),
  sessions: table(
    'sessions',
    'session_id',
    {
      session_id: id(),
      user_id: id().of('users'),
      token_hash: text().secret(),
      ip_address: text().or(''),
      user_agent: text().or(''),
      created_at: created(),
      last_access: time().silent(),
      expires_at: time(),
      /** Whether a passkey has opened it, which counts as both factors. */
      by_passkey: boolean().or(false),
    },
    { unique: [['token_hash']] },
  ),
  tokens: table(
    'tokens',
    'token_id',
    {
      token_id: id(),
      user_id: id().of('users'),
      token_type: text().oneOf(['api_key']),
      token_hash: text().secret(),
      token_prefix: text().or(''),
      label: text().or(''),
      issued_at: time(),
      expires_at: time().orNull(),
      revoked: boolean().or(false),
      last_used_at: time().silent().orNull(),
      ...dates,
      permissions: json<string[]>().orNull(),
      read_only: boolean().or(false),
      /** The part of the site that it may change; null for all that its user may. */
      limits: json<RoleLimits>().orNull(),
      /** The requests that it may make in a minute; null for as many as the site allows. */
      rate_limit: integer().orNull(),
    },
    { unique: [['token_hash']] },
  ),
  secondFactors: table(
    'user_second_factors',
    'second_factor_id',
    {
      second_factor_id: id(),
      user_id: id().of('users'),
      /** Encrypted under `app_secret`. */
      secret: longtext().secret(),
      /** Hashes of those that are left. */
      recovery_codes: json<string[]>().secret().or([]),
      recovery_codes_left: integer().or(0),
      /** Null until a code has shown that the user has the secret: before that it is not asked for. */
      confirmed_at: time().orNull(),
      /** The time step of the last code that was accepted: none is accepted again. */
      last_step: bigint().secret().silent().or(0),
      /** Wrong codes since `wrong_since`. */
      wrong_codes: integer().secret().silent().or(0),
      wrong_since: time().secret().silent().orNull(),
      ...dates,
    },
    { unique: [['user_id']] },
  ),
  passkeys: table(
    'user_passkeys',
    'passkey_id',
    {
      passkey_id: id(),
      user_id: id().of('users'),
      name: text(),
      /** Of `credential_id`, which may be too long for an index. */
      credential_hash: text().secret(),
      credential_id: longtext().secret(),
      public_key: longtext().secret(),
      /** The host that it signs in to, with its port. */
      host: text(),
      /** The uses that the authenticator has counted; always 0 of one that does not count. */
      sign_count: bigint().secret().silent().or(0),
      last_used: time().silent().orNull(),
      ...dates,
    },
    { unique: [['credential_hash']] },
  ),
  /** Choices that an account keeps for itself. */
  userPreferences: table(
    'user_preferences',
    'user_preference_id',
    {
      user_preference_id: id(),
      user_id: id().of('users'),
      kind: text().oneOf(preferences),
      label: text().or(''),
      value: text().or(''),
      ...dates,
    },
    { unique: [['user_id', 'kind', 'label']] },
  ),
  locales: table(
    'locales',
    'locale_id',
    {
      locale_id: id(),
      code: text(),
      label: text(),
      is_default: boolean().or(false),
      is_enabled: boolean().or(true),
      fallback_code: text().orNull(),
      sort_order: integer().or(0),
      ...dates,
    },
    { unique: [['code']], shapesPages: true, announced: true },
  ),
  mediaDimensions: table(
    'media_dimensions',
    'media_dimension_id',
    {
      media_dimension_id: id(),
      label: text(),
      width: integer(),
      height: integer(),
      fit: text().oneOf(imageFits).or('cover'),
      ...dates,
    },
    { unique: [['label']] },
  ),
  webhooks: table('webhooks', 'webhook_id', {
    webhook_id: id(),
    name: text(),
    url: text(),
    secret: text().secret(),
    previous_secret: text().secret().orNull(),
    previous_secret_until: time().orNull(),
    events: json<string[]>(),
    is_active: boolean().or(false),
    headers: json<Record<string, string>>().secret().or({}),
    author_id: id().of('users'),
    ...dates,
    filter: json<EventFilter>().orNull(),
    body_template: longtext().orNull(),
  }),
  previewLinks: table('preview_links', 'preview_link_id', {
    preview_link_id: id(),
    content_data_id: id(),
    label: text().or(''),
    expires_at: time(),
    /** The user who created the link. The link shows what this user may see now. */
    created_by: id(),
    /** And with those of this key, where it was made by one. */
    token_id: id().orNull(),
    date_created: created(),
  }),
  backups: table('backups', 'backup_id', {
    backup_id: id(),
    status: text(),
    started_at: time(),
    completed_at: time().orNull(),
    size_bytes: bigint().orNull(),
    record_count: bigint().orNull(),
    checksum: text().orNull(),
    storage: text(),
    location: text(),
    triggered_by: id().orNull(),
    error_message: text().orNull(),
  }),
  /** Imports that requests have started. */
  imports: table(
    'imports',
    'import_id',
    {
      import_id: id(),
      system: text().oneOf(importSystems),
      status: text().oneOf(importStates),
      /** The name of the uploaded file, or the address without its query. */
      source: text(),
      /** The whole address, which may hold a key. */
      address: longtext().secret().orNull(),
      /** Where the export is on the server, until it is removed. */
      place: text().secret().silent().orNull(),
      /** Whether published content becomes public. */
      is_public: boolean().or(false),
      with_files: boolean().or(true),
      /** True until somebody has seen what will come and starts it. */
      is_preview: boolean().or(false),
      doing: text().silent().or(''),
      done: bigint().silent().or(0),
      total: bigint().silent().or(0),
      /** The numbers of records in the export. */
      preview: json<Record<string, unknown>>().silent().orNull(),
      /** The numbers of records that were created. */
      result: json<Record<string, unknown>>().silent().orNull(),
      error_message: text().orNull(),
      started_at: time().orNull(),
      completed_at: time().orNull(),
      created_by: id(),
      ...dates,
    },
    { limited: true },
  ),
  ...contentSpace(''),
  // Behind what else refers to routes: a refusal names the first.
  redirects: table(
    'redirects',
    'redirect_id',
    {
      redirect_id: id(),
      slug: text(),
      /** A path or an address elsewhere; null where it leads to a route. */
      target: text().orNull(),
      route_id: id().of('routes').orNull(),
      /** The locale of the route's address; empty for its own. */
      locale: text().or(''),
      status: integer().or(308),
      is_automatic: boolean().or(false),
      author_id: id().of('users'),
      ...dates,
    },
    { unique: [['slug']], announced: true, limited: true },
  ),
  ...mediaSpace(''),
  comments: table('comments', 'comment_id', {
    comment_id: id(),
    content_data_id: id(),
    /** The field that it is about; null for the entry as a whole. */
    field_id: id().orNull(),
    /** The locale of the field's value; empty if it has no locale. */
    locale: text().or(''),
    body: longtext(),
    mentions: json<string[]>().or([]),
    resolved: boolean().or(false),
    resolved_by: id().orNull(),
    author_id: id().of('users'),
    ...dates,
  }),
  reviewRequests: table(
    'review_requests',
    'review_request_id',
    {
      review_request_id: id(),
      content_data_id: id(),
      status: text().oneOf(reviewStates),
      note: longtext().or(''),
      answer: longtext().or(''),
      answered_by: id().orNull(),
      answered_at: time().orNull(),
      /** The tree while the request is open, so that a tree has one open request. */
      open_for: id().secret().silent().orNull(),
      author_id: id().of('users'),
      ...dates,
    },
    { unique: [['open_for']], limited: true },
  ),
}

/** The admin space and its media. */
export const adminTables = { ...contentSpace('admin_'), ...mediaSpace('admin_') }

/**
 * `changes` grows with every commit, `schema_version` with every change of what all pages may show, `content_version`
 * with every change of a content tree or of what all pages may show, `public_version` with every change of what the
 * public may get.
 */
export type CounterName = 'changes' | 'schema_version' | 'content_version' | 'public_version'

export const internalTables = {
  /**
   * The ids of imported records in the systems that they are from (source-ids.ts). They outlive the record, so that
   * clients of that system hear of its deletion, and so that it has them again when it is restored.
   */
  sourceIds: internalTable('source_ids', 'source_key', {
    /** The system, the kind of thing and the id. */
    source_key: text(),
    content_data_id: id().orNull(),
    media_id: id().orNull(),
  }),
  auditEvents: internalTable('audit_events', 'audit_event_id', {
    audit_event_id: id(),
    occurred_at: time(),
    operation: text().oneOf(['INSERT', 'UPDATE', 'DELETE']),
    table_name: text(),
    record_id: text(),
    old_values: json().orNull(),
    new_values: json().orNull(),
    user_id: id().orNull(),
    surface: text().oneOf(surfaces),
    request_id: text().or(''),
    ip_address: text().or(''),
    user_agent: text().or(''),
  }),
  webhookDeliveries: internalTable('webhook_deliveries', 'delivery_id', {
    delivery_id: id(),
    webhook_id: id().of('webhooks'),
    event: text(),
    payload: longtext(),
    status: text(),
    attempts: integer(),
    last_status_code: integer().orNull(),
    last_error: text().orNull(),
    next_retry_at: time().orNull(),
    created_at: created(),
    completed_at: time().orNull(),
    /** When to look at it again: the next attempt, or the end of the lease of the one that runs. Null when finished. */
    due_at: time().orNull(),
    leased_by: text().orNull(),
    last_duration_ms: integer().orNull(),
    /** How the last response began. */
    last_response: longtext().orNull(),
  }),
  oauthStates: internalTable(
    'oauth_states',
    'oauth_state_id',
    {
      oauth_state_id: id(),
      state_hash: text(),
      browser_hash: text(),
      verifier: text(),
      nonce: text(),
      expires_at: time(),
      /** The id of the provider at which the sign-in began; null for `default`. */
      provider: text().orNull(),
      /** The session that links the provider to its account; null for a sign-in. */
      session_id: id().orNull(),
    },
    { unique: [['state_hash']] },
  ),
  /** Challenges that no passkey has answered yet. */
  passkeyChallenges: internalTable(
    'passkey_challenges',
    'passkey_challenge_id',
    {
      passkey_challenge_id: id(),
      challenge_hash: text(),
      /** The session that adds a passkey; null where one signs in. */
      session_id: id().orNull(),
      host: text(),
      expires_at: time(),
    },
    { unique: [['challenge_hash']] },
  ),
  /** Command lines that wait for a person to approve their sign-in in a browser. */
  deviceSignIns: internalTable(
    'device_sign_ins',
    'device_sign_in_id',
    {
      device_sign_in_id: id(),
      /** Of the secret that becomes an API key when somebody approves. */
      device_code_hash: text(),
      user_code_hash: text(),
      token_prefix: text(),
      /** The name that the machine gives itself. */
      host: text(),
      ip_address: text(),
      state: text().oneOf(['pending', 'approved', 'denied']),
      created_at: created(),
      polled_at: time().orNull(),
      expires_at: time(),
    },
    { unique: [['device_code_hash'], ['user_code_hash']] },
  ),
  oauthProviders: internalTable('oauth_providers', 'name', { name: text(), source_hash: text() }),
  mediaUploads: internalTable('media_uploads', 'upload_id', {
    upload_id: id(),
    space: text(),
    key_prefix: text(),
    started_at: time(),
  }),
  /** Work outside of the database that failed and is retried; `attempts` are those so far. */
  pendingWork: internalTable('pending_work', 'work_id', {
    work_id: id(),
    kind: text(),
    subject: text(),
    attempts: integer(),
    due_at: time(),
  }),
  /**
   * The content that each commit has changed, by the `content_version` that it made: ids are in the order of the
   * commits and without a gap, until old ones are removed.
   */
  contentChanges: internalTable('content_changes', 'change_id', {
    change_id: bigint(),
    changed_at: time(),
    all_pages: boolean(),
    trees: json<string[]>(),
    public_trees: json<string[]>(),
  }),
  counters: internalTable('counters', 'name', { name: text(), value: bigint() }),
  seeds: internalTable('seeds', 'name', { name: text() }),
  /** Rows that are only locked: one for each table whose writers must take turns for the whole table. */
  locks: internalTable('locks', 'name', { name: text() }),
  /**
   * One row for each `Idempotency-Key` of a caller and an address: `running` since `claimed_at`, `written` when its
   * records are stored and its answer is not, `answered` with the answer.
   */
  idempotencyKeys: internalTable('idempotency_keys', 'key_hash', {
    key_hash: text(),
    /** The request that works under the key: another holder may take over one that has run for too long. */
    holder: text(),
    state: text(),
    /** Of the request; the same key with a different request is refused. */
    fingerprint: text(),
    claimed_at: time(),
    status: integer().orNull(),
    headers: json<Record<string, string>>().orNull(),
    /** Sealed where it holds a secret. */
    body: longtext().orNull(),
  }),
  certificates: internalTable('certificates', 'name', {
    name: text(),
    /** Private key and chain, encrypted under `app_secret`; null until there is one, or where there is no secret. */
    sealed: longtext().orNull(),
    failures: integer(),
    retry_at: time().orNull(),
  }),
  /**
   * Answers to challenges of a certificate authority, by the kind of challenge with its token or host. The authority
   * may ask any instance.
   */
  acmeChallenges: internalTable('acme_challenges', 'challenge_key', {
    challenge_key: text(),
    key_authorization: text(),
    expires_at: time(),
  }),
  /** Settings that requests have changed, as JSON; those that are secret are encrypted under `app_secret`. */
  settings: internalTable('settings', 'name', { name: text(), value: longtext() }),
  /** One row for each running instance, which it renews every few seconds. */
  instances: internalTable('instances', 'instance_id', {
    instance_id: id(),
    version: text(),
    /** The number of the newest migration that it knows. */
    schema_number: integer(),
    role: text(),
    host: text(),
    pid: integer(),
    started_at: time(),
    beat_at: time(),
    /** How far the clock of its machine was ahead of the database's at the last beat, in milliseconds. */
    clock_ms: bigint(),
  }),
  /** A row about each record of an import. */
  importRecords: internalTable('import_records', 'record_key', {
    /** The id of the import and the number of the record. */
    record_key: text(),
    import_id: id(),
    /** Whether somebody should look at it. */
    is_problem: boolean(),
    report: json<Record<string, unknown>>(),
  }),
  /** The state of each record of another system at the last import (import/states.ts). A row outlives its record. */
  importStates: internalTable('import_states', 'state_key', {
    /** A hash of the system and the key of the record there. */
    state_key: text(),
    system: text(),
    /** The address that the record is followed at; null for one of an export. */
    source: text().orNull(),
    record_key: text(),
    /** The entry or media item here. */
    record_id: id(),
    source_hash: text(),
    /** The tree as the import has stored it; null for files. */
    own_hash: text().orNull(),
  }),
  leases: internalTable('leases', 'name', { name: text(), holder: text(), expires_at: time() }),
}

export const everyTable = [
  ...Object.values(tables),
  ...Object.values(adminTables),
  ...Object.values(internalTables),
]

export type EntryRow = RowOf<ContentSpace['contentData']>
export type ValueRow = RowOf<ContentSpace['contentFields']>
export type DatatypeRow = RowOf<ContentSpace['datatypes']>
export type FieldRow = RowOf<ContentSpace['fields']>
export type RouteRow = RowOf<ContentSpace['routes']>
