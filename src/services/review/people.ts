import type { Database } from '../../db/database.js'
import { usersOfRole } from '../../db/queries/review.js'
import type { Reader } from '../../db/reader.js'
import { tables } from '../../db/tables.js'
import type { Access, AccessService } from '../accounts/access.js'
import { withoutEndMarks } from '../text.js'

const [maxMentions, maxReviewers] = [20, 50]

export type People = ReturnType<typeof people>

/** Finds the people who get mails about comments and requests: they must be able to see the content. */
export function people(db: Database, access: Pick<AccessService, 'can'>) {
  const mayBy = (role: string, word: Access) => access.can({ roleId: role, credential: null }, word)
  return {
    mayBy,
    /** Ids of the people whose user names are in a text behind `@`, and who may see the content that it is about. */
    async namedIn(read: Reader, text: string): Promise<string[]> {
      const found = [...text.matchAll(/(?<![^\s(["'])@([^\s@]{1,255}(?:@[^\s@]{1,200})?)/gu)].slice(
        0,
        maxMentions,
      )
      // A name may end with a dot, and so may a sentence.
      const names = found.flatMap(([, name = '']) => [name, withoutEndMarks(name)])
      const users = await read.findIn(tables.users, 'username', [...new Set(names.filter(Boolean))])
      const named: string[] = []
      for (const { user_id, role } of users) if (await mayBy(role, 'content:update')) named.push(user_id)
      return named.slice(0, maxMentions)
    },
    async reviewers(): Promise<string[]> {
      const found: string[] = []
      for (const { role_id: role } of await db.findAll(tables.roles)) {
        if (!(await mayBy(role, 'content:publish')) || !(await mayBy(role, 'content:update'))) continue
        found.push(...(await db.query(usersOfRole, { role, limit: maxReviewers })))
      }
      return found.slice(0, maxReviewers)
    },
    async nameable(): Promise<{ username: string; name: string }[]> {
      const ids: string[] = []
      for (const { role_id: role } of await db.findAll(tables.roles))
        if (await mayBy(role, 'content:update'))
          ids.push(...(await db.query(usersOfRole, { role, limit: maxReviewers })))
      const users = await db.findIn(tables.users, 'user_id', ids.slice(0, maxReviewers))
      return users.map(({ username, name }) => ({ username, name }))
    },
  }
}
