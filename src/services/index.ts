import type { Config } from '../config.js'
import type { Database } from '../db/database.js'
import { adminTables, tables } from '../db/tables.js'
import { duration } from '../durations.js'
import type { Ids } from '../ids.js'
import type { PageCounts } from '../metrics.js'
import type { Ports, RateLimiter } from '../ports.js'
import { type AccessService, access } from './accounts/access.js'
import { auth } from './accounts/auth.js'
import { expiry } from './accounts/expiry.js'
import { accounts } from './accounts/full-user.js'
import { oauth } from './accounts/oauth.js'
import { passwordReset } from './accounts/password-reset.js'
import { permissions } from './accounts/permissions.js'
import { registration } from './accounts/registration.js'
import { rolePermissions } from './accounts/role-permissions.js'
import { roles } from './accounts/roles.js'
import { sessions } from './accounts/sessions.js'
import { sshKeys } from './accounts/ssh-keys.js'
import { tokens } from './accounts/tokens.js'
import { users } from './accounts/users.js'
import { locales } from './content/locales.js'
import { spaceServices } from './content-space.js'
import { type AudienceOf, listAudience } from './delivery/audience.js'
import { mediaDimensions } from './media/dimensions.js'
import { mediaFolders } from './media/folders.js'
import { mediaHealth } from './media/health.js'
import { media } from './media/media.js'
import { type MediaSpaceName, mediaStorage } from './media/storage.js'
import { audit } from './operation/audit.js'
import { certificates } from './operation/certificates.js'
import { configuration } from './operation/configuration.js'
import { health } from './operation/health.js'
import { idempotency } from './operation/idempotency.js'
import { type Background, background } from './operation/jobs.js'
import { metrics } from './operation/metrics.js'
import { type PendingWork, pendingWork } from './operation/pending-work.js'
import { trimmedEnd } from './text.js'
import { lazyDispatcher } from './webhooks/lazy-dispatcher.js'
import { webhookRetention } from './webhooks/retention.js'
import { sealSecrets } from './webhooks/seal-secrets.js'
import { webhooks } from './webhooks/webhooks.js'

export type { SpaceServices } from './content-space.js'
export type MediaServices = Services['media']
export type Services = ReturnType<typeof createServices>

/** What all services are made of. */
interface Parts {
  db: Database
  ports: Ports
  live: { current: Config }
  variables: Record<string, string | undefined>
  ids: Ids
  /** One for all surfaces. */
  rateLimiter: RateLimiter
  /** Whether the database has every step of this version's schema. */
  isMigrated: () => Promise<boolean>
}

type Common = Ports &
  Parts & {
    config: () => Config
    jobs: Background
    pending: PendingWork
    pageCounts: PageCounts
    /** Attempts to deliver, by the state in which they left their delivery. */
    attempts: Map<string, number>
  }

/** Who there is, and what they may. */
function accountServices({
  db,
  config,
  clock,
  random,
  hashing,
  log,
  outgoing,
  mail,
  publicKeys,
  jobs,
  pending,
}: Common) {
  const accessService = access(db)
  const authService = auth(db, accessService, {
    clock,
    random,
    hashing,
    sessionLengthMs: () => duration(config().cookie_duration),
    used: userId => {
      if (config().oauth_client_id)
        jobs.later('the renewal of provider tokens', () => oauthService.refresh(userId))
    },
  })
  const oauthService = oauth(db, {
    clock,
    random,
    hashing,
    log,
    outgoing,
    access: accessService,
    auth: authService,
    config,
  })
  const usersService = users(db, accessService, { hashing })
  const sessionsService = sessions(db, accessService, { clock })
  return {
    access: accessService,
    auth: authService,
    oauth: oauthService,
    users: usersService,
    sessions: sessionsService,
    registration: registration(db, accessService, {
      hashing,
      users: usersService,
      isOpen: () => config().registration_enabled,
    }),
    passwordReset: passwordReset(db, { clock, random, hashing, mail, log, jobs, pending, config }),
    tokens: tokens(db, accessService, { clock, random, hashing }),
    sshKeys: sshKeys(db, accessService, { publicKeys }),
    accounts: accounts(db, accessService, { users: usersService, sessions: sessionsService }),
    roles: roles(db, accessService),
    permissions: permissions(db, accessService),
    rolePermissions: rolePermissions(db, accessService),
  }
}

/** Nothing of the admin space is for the public. */
const ofAdminSpace: AudienceOf = async () => 'working'

/** Media of both spaces. */
function mediaServices(
  { db, config, clock, log, files, images, storage, pending }: Common,
  audienceOf: AudienceOf,
) {
  const storageOf = (name: MediaSpaceName) => mediaStorage(storage, name, { config, now: clock.now })
  const spaces = {
    media: { space: tables, storage: storageOf('media'), audienceOf },
    admin_media: { space: adminTables, storage: storageOf('admin_media'), audienceOf: ofAdminSpace },
  }
  const ofSpace = (name: MediaSpaceName) => {
    const own = spaces[name]
    return {
      urlOf: own.storage.urlOf,
      items: media(db, own.space, name, {
        files,
        images,
        storage: own.storage,
        log,
        config,
        pending,
        audienceOf: own.audienceOf,
      }),
      folders: mediaFolders(db, own.space),
      health: mediaHealth(db, own, () => Object.values(spaces), { clock, log }),
    }
  }
  return {
    media: ofSpace('media'),
    adminMedia: ofSpace('admin_media'),
    mediaDimensions: mediaDimensions(db),
    storageAnswers: () => spaces.media.storage.answers(),
  }
}

/** The site's own address, without `/` at its end; `''` where the configuration names none. */
function originOf({ client_site = '', environment }: Config): string {
  if (client_site === '') return ''
  const scheme = environment.startsWith('local') ? 'http' : 'https'
  const origin = client_site.includes('://') ? client_site : `${scheme}://${client_site}`
  return trimmedEnd(origin, '/')
}

/** Content of both spaces, and its delivery. */
function contentServices(
  { db, config, clock, hashing, log, pageCounts }: Common,
  {
    audienceOf,
    media,
    adminMedia,
  }: {
    audienceOf: AudienceOf
    media: { urlOf(key: string): string }
    adminMedia: { urlOf(key: string): string }
  },
) {
  const ofSpace = {
    counts: pageCounts,
    hashing,
    log,
    clock,
    origin: originOf(config()),
    isStaged: () => config().publish_mode === 'staged',
    maxVersions: () => config().version_max_per_content,
    languages: () => ({ enabled: config().i18n_enabled, fallback: config().i18n_default_locale }),
  }
  const space = spaceServices(db, tables, 'content', {
    audienceOf,
    mediaUrl: media.urlOf,
    cacheBytes: config().page_cache_bytes,
    stored: true,
    ...ofSpace,
  })
  const adminSpace = spaceServices(db, adminTables, 'admin.content', {
    audienceOf: ofAdminSpace,
    mediaUrl: adminMedia.urlOf,
    cacheBytes: 0,
    stored: false,
    ...ofSpace,
  })
  return {
    space,
    adminSpace,
    locales: locales(db),
    /** Makes the public index where there is none yet. */
    async fillIndexes() {
      await space.publicIndex.fill()
      await adminSpace.publicIndex.fill()
    },
    /** Makes public what waits for a publish. Called at a start in live mode, where nothing waits. */
    async publishPending() {
      await space.publishing.publishPending()
      await adminSpace.publishing.publishPending()
    },
  }
}

function webhookServices({ db, config, clock, random, ids, log, outgoing, rateLimiter, attempts }: Common) {
  const delivery = lazyDispatcher(
    () => config().webhook_enabled,
    async () => {
      const { webhookDelivery } = await import('./webhooks/dispatcher.js')
      return webhookDelivery(db, { outgoing, clock, random, log, config, attempts })
    },
  )
  const parts = { outgoing, clock, random, ids, config, rateLimiter, queued: delivery.schedule }
  return {
    delivery,
    webhooks: webhooks(db, parts),
    /** Encrypts what was stored before there was an `app_secret`. Called at a start and now and then. */
    sealSecrets: sealSecrets(db, { clock, random, config, log }),
  }
}

/** What the operator looks after. */
function operationServices(
  { db, config, clock, random, hashing, log, configFile, outgoing, variables, live, isMigrated }: Common,
  { access, storageAnswers }: { access: AccessService; storageAnswers(): Promise<boolean | null> },
) {
  const keys = idempotency(db, { clock, random, hashing, log, config })
  const certificatesService = certificates(db, { clock, random, log, config })
  const removals = [
    expiry(db, { clock, random }),
    webhookRetention(db, { clock, random, config }),
    () => keys.removeOld(),
  ]
  return {
    audit: audit(db),
    certificates: certificatesService,
    idempotency: keys,
    configuration: configuration(db, {
      file: configFile,
      outgoing,
      variables,
      live,
      isAdministrator: access.isAdministrator.bind(access),
    }),
    /** Removes what has expired. Called once an hour. */
    async removeExpired() {
      for (const remove of removals) await remove()
    },
    health: health(db, { config, storageAnswers, isMigrated, certificate: certificatesService.state }),
  }
}

/** Everything the product can do, over one database. Every surface calls these. */
export function createServices(parts: Parts) {
  const { ports, live, rateLimiter } = parts
  const jobs = background(ports.log)
  const pending = pendingWork(parts.db, ports)
  const pageCounts = { memory: 0, stored: 0, built: 0 }
  const attempts = new Map<string, number>()
  const config = () => live.current
  const common: Common = { ...ports, ...parts, config, jobs, pending, pageCounts, attempts }
  const ofAccounts = accountServices(common)
  const audienceOf = listAudience(ofAccounts.access, () => live.current.readers_see_drafts)
  const { storageAnswers, ...ofMedia } = mediaServices(common, audienceOf)
  const ofContent = contentServices(common, { ...ofMedia, audienceOf })
  return {
    rateLimiter,
    pendingWork: pending,
    metrics: metrics(parts.db, { clock: ports.clock, pages: pageCounts, deliveries: attempts }),
    ...ofAccounts,
    ...ofMedia,
    ...ofContent,
    ...webhookServices(common),
    ...operationServices(common, { access: ofAccounts.access, storageAnswers }),
    /** Runs `work` for one request, whose waits for the database have one limit together. */
    withinRequestTime: <T>(work: () => Promise<T>) => parts.db.withinRequestTime(work),
    /** Resolves when nothing is left to do that no request waits for. */
    async settle() {
      await jobs.settle()
      await ofContent.space.pages.settle().catch(() => undefined)
    },
  }
}
