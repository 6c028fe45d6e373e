import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { duration } from '../../durations.js'
import type { Ports, RateLimiter } from '../../ports.js'
import { matching } from '../matching.js'
import type { Background } from '../operation/jobs.js'
import type { PendingWork } from '../operation/pending-work.js'
import { AccessService } from './access.js'
import { AuthService } from './auth.js'
import { calendarAddress } from './calendar-address.js'
import { deviceSignIn } from './device-sign-in.js'
import { expiry } from './expiry.js'
import { accounts } from './full-user.js'
import { liveCallers } from './live-callers.js'
import { OAuthService } from './oauth.js'
import { OAuthLinks } from './oauth-links.js'
import { isOAuthOn } from './oauth-settings.js'
import { PasskeyService } from './passkeys.js'
import { passwordLinks } from './password-links.js'
import { passwordReset } from './password-reset.js'
import { permissions } from './permissions.js'
import { registration } from './registration.js'
import { rolePermissions } from './role-permissions.js'
import { roles } from './roles.js'
import { savedViews } from './saved-views.js'
import { SecondFactorService } from './second-factor.js'
import { CodeChecks } from './second-factor-codes.js'
import { sessions } from './sessions.js'
import { sshKeys } from './ssh-keys.js'
import { sshSignIn } from './ssh-sign-in.js'
import { terminalTheme } from './terminal-theme.js'
import { tokens } from './tokens.js'
import { UserService } from './users.js'

interface Needs extends Ports {
  db: Database
  config: () => Config
  jobs: Background
  pending: PendingWork
  rateLimiter: RateLimiter
  /** The part of the content that is read, by its name; empty for all of it. */
  part: string
}

/** Who there is, and what they may. */
export function accountServices(needs: Needs) {
  const { db, config, jobs } = needs
  const access = new AccessService(db, needs.part)
  const codes = new CodeChecks(db, needs)
  const auth: AuthService = new AuthService(db, access, {
    ...{ ...needs, codes },
    sessionLengthMs: () => duration(config().cookie_duration),
    used: userId => {
      if (isOAuthOn(config())) jobs.later('the renewal of provider tokens', () => oauth.refresh(userId))
    },
  })
  const oauth = new OAuthService(db, { ...needs, access, auth })
  const users = new UserService(db, access, needs.hashing)
  const secondFactor = new SecondFactorService(db, { ...needs, access, codes })
  const passkeys = new PasskeyService(db, { ...needs, access, auth, codes })
  const sessionsService = sessions(db, access, needs)
  const tokensService = tokens(db, access, needs)
  return {
    ...{ access, auth, oauth, users },
    oauthLinks: new OAuthLinks(db, { ...needs, oauth, codes }),
    matchingUsers: matching(db, tables.users, ['name', 'username', 'email']),
    sessions: sessionsService,
    registration: registration(db, access, {
      ...{ hashing: needs.hashing, users },
      isOpen: () => config().registration_enabled,
    }),
    passwordReset: passwordReset(db, { ...needs, access }),
    passwordLinks: passwordLinks(db, { ...needs, access }),
    tokens: tokensService,
    deviceSignIn: deviceSignIn(db, { ...needs, tokens: tokensService }),
    sshKeys: sshKeys(db, access, needs),
    sshSignIn: sshSignIn(db, { ...needs, access, auth, liveCallers: liveCallers(db, needs.clock) }),
    ...{ secondFactor, passkeys },
    savedViews: savedViews(db),
    terminalTheme: terminalTheme(db),
    calendarAddress: calendarAddress(db, { config, access }),
    accounts: accounts(db, access, {
      ...{ users, sessions: sessionsService, secondFactor },
    }),
    roles: roles(db, access),
    permissions: permissions(db, access),
    rolePermissions: rolePermissions(db, access),
    removeExpired: expiry(db, needs),
  }
}
