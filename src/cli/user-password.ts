import type { SiteCommand } from './command.js'
import { say } from './terminal.js'

/** Sets the password of an account; every session of the account ends. */
export const userPassword: SiteCommand['work'] = async (
  { users, passwordReset },
  actor,
  io,
  _options,
  [email = ''],
) => {
  const account = await users.byEmail(email)
  const password = await io.readSecret(`New password of ${account.email}`)
  await passwordReset.set(actor, account.user_id, password)
  say(io, `The password of ${account.email} is set, and every session of the account has ended.`)
  return 0
}

/** Removes the second factor and the passkeys of an account; every session of the account ends. */
export const resetSecondFactor: SiteCommand['work'] = async (
  { users, secondFactor },
  actor,
  io,
  _options,
  [email = ''],
) => {
  const account = await users.byEmail(email)
  await secondFactor.reset(actor, account.user_id)
  say(
    io,
    `The second factor of ${account.email} is off, its passkeys are removed, and every session of the account has ended.`,
  )
  return 0
}
