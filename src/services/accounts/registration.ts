import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { forbidden } from '../../errors.js'
import type { Hashing } from '../../ports.js'
import type { AccessService } from './access.js'
import { email, password, personName, username } from './account-fields.js'
import { refuseGuessable } from './guessable-passwords.js'
import { freeUsername, type UserService } from './users.js'

/** Nothing here can name a role: whoever registers is a viewer. */
export const Register = z.object({
  username: username.optional(),
  name: personName.default(''),
  email,
  password,
})

export function registration(
  db: Database,
  access: AccessService,
  { hashing, users, isOpen }: { hashing: Hashing; users: UserService; isOpen: () => boolean },
) {
  return {
    /** @throws 403 where registration is not open, 409 for a username or e-mail that is taken */
    async register(actor: Actor, { username, password, ...given }: z.output<typeof Register>) {
      if (!isOpen()) throw forbidden('registration is closed: ask an administrator for an account')
      await refuseGuessable(password, { ...given, username })
      const values = {
        ...given,
        password: await hashing.password(password),
        role: await access.systemRole('viewer'),
        // The address is not proven yet; see OAuth.
        origin: 'register',
      }
      const row = await db.write(actor, async tx =>
        tx.insert(tables.users, { ...values, username: username ?? (await freeUsername(tx, given.email)) }),
      )
      return users.recordOf(row)
    },
  }
}
