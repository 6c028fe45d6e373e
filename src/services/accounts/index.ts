import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { duration } from '../../durations.js'
import type { Ports } from '../../ports.js'
import { matching } from '../matching.js'
import type { Background } from '../operation/jobs.js'
import type { PendingWork } from '../operation/pending-work.js'
import { AccessService } from './access.js'
import { AuthService } from './auth.js'
import { expiry } from './expiry.js'
import { accounts } from './full-user.js'
import { liveCallers } from './live-callers.js'
import { OAuthService } from './oauth.js'
import { passwordReset } from './password-reset.js'
import { permissions } from './permissions.js'
import { registration } from './registration.js'
import { rolePermissions } from './role-permissions.js'
import { roles } from './roles.js'
import { sessions } from './sessions.js'
import { sshKeys } from './ssh-keys.js'
import { sshSignIn } from './ssh-sign-in.js'
import { tokens } from './tokens.js'
import { UserService } from './users.js'

interface Needs extends Ports {
  db: Database
  config: () => Config
  jobs: Background
  pending: PendingWork
}

/** Who there is, and what they may. */
export function accountServices({
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
}: Needs) {
  const accessService = new AccessService(db)
  const authService = new AuthService(db, accessService, {
    clock,
    random,
    hashing,
    sessionLengthMs: () => duration(config().cookie_duration),
    used: userId => {
      if (config().oauth_client_id)
        jobs.later('the renewal of provider tokens', () => oauthService.refresh(userId))
    },
  })
  const oauthService = new OAuthService(db, {
    clock,
    random,
    hashing,
    log,
    outgoing,
    access: accessService,
    auth: authService,
    config,
  })
  const usersService = new UserService(db, accessService, hashing)
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
    removeExpired: expiry(db, { clock, random }),
  }
}
