import { invalid } from '../errors.js'
import type { Services } from '../services/index.js'

/** Returns the author of records that a command of the machine makes: the named account, else the oldest administrator. */
export async function authorOf({ users, access }: Services, email: string | undefined): Promise<string> {
  if (email !== undefined) return (await users.byEmail(email)).user_id
  const role = await access.systemRole('admin')
  for await (const some of users.list({ role }, { limit: 1 })) for (const { user_id } of some) return user_id
  throw invalid('author', 'must be the e-mail address of an account')
}
