import { z } from 'zod'
import {
  address,
  anyAddress,
  count,
  durationText,
  isOrigin,
  optional,
  optionalLines,
  optionalUrl,
  text,
  texts,
  tokens,
  typeSettings,
} from './config-schemas.js'
import { languageTag } from './language-tags.js'
import { isNetwork } from './net/client-address.js'

interface Flags {
  /** Shown as a mask wherever configuration is shown. */
  secret?: true
  /** Takes effect at the next start. */
  restart?: true
  /** Only the file on disk sets it, never a request. */
  fileOnly?: true
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

/** Other names of an engine that people know it by. */
const driverNames: Readonly<Record<string, string>> = { mariadb: 'mysql', postgresql: 'postgres' }

const stored = { restart: true, fileOnly: true } as const
/** An administrator sets it, for the next start. */
const placed = { restart: true, administrator: true } as const
const hidden = { secret: true } as const
const guarded = { administrator: true } as const

/** Every field of `cms.config.json`: those of the product and those that run the service. */
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
    'File of the SSH host key; made at the first start when absent, without it beside the database file.',
    stored,
  ),
  ssh_idle_timeout: field(
    durationText('1m', '24h').default('15m'),
    'How long a session of the terminal stays while nothing is typed.',
    guarded,
  ),
  ssh_max_sessions: field(
    count(1, 10_000).default(200),
    'How many sessions of the terminal there are at once.',
    guarded,
  ),
  tls: field(
    z.enum(['auto', 'off', 'files'], 'must be auto, off or files').default('auto'),
    'How HTTPS is served outside of local. auto: as the environment says. files: with a certificate of your own. off: by a proxy in front.',
    stored,
  ),
  tls_cert_file: field(
    optional(),
    'With tls files: the certificate and its chain, PEM (default fullchain.pem in cert_dir).',
    stored,
  ),
  tls_key_file: field(
    optional(),
    'With tls files: the private key, PEM (default privkey.pem in cert_dir).',
    stored,
  ),
  cert_dir: field(
    optional(),
    'Certificate directory. Where it is set, or certificates are kept in it, it must exist.',
    placed,
  ),
  acme_directory_url: field(
    optionalUrl(),
    'Directory of the certificate authority (default: that of Let’s Encrypt for staging or production).',
    stored,
  ),
  acme_email: field(optional(), 'Contact given to the certificate authority.', stored),
  acme_challenge: field(
    z.enum(['http-01', 'tls-alpn-01'], 'must be http-01 or tls-alpn-01').default('http-01'),
    'How the certificate authority proves the domain: over port (80 from outside) or ssl_port (443 from outside).',
    stored,
  ),
  client_site: field(optional(), 'Primary domain; absolute addresses in answers begin with it.', {
    restart: true,
    ...guarded,
  }),
  admin_site: field(optional(), 'Domain of the admin panel.', guarded),
  metrics_port: field(
    anyAddress().optional(),
    'Port of /metrics without sign-in, on loopback unless an address is named; without it they are at /api/v1/metrics only.',
    stored,
  ),
  stop_delay_seconds: field(
    count(0, 300).default(0),
    'How long a stop goes on serving while /api/v1/health/ready says 503, for balancers to notice.',
    stored,
  ),
  trusted_proxies: field(
    z.array(text().refine(isNetwork, 'must be an address or a network')).max(1000).default([]),
    'Addresses or networks whose X-Forwarded-For is believed.',
    {
      restart: true,
      ...guarded,
    },
  ),
  log_level: field(
    z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    'The least important log lines that are written.',
    { restart: true },
  ),
  app_secret: field(
    optional(),
    'Key that encrypts provider tokens and webhook secrets at rest; without it the first start makes one in a file.',
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
    'File path for sqlite (default ./modula.db); host:port or a full URL for the servers.',
    { ...stored, ...hidden },
  ),
  db_name: field(optional(), 'Database name, where db_url does not hold it.', stored),
  db_username: field(optional(), 'Database user, where db_url does not hold it.', stored),
  db_password: field(optional(), 'Database password, where db_url does not hold it.', {
    ...stored,
    ...hidden,
  }),
  db_pooler: field(
    z.boolean().default(false),
    'Whether a pooler such as PgBouncer is in front of PostgreSQL, in transaction mode.',
    stored,
  ),
  backup_option: field(
    z.enum(['local', 's3']).default('local'),
    'Where backups are kept: local in backup_dir, s3 in bucket_backup.',
    { restart: true },
  ),
  backup_dir: field(
    text().min(1).default('./backups'),
    'Folder of local backups, and where those for a bucket are made.',
    stored,
  ),
  backup_schedule: field(
    durationText('1h', '365d').optional(),
    'How often a backup is made by itself, such as 24h; without it none is.',
  ),
  backup_retention: field(
    count(1, 10_000).default(7),
    'How many complete backups are kept; older ones are removed after a new one.',
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
  registration_enabled: field(z.boolean().default(true), 'Whether anybody may make a viewer’s account.', {
    ...guarded,
    defaultInProduction: false,
  }),
  readers_see_drafts: field(
    z.boolean().default(true),
    'Whether whoever may read content and not change it sees drafts in the lists of management.',
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
  oauth_success_redirect: field(text().default('/'), 'Where the browser goes after an OAuth login.', guarded),
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
    'The page of the front end that preview links lead to, with ?preview=. Without it they lead to the service.',
    guarded,
  ),
  output_format: field(
    z.enum(['native', 'clean', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress']).default('raw'),
    'Format of a page when the request names none.',
  ),
  compat: field(
    typeSettings().default({}),
    'What datatypes and their fields are called under /compat, where slugline compat shows another guess.',
    { restart: true },
  ),
  publish_mode: field(
    z.enum(['live', 'staged']).default('live'),
    'live: edits of published content are public at once. staged: they wait for the next publish.',
    { restart: true },
  ),
  redirect_mode: field(
    z.enum(['automatic', 'manual', 'off']).default('automatic'),
    'Whether old addresses redirect. automatic: a changed slug leaves a redirect. manual: only those that are made. off: none.',
  ),
  sitemap_enabled: field(
    z.boolean().default(true),
    'Whether /sitemap.xml and /api/v1/routes/published list the published pages for everybody.',
  ),
  robots_enabled: field(z.boolean().default(true), 'Whether /robots.txt is served.'),
  robots_txt: field(
    optionalLines(),
    'What /robots.txt says (default: production may be searched, with the sitemap; nothing else may).',
  ),
  version_max_per_content: field(count(1, 10_000).default(50), 'Versions kept for each entry and locale.'),
  event_streams_max: field(
    count(0, 10_000).default(200),
    'Streams of changes that one process serves at once; each is a connection.',
  ),
  page_cache_bytes: field(
    count(0, 2 ** 40).default(32 * 2 ** 20),
    'Memory for pages and other answers of delivery, in bytes.',
    {
      restart: true,
    },
  ),
  i18n_enabled: field(z.boolean().default(false), 'Whether fields can be translated.', { restart: true }),
  i18n_default_locale: field(
    z.string().max(35).regex(languageTag, 'must be a language tag such as de or de-AT').default('en'),
    'The default locale that the first start makes; later it is changed under /locales.',
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
  webhook_max_retries: field(count(1, 100).default(3), 'Attempts before a delivery is failed.'),
  webhook_workers: field(count(1, 256).default(4), 'Concurrent deliveries.', { restart: true }),
  webhook_delivery_retention_days: field(
    count(1, 36_500).default(30),
    'Days that finished deliveries are kept.',
  ),
  webhook_retry_delays: field(
    z.array(durationText('100ms', '30d')).min(1).max(100).default(['1m', '5m', '30m']),
    'Waiting times before each further attempt.',
  ),
  webhook_scan_interval: field(
    durationText('100ms', '24h').default('60s'),
    'How often due retries are looked for.',
    {
      restart: true,
    },
  ),
  max_upload_size: field(count(1, 2 ** 40).default(10_485_760), 'Upload limit in bytes.'),
  bucket_media: field(optional(), 'Bucket of media.', { restart: true, ...guarded }),
  bucket_endpoint: field(optional(), 'Storage address for the server’s own calls.', {
    restart: true,
    ...guarded,
  }),
  bucket_region: field(text().default('us-east-1'), 'Storage region.', { restart: true, ...guarded }),
  bucket_access_key: field(optional(), 'Storage access key.', { ...hidden, restart: true, ...guarded }),
  bucket_secret_key: field(optional(), 'Storage secret key.', { ...hidden, restart: true, ...guarded }),
  bucket_force_path_style: field(
    z.boolean().default(true),
    'Path-style storage addresses (endpoint/bucket/key).',
    { restart: true, ...guarded },
  ),
  bucket_public_url: field(optionalUrl(), 'Storage address in answers that reach browsers.', {
    restart: true,
    ...guarded,
  }),
  bucket_media_prefix: field(text().default(''), 'Where in the bucket media live.', {
    restart: true,
    ...guarded,
  }),
  bucket_backup: field(optional(), 'Bucket of backups.', { restart: true, ...guarded }),
  bucket_admin_media: field(optional(), 'Bucket of admin media.', { restart: true, ...guarded }),
  bucket_admin_endpoint: field(optional(), 'Storage address of admin media.', { restart: true, ...guarded }),
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
  bucket_admin_public_url: field(
    optionalUrl(),
    'Storage address of admin media in answers that reach browsers.',
    { restart: true, ...guarded },
  ),
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

export const isConfigName = (name: string): name is ConfigName => Object.hasOwn(fields, name)
