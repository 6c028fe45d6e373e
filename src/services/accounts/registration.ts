import { z } from 'zod'
import type { Actor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import type { Hashing } from '../../ports.js'
import type { AccessService } from './access.js'
import { email, password, personName, refuseOwnName, username } from './account-fields.js'
import { freeUsername, type UserRecord, type UserService } from './users.js'

/** Nothing here can name a role: whoever registers is a viewer. */
export const Register = z.object({
  username: username.optional(),
  name: personName.default(''),
  email,
  password,
})

export interface RegistrationService {
  /** @throws 409 for a username or e-mail that is taken */
  register(actor: Actor, given: z.output<typeof Register>): Promise<UserRecord>
}

export function registration(
  db: Database,
  access: AccessService,
  { hashing, users }: { hashing: Hashing; users: UserService },
): RegistrationService {
  return {
    async register(actor, { username, password, ...given }) {
      refuseOwnName(password, { email: given.email, username })
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
