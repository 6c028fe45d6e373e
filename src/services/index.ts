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
import { liveCallers } from './accounts/live-callers.js'
import { oauth } from './accounts/oauth.js'
import { passwordReset } from './accounts/password-reset.js'
import { permissions } from './accounts/permissions.js'
import { registration } from './accounts/registration.js'
import { rolePermissions } from './accounts/role-permissions.js'
import { roles } from './accounts/roles.js'
import { sessions } from './accounts/sessions.js'
import { sshKeys } from './accounts/ssh-keys.js'
import { sshSignIn } from './accounts/ssh-sign-in.js'
import { tokens } from './accounts/tokens.js'
import { users } from './accounts/users.js'
import { leftRedirects } from './content/left-redirects.js'
import { locales } from './content/locales.js'
import { presence } from './content/presence.js'
import { recordEvents } from './content/record-events.js'
import { redirects } from './content/redirects.js'
import { spaceServices } from './content-space.js'
import { type AudienceOf, listAudience } from './delivery/audience.js'
import { changeRetention } from './delivery/changes/change-log.js'
import { changeStreams } from './delivery/changes/streams.js'
import type { PageService } from './delivery/pages.js'
import { previewLinks } from './delivery/preview-links.js'
import { matching } from './matching.js'
import { mediaDimensions } from './media/dimensions.js'
import { mediaFolders } from './media/folders.js'
import { mediaHealth } from './media/health.js'
import { media } from './media/media.js'
import { type MediaSpaceName, type MediaStorage, mediaStorage } from './media/storage.js'
import { audit } from './operation/audit.js'
import { backupDownloads } from './operation/backup-downloads.js'
import { backupRuns, backups } from './operation/backups.js'
import { certificates } from './operation/certificates.js'
import { configuration } from './operation/configuration.js'
import { health } from './operation/health.js'
import { idempotency } from './operation/idempotency.js'
import { type Background, background } from './operation/jobs.js'
import { metrics } from './operation/metrics.js'
import { type PendingWork, pendingWork } from './operation/pending-work.js'
import { recentChanges } from './operation/recent-changes.js'
import { originOf } from './site-origin.js'
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
  /** Of the service, and the names of the migrations that it knows. */
  version: string
  schema: readonly string[]
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
    /** Ids of users by a part of a name or of their address. */
    matchingUsers: matching(db, tables.users, ['name', 'username', 'email']),
    sessions: sessionsService,
    registration: registration(db, accessService, {
      hashing,
      users: usersService,
      isOpen: () => config().registration_enabled,
    }),
    passwordReset: passwordReset(db, {
      ...{ clock, random, hashing, mail, log, jobs, pending, config },
      access: accessService,
    }),
    tokens: tokens(db, accessService, { clock, random, hashing }),
    sshKeys: sshKeys(db, accessService, { publicKeys }),
    sshSignIn: sshSignIn(db, { auth: authService, liveCallers: liveCallers(db, clock), clock, log }),
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
  const areKept = () => backupRuns(db, clock)
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
        areKept,
        audienceOf: own.audienceOf,
      }),
      folders: mediaFolders(db, own.space),
      health: mediaHealth(db, own, () => Object.values(spaces), { clock, log, areKept }),
    }
  }
  return {
    media: ofSpace('media'),
    adminMedia: ofSpace('admin_media'),
    mediaDimensions: mediaDimensions(db),
    storageAnswers: () => spaces.media.storage.answers(),
    storageOf: (name: MediaSpaceName) => spaces[name].storage,
  }
}

/** Content of both spaces, and its delivery. */
function contentServices(
  { db, config, clock, hashing, sandbox, log, pageCounts }: Common,
  {
    access,
    audienceOf,
    media,
    adminMedia,
  }: {
    access: AccessService
    audienceOf: AudienceOf
    media: { urlOf(key: string): string }
    adminMedia: { urlOf(key: string): string }
  },
) {
  const ofSpace = {
    access,
    counts: pageCounts,
    hashing,
    sandbox,
    log,
    clock,
    origin: originOf(config()),
    isStaged: () => config().publish_mode === 'staged',
    maxVersions: () => config().version_max_per_content,
    typeSettings: () => config().compat,
    languages: () => ({ enabled: config().i18n_enabled, fallback: config().i18n_default_locale }),
  }
  const redirectMode = () => config().redirect_mode
  const space = spaceServices(db, tables, 'content', {
    audienceOf,
    mediaUrl: media.urlOf,
    cacheBytes: config().page_cache_bytes,
    redirects: leftRedirects(redirectMode),
    ...ofSpace,
  })
  const adminSpace = spaceServices(db, adminTables, 'admin.content', {
    audienceOf: ofAdminSpace,
    mediaUrl: adminMedia.urlOf,
    cacheBytes: 0,
    ...ofSpace,
  })
  // After the spaces, whose public book it reads.
  recordEvents(db)
  return {
    space,
    adminSpace,
    locales: locales(db),
    presence: presence(db, clock),
    redirects: redirects(db, { mode: redirectMode }),
    /** Makes the public book where there is none yet. */
    async fillIndexes() {
      await space.publicBook.fill()
      await adminSpace.publicBook.fill()
    },
    /** Whether both are made. */
    hasIndexes: async () => (await space.publicBook.isFilled()) && adminSpace.publicBook.isFilled(),
    /** Makes public what waits for a publish. Called at a start in live mode, where nothing waits. */
    async publishPending() {
      await space.publishing.publishPending()
      await adminSpace.publishing.publishPending()
    },
  }
}

/** What is shown of drafts before they are published, and told of changes. */
function previewServices(
  { db, config, clock, log }: Common,
  { access, pages }: { access: AccessService; pages: PageService },
) {
  const links = previewLinks(db, { pages, rights: access, clock, origin: originOf(config()), config })
  return {
    previewLinks: links,
    changeStreams: changeStreams(db, {
      rights: access,
      liveCallers: liveCallers(db, clock),
      previewLinks: links,
      log,
      maxStreams: () => config().event_streams_max,
    }),
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
  common: Common,
  {
    access,
    audienceOf,
    storageAnswers,
    storageOf,
  }: {
    access: AccessService
    audienceOf: AudienceOf
    storageAnswers(): Promise<boolean | null>
    storageOf(space: MediaSpaceName): MediaStorage
  },
) {
  const { db, config, clock, random, hashing, log, configFile, outgoing, variables, live, isMigrated } =
    common
  const keys = idempotency(db, { clock, random, hashing, log, config })
  const certificatesService = certificates(db, { clock, random, log, config })
  const removals = [
    expiry(db, { clock, random }),
    webhookRetention(db, { clock, random, config }),
    changeRetention(db, clock),
    () => keys.removeOld(),
    () => presence(db, clock).removeOld(),
  ]
  const auditService = audit(db)
  return {
    audit: auditService,
    recentChanges: recentChanges({
      audit: auditService,
      can: (actor, permission) => access.can(actor, permission),
      seesDrafts: async actor => (await audienceOf(actor, 'content')) === 'working',
    }),
    backupDownloads: backupDownloads(db, { ...common, access }),
    backups: backups(db, { ...common, access, mediaStorage: storageOf }),
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
  const pageCounts = { memory: 0, built: 0 }
  const attempts = new Map<string, number>()
  const config = () => live.current
  const common: Common = { ...ports, ...parts, config, jobs, pending, pageCounts, attempts }
  const ofAccounts = accountServices(common)
  const audienceOf = listAudience(ofAccounts.access, () => live.current.readers_see_drafts)
  const { storageAnswers, storageOf, ...ofMedia } = mediaServices(common, audienceOf)
  const ofContent = contentServices(common, { ...ofMedia, access: ofAccounts.access, audienceOf })
  const ofOperation = operationServices(common, {
    access: ofAccounts.access,
    audienceOf,
    storageAnswers,
    storageOf,
  })
  return {
    rateLimiter,
    pendingWork: pending,
    metrics: metrics(parts.db, {
      clock: ports.clock,
      pages: pageCounts,
      deliveries: attempts,
      backupAgeSeconds: () => ofOperation.backups.ageSeconds(),
    }),
    ...ofAccounts,
    ...ofMedia,
    ...ofContent,
    ...previewServices(common, { access: ofAccounts.access, pages: ofContent.space.pages }),
    ...webhookServices(common),
    ...ofOperation,
    /** Runs `work` for one request, whose waits for the database have one limit together. */
    withinRequestTime: <T>(work: () => Promise<T>) => parts.db.withinRequestTime(work),
    /** Resolves when nothing is left to do that no request waits for. */
    async settle() {
      await jobs.settle()
    },
  }
}
