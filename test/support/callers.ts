import { type Actor, systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { nodeHashing } from '../../src/node/ports.js'
import type { TestApp } from './app.js'

const endOfTime = '2999-01-01T00:00:00.000Z'

/** Creates callers with a system role, or with exactly some permissions: a new user and session each time. */
export function callersOf({ call, send, db, config }: Pick<TestApp, 'call' | 'send' | 'db' | 'config'>) {
  let count = 0
  const roles = new Map<string, Promise<string>>()
  const madeRole = (labels: readonly string[]) =>
    db.write(systemActor, async tx => {
      const { role_id } = await tx.insert(tables.roles, { label: `just ${labels.join(' ')}` })
      for (const label of labels) {
        const known = await tx.find(tables.permissions, { label })
        const { permission_id } = known ?? (await tx.insert(tables.permissions, { label }))
        await tx.insert(tables.rolePermissions, { role_id, permission_id })
      }
      return role_id
    })
  /** Returns the id of a role with exactly these permissions. */
  function roleWith(...labels: string[]): Promise<string> {
    const name = labels.join(' ')
    const role = roles.get(name) ?? madeRole(labels)
    roles.set(name, role)
    return role
  }

  async function callerIn(role: string) {
    const name = `caller-${++count}`
    const { user_id, session_id } = await db.write(systemActor, async tx => {
      const email = `${name}@example.com`
      const user = await tx.insert(tables.users, { username: name, name, email, role })
      const session = { user_id: user.user_id, token_hash: nodeHashing.sha256(name) }
      return tx.insert(tables.sessions, { ...session, last_access: endOfTime, expires_at: endOfTime })
    })
    const headers = { Cookie: `${config.cookie_name}=${name}` }
    const form_token = nodeHashing.sha256(`form of the panel: ${name}`)
    return {
      user_id,
      role,
      call: (method: string, path: string, body?: unknown) =>
        call(method, path, { as: 'nobody', headers, ...(body === undefined ? {} : { body }) }),
      /** Sends a form of the panel. */
      post: (
        path: string,
        values: Readonly<Record<string, string>> = {},
        also: Record<string, string> = {},
      ) =>
        send('POST', `${path}${path.includes('?') ? '&' : '?'}form_token=${form_token}`, {
          as: 'nobody',
          headers: { ...headers, ...also, 'Content-Type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ ...values, form_token }).toString(),
        }),
      /** The actor of a command over SSH. */
      actor: {
        ...systemActor,
        surface: 'ssh',
        userId: user_id,
        roleId: role,
        credential: { kind: 'session', id: session_id },
      } satisfies Actor,
    }
  }

  return {
    roleWith,
    callerIn,
    callerWith: async (...labels: string[]) => callerIn(await roleWith(...labels)),
  }
}

export type CallerOf = Awaited<ReturnType<ReturnType<typeof callersOf>['callerIn']>>
