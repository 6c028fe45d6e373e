import type { Actor, Identity } from '../actor.js'
import { authorOf } from '../actor.js'
import type { Config } from '../config.js'
import { version } from '../node/version.js'
import { type Options, open } from '../server.js'
import type { Imported, OpenRoot } from '../services/import/settings.js'
import type { Services } from '../services/index.js'
import { questionsFor } from '../systems/readers.js'

/** Only the process itself sends requests here, so this key is never stored. */
const authorization = `Bearer ${crypto.randomUUID()}`

/** Knows one key, with the rights of the person who imports. */
function knowing(auth: Services['auth'], { userId, roleId }: Actor): Services['auth'] {
  const identity: Identity = {
    userId: userId ?? '',
    roleId: roleId ?? '',
    credential: { kind: 'key', id: 'import' },
  }
  const identityOf = ({ bearer }: { bearer: string | undefined }) =>
    authorization === `Bearer ${bearer}` ? identity : undefined
  // Everything else stays as it is.
  return Object.create(auth, {
    identify: { value: async (given: { bearer: string | undefined }) => identityOf(given) },
    identifyCached: { value: identityOf },
  }) as Services['auth']
}

const bodyOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Opens the site once more, as it is with the settings that the import asks for, and asks its root of the other system
 * in this process.
 */
export async function siteRoot(
  options: Options,
  { system, actor, isLocalized }: { system: string; actor: Actor; isLocalized: boolean },
  compat: Imported['compat'],
): Promise<OpenRoot | undefined> {
  const questions = await questionsFor(system)?.()
  if (!questions) return undefined
  const opened = await open(options)
  const { services, db, ports, ids } = opened
  try {
    // The settings of an import name nothing but what `compat` in the configuration may have.
    const names = compat as Config['compat']
    const config = Object.assign(opened.config(), {
      compat: { ...opened.config().compat, ...names },
      ...(isLocalized ? { i18n_enabled: true } : {}),
    })
    const { createApp } = await import('../app.js')
    const user = { ...actor, userId: authorOf(actor, undefined) }
    const app = createApp({
      services: { ...services, auth: knowing(services.auth, user) },
      ...{ ports, ids, version, config: () => config },
    })
    const types = await services.space.compat.mapping()
    return {
      questions,
      types: new Map(
        types.map(({ datatype, wordpress, strapi, children }) => [
          datatype.name,
          { wordpress, strapi, children, isPublic: datatype.visibility === 'public' },
        ]),
      ),
      async ask(path, withKey) {
        const url = `http://localhost/compat/${system}${path}`
        const request = new Request(url, { headers: withKey ? { authorization } : {} })
        const response = await app.fetch(request)
        return { status: response.status, body: bodyOf(await response.text()) }
      },
      async close() {
        await services.settle()
        await db.close()
      },
    }
  } catch (error) {
    await db.close()
    throw error
  }
}
