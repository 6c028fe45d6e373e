import { z } from 'zod'
import {
  address,
  anyAddress,
  count,
  durationText,
  isOrigin,
  oauthProviders,
  optional,
  optionalLines,
  optionalUrl,
  storeAddress,
  text,
  texts,
  tokens,
  typeSettings,
} from './config-schemas.js'
import { languageTag } from './language-tags.js'
import { isNetwork } from './net/client-address.js'

interface Flags {
  secret?: true
  restart?: true
  fileOnly?: true
  /** Each instance has its own: the file keeps it. What requests set of the others is kept in the database, for all. */
  perInstance?: true
  /** It decides who gets into which account, or where its data goes: only an administrator changes it. */
  administrator?: true
  /** Its default in staging and production, where that differs. */
  defaultInProduction?: unknown
}

const field = <S extends z.ZodType>(schema: S, meaning: string, flags: Flags = {}) => ({
  schema,
  meaning,
  ...flags,
})

const driverNames: Readonly<Record<string, string>> = { mariadb: 'mysql', postgresql: 'postgres' }

const stored = { restart: true, fileOnly: true } as const
/** An administrator sets it, for the next start. */
const placed = { restart: true, administrator: true, perInstance: true } as const
const hidden = { secret: true } as const
const guarded = { administrator: true } as const

const fields = {
  environment: field(
    z
      .string()
      .regex(
        /^(local|development|staging|production)(-docker)?$/,
        'must be local, development, staging or production, with or without "-docker"',
      )
      .default('local'),
    'Where the service runs. local: no HTTPS. development: self-signed. staging, production: automatic certificates.',
    placed,
  ),
  port: field(address(':8080'), 'Listening port of HTTP.', placed),
  ssl_port: field(address(':8443'), 'Listening port of HTTPS.', placed),
  ssh_port: field(address(':2233'), 'Listening port of the terminal interface.', placed),
  ssh_enabled: field(z.boolean().default(true), 'Whether the terminal interface is served.', stored),
  ssh_host_key: field(
    optional(),
    'File of the SSH host key, created at the first start. Default: beside the database file.',
    stored,
  ),
  ssh_idle_timeout: field(
    durationText('1m', '24h').default('15m'),
    'How long an idle session of the terminal stays open.',
    guarded,
  ),
  ssh_max_sessions: field(
    count(1, 10_000).default(200),
    'Maximum number of terminal sessions at once.',
    guarded,
  ),
  ssh_guest: field(
    text(255)
      .refine(role => role !== 'admin', 'must be a role other than admin: anyone may connect as a guest')
      .default(''),
    'Role of guests: anyone who connects as guest reads what this role may read, without a password. Empty: no guests.',
    guarded,
  ),
  tls: field(
    z.enum(['auto', 'off', 'files'], 'must be auto, off or files').default('auto'),
    'How HTTPS is served outside of local. auto: by the environment. files: with your own certificate. off: by a proxy.',
    stored,
  ),
  tls_cert_file: field(
    optional(),
    'With tls: files, the certificate and its chain in PEM. Default: fullchain.pem in cert_dir.',
    stored,
  ),
  tls_key_file: field(
    optional(),
    'With tls: files, the private key in PEM. Default: privkey.pem in cert_dir.',
    stored,
  ),
  cert_dir: field(optional(), 'Folder of certificates. If you set it, the folder must exist.', placed),
  acme_directory_url: field(
    optionalUrl(),
    'Directory address of the certificate authority. Default: Let’s Encrypt, for staging or production.',
    stored,
  ),
  acme_email: field(optional(), 'Contact given to the certificate authority.', stored),
  acme_challenge: field(
    z.enum(['http-01', 'tls-alpn-01'], 'must be http-01 or tls-alpn-01').default('http-01'),
    'How the certificate authority checks the domain: http-01 over port 80, or tls-alpn-01 over port 443.',
    stored,
  ),
  client_site: field(optional(), 'Primary domain, the beginning of absolute addresses in responses.', {
    restart: true,
    ...guarded,
  }),
  admin_site: field(optional(), 'Domain of the admin panel.', guarded),
  metrics_port: field(
    anyAddress().optional(),
    'Port of /metrics without sign-in, on loopback unless it contains an address. Default: only /api/v1/metrics.',
    stored,
  ),
  workers: field(
    count(1, 64).default(1),
    'The number of processes that serve on this machine. About one for each core; each has its own caches and connections.',
    stored,
  ),
  stop_delay_seconds: field(
    count(0, 300).default(0),
    'How long a stopping service still answers while /api/v1/health/ready is 503, so that load balancers notice.',
    stored,
  ),
  trusted_proxies: field(
    z.array(text().refine(isNetwork, 'must be an address or a network')).max(1000).default([]),
    'Addresses or networks of proxies whose X-Forwarded-For is used.',
    {
      restart: true,
      ...guarded,
    },
  ),
  log_level: field(
    z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    'The lowest level of log lines that are written.',
    { restart: true, perInstance: true },
  ),
  app_secret: field(
    optional(),
    'Key that encrypts provider tokens and webhook secrets in the database. Default: a file created at the first start.',
    {
      ...stored,
      ...hidden,
    },
  ),
  db_driver: field(
    z
      .preprocess(
        given => (typeof given === 'string' ? (driverNames[given] ?? given) : given),
        z.enum(['sqlite', 'mysql', 'postgres'], 'must be sqlite, mysql or postgres'),
      )
      .default('sqlite')
      .meta({ enum: ['sqlite', 'mysql', 'postgres', ...Object.keys(driverNames)] }),
    'Database engine; mariadb is another name for mysql, and postgresql for postgres.',
    stored,
  ),
  db_url: field(
    optional(),
    'File path for sqlite (default ./modula.db); host:port or a full URL for the servers, with several hosts if you like.',
    { ...stored, ...hidden },
  ),
  db_name: field(optional(), 'Database name, if db_url does not contain it.', stored),
  db_username: field(optional(), 'Database user, if db_url does not contain it.', stored),
  db_password: field(optional(), 'Database password, if db_url does not contain it.', {
    ...stored,
    ...hidden,
  }),
  db_pooler: field(
    z.boolean().default(false),
    'Whether a pooler such as PgBouncer is in front of PostgreSQL, in transaction mode.',
    stored,
  ),
  db_read_only: field(
    z.boolean().default(false),
    'Whether this instance only reads, from a standby or replica of the database. It answers changes and sign-ins with 503.',
    stored,
  ),
  backup_option: field(
    z.enum(['local', 's3']).default('local'),
    'Where backups are kept: local in backup_dir, s3 in bucket_backup.',
    { restart: true },
  ),
  backup_dir: field(
    text().min(1).default('./backups'),
    'Folder of local backups, and of temporary files for backups in a bucket.',
    stored,
  ),
  backup_schedule: field(
    durationText('1h', '365d').optional(),
    'How often a backup is made automatically, such as 24h. Default: never.',
  ),
  backup_retention: field(
    count(1, 10_000).default(7),
    'The number of backups to keep; older ones are deleted after each new one.',
  ),
  cookie_name: field(
    z
      .string()
      .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/, 'must be a cookie name: letters, digits, - and _')
      .default('cms_session'),
    'Session cookie name.',
    { restart: true, ...guarded },
  ),
  cookie_duration: field(durationText('1m', '400d').default('24h'), 'How long a session lives.', guarded),
  cookie_secure: field(z.boolean().default(false), 'Restrict the cookie to HTTPS.', {
    restart: true,
    ...guarded,
    defaultInProduction: true,
  }),
  cookie_samesite: field(z.enum(['lax', 'strict', 'none']).default('lax'), 'SameSite of the cookie.', {
    restart: true,
    ...guarded,
  }),
  registration_enabled: field(
    z.boolean().default(true),
    'Whether anybody may create an account with the role viewer.',
    {
      ...guarded,
      defaultInProduction: false,
    },
  ),
  readers_see_drafts: field(
    z.boolean().default(true),
    'Whether users who may read but not edit content see drafts in lists.',
    { ...guarded, defaultInProduction: false },
  ),
  cors_origins: field(
    z
      .array(text().refine(isOrigin, 'must be an origin such as https://app.example.com, or *'))
      .max(1000)
      .default([]),
    'Origins whose pages may call the API from a browser.',
    guarded,
  ),
  cors_methods: field(
    tokens().default(['GET', 'POST', 'PUT', 'DELETE']),
    'Methods allowed to those origins.',
    guarded,
  ),
  cors_headers: field(
    tokens().default(['Content-Type', 'Authorization', 'If-Match', 'If-None-Match', 'Idempotency-Key']),
    'Headers allowed to those origins.',
    guarded,
  ),
  cors_credentials: field(z.boolean().default(true), 'Whether those origins may send the cookie.', guarded),
  oauth_client_id: field(optional(), 'OAuth client identifier.', guarded),
  oauth_client_secret: field(optional(), 'OAuth client secret.', { ...hidden, ...guarded }),
  oauth_scopes: field(texts().default(['openid', 'email', 'profile']), 'Scopes requested.', guarded),
  oauth_provider_name: field(text(255).optional(), 'Provider name.', guarded),
  oauth_redirect_url: field(
    optionalUrl(),
    'Callback address: /api/v1/auth/oauth/callback on this service.',
    guarded,
  ),
  oauth_success_redirect: field(
    text().default('/'),
    'Where the browser goes after a sign-in with the provider.',
    guarded,
  ),
  oauth_endpoint: field(
    z
      .object({
        oauth_auth_url: optionalUrl(),
        oauth_token_url: optionalUrl(),
        oauth_userinfo_url: optionalUrl(),
      })
      .default({}),
    'The provider’s authorization, token and userinfo addresses.',
    guarded,
  ),
  oauth_providers: field(
    oauthProviders(),
    'More providers: each has id, name and the fields oauth_* of its own. See docs/security.md.',
    { ...stored, ...hidden, ...guarded },
  ),
  email_enabled: field(z.boolean().default(false), 'Whether mail is sent.', guarded),
  email_provider: field(
    z.enum(['smtp'], 'must be smtp').default('smtp'),
    'How mail is sent. Only SMTP is supported.',
    guarded,
  ),
  email_host: field(optional(), 'Mail server.', guarded),
  email_port: field(count(1, 65_535).default(587), 'Mail server’s port.', guarded),
  email_username: field(optional(), 'Mail server’s user.', guarded),
  email_password: field(optional(), 'Mail server’s password.', { ...hidden, ...guarded }),
  email_tls: field(z.boolean().default(true), 'Whether mail is sent encrypted.', guarded),
  email_from_address: field(optional(), 'Sender address.', guarded),
  email_from_name: field(optional(), 'Sender name.', guarded),
  email_reply_to: field(optional(), 'Reply address.', guarded),
  password_reset_url: field(optionalUrl(), 'The link in reset mails: this address with ?token=.', guarded),
  preview_url: field(
    optionalUrl(),
    'The page of the front end that preview links lead to, with ?preview=. Default: a plain page of the service.',
    guarded,
  ),
  output_format: field(
    z
      .enum(['native', 'clean', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress', 'markdown'])
      .default('raw'),
    'Format of pages if the request names none.',
  ),
  compat: field(
    typeSettings().default({}),
    'Names of datatypes and fields under /compat, if they differ from those that slugline compat shows.',
  ),
  publish_mode: field(
    z.enum(['live', 'staged']).default('live'),
    'live: edits of published content are public at once. staged: they are public after the next publish.',
    { restart: true },
  ),
  redirect_mode: field(
    z.enum(['automatic', 'manual', 'off']).default('automatic'),
    'Whether old addresses redirect. automatic: a changed slug leaves a redirect. manual: only redirects that you create. off: none.',
  ),
  sitemap_enabled: field(
    z.boolean().default(true),
    'Whether /sitemap.xml and /api/v1/routes/published list the published pages publicly.',
  ),
  robots_enabled: field(z.boolean().default(true), 'Whether /robots.txt is served.'),
  robots_txt: field(
    optionalLines(),
    'The text of /robots.txt. Default: only production may be indexed, with the sitemap.',
  ),
  llms_txt_enabled: field(
    z.boolean().default(true),
    'Whether /llms.txt lists the published pages for language models. It needs sitemap_enabled.',
  ),
  site_name: field(optional(), 'Name of the site in /llms.txt. Default: its domain.'),
  site_summary: field(
    optional(),
    'What the site is about, in /llms.txt. Default: the description of its first page.',
  ),
  version_max_per_content: field(count(1, 10_000).default(50), 'Versions kept for each entry and locale.'),
  trash_retention: field(
    durationText('0s', '3650d').default('30d'),
    'How long deleted content can be restored. With 0s it is deleted permanently at once.',
  ),
  event_streams_max: field(
    count(0, 10_000).default(200),
    'Maximum number of change streams that one process serves at once.',
  ),
  page_cache_bytes: field(
    count(0, 2 ** 40).default(32 * 2 ** 20),
    'Memory for cached pages and other responses, in bytes.',
    {
      restart: true,
    },
  ),
  i18n_enabled: field(z.boolean().default(false), 'Whether fields can be translated.'),
  i18n_default_locale: field(
    z.string().max(35).regex(languageTag, 'must be a language tag such as de or de-AT').default('en'),
    'The default locale that the first start creates. Change it later under /locales.',
    { restart: true },
  ),
  webhook_enabled: field(z.boolean().default(false), 'Whether events are delivered.'),
  webhook_allow_http: field(
    z.boolean().default(false),
    'Whether webhook addresses may be plain HTTP.',
    guarded,
  ),
  webhook_allowed_networks: field(
    z.array(text().refine(isNetwork, 'must be an address or a network')).max(1000).default([]),
    'Private networks (CIDR) that webhooks may reach.',
    guarded,
  ),
  webhook_timeout: field(count(1, 300).default(10), 'Seconds for one delivery request.'),
  webhook_max_retries: field(count(1, 100).default(3), 'Attempts before a delivery fails.'),
  webhook_workers: field(count(1, 256).default(4), 'Concurrent deliveries.', { restart: true }),
  webhook_delivery_retention_days: field(
    count(1, 36_500).default(30),
    'Days that finished deliveries are kept.',
  ),
  webhook_retry_delays: field(
    z.array(durationText('100ms', '30d')).min(1).max(100).default(['1m', '5m', '30m']),
    'The delay before each retry.',
  ),
  webhook_scan_interval: field(
    durationText('100ms', '24h').default('60s'),
    'How often the service looks for due retries.',
    {
      restart: true,
    },
  ),
  max_upload_size: field(count(1, 2 ** 40).default(10_485_760), 'Upload limit in bytes.'),
  media_formats: field(
    z
      .array(z.enum(['webp', 'avif'], 'must be webp or avif'))
      .max(2)
      .refine(given => new Set(given).size === given.length, 'must not repeat a format')
      .default(['webp']),
    'Formats of image variants beside the image’s own. Applies to later uploads; `slugline media regenerate` renews the others.',
  ),
  bucket_media: field(optional(), 'Bucket of media.', { restart: true, ...guarded }),
  bucket_endpoint: field(
    storeAddress(),
    'Address of the storage for the service, or a folder of this machine such as file:./media.',
    {
      restart: true,
      ...guarded,
    },
  ),
  bucket_region: field(text().default('us-east-1'), 'Storage region.', { restart: true, ...guarded }),
  bucket_access_key: field(optional(), 'Storage access key.', { ...hidden, restart: true, ...guarded }),
  bucket_secret_key: field(optional(), 'Storage secret key.', { ...hidden, restart: true, ...guarded }),
  bucket_force_path_style: field(
    z.boolean().default(true),
    'Path-style storage addresses (endpoint/bucket/key).',
    { restart: true, ...guarded },
  ),
  bucket_public_url: field(optionalUrl(), 'Address of the storage for browsers.', {
    restart: true,
    ...guarded,
  }),
  bucket_media_prefix: field(text().default(''), 'Prefix of media in the bucket.', {
    restart: true,
    ...guarded,
  }),
  bucket_backup: field(optional(), 'Bucket of backups.', { restart: true, ...guarded }),
  bucket_admin_media: field(optional(), 'Bucket of admin media.', { restart: true, ...guarded }),
  bucket_admin_endpoint: field(storeAddress(), 'Storage address of admin media.', {
    restart: true,
    ...guarded,
  }),
  bucket_admin_access_key: field(optional(), 'Storage access key of admin media.', {
    ...hidden,
    restart: true,
    ...guarded,
  }),
  bucket_admin_secret_key: field(optional(), 'Storage secret key of admin media.', {
    ...hidden,
    restart: true,
    ...guarded,
  }),
  bucket_admin_public_url: field(optionalUrl(), 'Address of the storage of admin media for browsers.', {
    restart: true,
    ...guarded,
  }),
}

type Fields = typeof fields
export type ConfigName = keyof Fields
/** The fields by name, in the order in which they are shown. */
export const configFields: {
  readonly [N in ConfigName]: Flags & { schema: Fields[N]['schema']; meaning: string }
} = fields
/** The default of a field in an environment; undefined if it has no default. */
export function defaultIn(environment: string, name: ConfigName): unknown {
  const { schema, defaultInProduction } = configFields[name]
  if (defaultInProduction !== undefined && /^(staging|production)/.test(environment))
    return defaultInProduction
  return schema.safeParse(undefined).data
}

/** Whether the database keeps what requests set of the field, for all instances. */
export const isShared = (name: ConfigName): boolean =>
  !configFields[name].fileOnly && !configFields[name].perInstance

export const isConfigName = (name: string): name is ConfigName => Object.hasOwn(fields, name)
