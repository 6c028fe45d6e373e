import type { Config } from '../config.js'
import type { Database } from '../db/database.js'
import { adminTables, tables } from '../db/tables.js'
import { duration } from '../durations.js'
import type { Ids } from '../ids.js'
import { access } from './access.js'
import { accounts } from './accounts.js'
import { audit } from './audit.js'
import { auth } from './auth.js'
import { background } from './background.js'
import { configuration } from './configuration.js'
import { expiry } from './expiry.js'
import { locales } from './locales.js'
import { oauth } from './oauth.js'
import { passwordReset } from './password-reset.js'
import { permissions } from './permissions.js'
import type { Ports } from './ports.js'
import { registration } from './registration.js'
import { rolePermissions } from './role-permissions.js'
import { roles } from './roles.js'
import { sessions } from './sessions.js'
import { spaceServices } from './space.js'
import { sshKeys } from './ssh-keys.js'
import { tokens } from './tokens.js'
import { users } from './users.js'
import type { WebhookDelivery } from './webhook-delivery.js'
import { webhookRetention } from './webhook-retention.js'
import { webhooks } from './webhooks.js'

export type { SpaceServices } from './space.js'
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
export function createServices(
  db: Database,
  ports: Ports,
  live: { current: Config },
  variables: Record<string, string | undefined>,
  ids: Ids,
) {
  const config = () => live.current
  const { clock, random, hashing, log, mail, outgoing } = ports
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
    versionsAtMost: () => config().version_max_per_content,
    languages: () => ({ enabled: config().i18n_enabled, fallback: config().i18n_default_locale }),
  }
  const space = spaceServices(db, tables, 'content', {
    hashing,
    log,
    cacheBytes: config().page_cache_bytes,
    kept: true,
    ...ofSpace,
  })
  const delivery = dispatcher(
    () => live.current.webhook_enabled,
    async () =>
      (await import('./webhook-delivery.js')).webhookDelivery(db, { outgoing, clock, random, log, config }),
  )
  const removals = [expiry(db, { clock, random }), webhookRetention(db, { clock, random, config })]
  return {
    /** Resolves when nothing is left to do that no request waits for. */
    async settle() {
      await jobs.settle()
      await space.pages.settle().catch(() => undefined)
    },
    /** Removes what has expired. Called once an hour. */
    async removeExpired() {
      for (const remove of removals) await remove()
    },
    delivery,
    webhooks: webhooks(db, { outgoing, clock, random, ids, config, queued: delivery.soon }),
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
    adminSpace: spaceServices(db, adminTables, 'admin.content', {
      hashing,
      log,
      cacheBytes: 0,
      kept: false,
      ...ofSpace,
    }),
    audit: audit(db),
    locales: locales(db),
    health: async () => ({
      environment: config().environment,
      checks: { database: await db.answers(), storage: null },
    }),
  }
}
