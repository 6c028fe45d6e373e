import type { Config } from '../config.js'
import type { Database } from '../db/database.js'
import { adminTables, tables } from '../db/tables.js'
import { duration } from '../durations.js'
import type { Ids } from '../ids.js'
import type { Ports, RateLimiter } from '../ports.js'
import { access } from './accounts/access.js'
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
import { mediaDimensions } from './media/dimensions.js'
import { mediaFolders } from './media/folders.js'
import { mediaHealth } from './media/health.js'
import { media } from './media/media.js'
import { type MediaSpaceName, mediaStorage } from './media/storage.js'
import { audit } from './operation/audit.js'
import { configuration } from './operation/configuration.js'
import { background } from './operation/jobs.js'
import type { WebhookDelivery } from './webhooks/dispatcher.js'
import { webhookRetention } from './webhooks/retention.js'
import { webhooks } from './webhooks/webhooks.js'

export type { SpaceServices } from './content-space.js'
export type MediaServices = Services['media']
export type Services = ReturnType<typeof createServices>

/** Loads the dispatcher when webhooks are enabled for the first time; before that there is none (6). */
function dispatcher(enabled: () => boolean, load: () => Promise<WebhookDelivery>): WebhookDelivery {
  let loaded: Promise<WebhookDelivery> | undefined
  const use = async (work: (delivery: WebhookDelivery) => void | Promise<void>) => {
    if (enabled()) loaded ??= load()
    if (loaded) await work(await loaded)
  }
  return {
    soon: () => void use(delivery => delivery.soon()),
    run: () => use(delivery => delivery.run()),
    stop: async patience => (await loaded)?.stop(patience),
  }
}

/** Everything the product can do, over one database. Every surface calls these. */
export function createServices({
  db,
  ports,
  live,
  variables,
  ids,
  rateLimiter,
}: {
  db: Database
  ports: Ports
  live: { current: Config }
  variables: Record<string, string | undefined>
  ids: Ids
  rateLimiter: RateLimiter
}) {
  const config = () => live.current
  const { clock, random, hashing, log, mail, outgoing, files, images } = ports
  const rights = access(db)
  const jobs = background(log)
  const signIn = auth(db, rights, {
    clock,
    random,
    hashing,
    sessionLength: () => duration(config().cookie_duration),
    used: userId => {
      if (config().oauth_client_id)
        jobs.later('the renewal of provider tokens', () => providers.refresh(userId))
    },
  })
  const providers = oauth(db, { clock, random, hashing, log, outgoing, access: rights, auth: signIn, config })
  const people = users(db, rights, { hashing })
  const open = sessions(db, rights, { clock })
  const keys = tokens(db, rights, { clock, random, hashing })
  const terminalKeys = sshKeys(db, rights)
  const { client_site = '', environment } = config()
  const scheme = environment.startsWith('local') ? 'http' : 'https'
  const origin =
    client_site === '' || client_site.includes('://') ? client_site : `${scheme}://${client_site}`
  const ofSpace = {
    clock,
    origin: origin.replace(/\/+$/, ''),
    staged: () => config().publish_mode === 'staged',
    versionsAtMost: () => config().version_max_per_content,
    languages: () => ({ enabled: config().i18n_enabled, fallback: config().i18n_default_locale }),
  }
  const storageOf = (name: MediaSpaceName) => mediaStorage(ports.storage, name, { config, now: clock.now })
  const mediaSpaces = {
    media: { space: tables, storage: storageOf('media') },
    admin_media: { space: adminTables, storage: storageOf('admin_media') },
  }
  const mediaOf = (name: MediaSpaceName) => {
    const own = mediaSpaces[name]
    return {
      urlOf: own.storage.urlOf,
      items: media(db, own.space, name, { files, images, storage: own.storage, log, config }),
      folders: mediaFolders(db, own.space),
      health: mediaHealth(db, own, () => Object.values(mediaSpaces), { clock, log }),
    }
  }
  const space = spaceServices(db, tables, 'content', {
    mediaUrl: mediaSpaces.media.storage.urlOf,
    hashing,
    log,
    cacheBytes: config().page_cache_bytes,
    kept: true,
    ...ofSpace,
  })
  const adminSpace = spaceServices(db, adminTables, 'admin.content', {
    mediaUrl: mediaSpaces.admin_media.storage.urlOf,
    hashing,
    log,
    cacheBytes: 0,
    kept: false,
    ...ofSpace,
  })
  const delivery = dispatcher(
    () => live.current.webhook_enabled,
    async () =>
      (await import('./webhooks/dispatcher.js')).webhookDelivery(db, {
        outgoing,
        clock,
        random,
        log,
        config,
      }),
  )
  const removals = [expiry(db, { clock, random }), webhookRetention(db, { clock, random, config })]
  return {
    /** Makes public what waits for a publish. Called at a start in live mode, where nothing waits. */
    async releaseWaiting() {
      await space.publishing.releaseAll()
      await adminSpace.publishing.releaseAll()
    },
    /** Resolves when nothing is left to do that no request waits for. */
    async settle() {
      await jobs.settle()
      await space.pages.settle().catch(() => undefined)
    },
    /** Removes what has expired. Called once an hour. */
    async removeExpired() {
      for (const remove of removals) await remove()
    },
    /** One for all surfaces. */
    rateLimiter,
    delivery,
    webhooks: webhooks(db, { outgoing, clock, random, ids, config, rateLimiter, queued: delivery.soon }),
    access: rights,
    users: people,
    registration: registration(db, rights, { hashing, users: people }),
    passwordReset: passwordReset(db, { clock, random, hashing, mail, log, jobs, config }),
    sessions: open,
    tokens: keys,
    sshKeys: terminalKeys,
    accounts: accounts(db, rights, { users: people, sessions: open }),
    roles: roles(db),
    permissions: permissions(db),
    rolePermissions: rolePermissions(db, rights),
    auth: signIn,
    oauth: providers,
    configuration: configuration(db, { file: ports.configFile, outgoing, variables, live }),
    space,
    adminSpace,
    media: mediaOf('media'),
    adminMedia: mediaOf('admin_media'),
    mediaDimensions: mediaDimensions(db),
    audit: audit(db),
    locales: locales(db),
    async health() {
      const { storage } = mediaSpaces.media
      const [database, store] = await Promise.all([db.ping(), storage.answers()])
      return { environment: config().environment, checks: { database, storage: store } }
    },
  }
}
