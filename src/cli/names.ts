import type { Actor } from '../actor.js'
import { badRequest, notFound } from '../errors.js'
import { isUlid, storedId } from '../ids.js'
import { all } from '../resources/entries.js'
import type { Services } from '../services/index.js'
import type { RecordName } from './command.js'

type Find = (text: string, services: Services, actor: Actor) => Promise<string | undefined>

const two = { limit: 2 }
const maxFileName = 255

/** Returns the only id. @throws 400 if several records have the name */
function only(ids: readonly string[], text: string): string | undefined {
  if (ids.length > 1) throw badRequest(`several records are named ${text}: give an id`)
  return ids[0]
}

/** A slug may be given without the slash at its start. */
const slugsOf = (text: string): string[] => (text.startsWith('/') ? [text] : [text, `/${text}`])

const routeNamed: Find = async (text, { space }, actor) => {
  const found = await all((await space.records.routes(actor)).list({ slug: slugsOf(text) } as never, two))
  return only(
    found.map(one => one.route_id),
    text,
  )
}

const finds: Readonly<Partial<Record<RecordName, Find>>> = {
  routes: routeNamed,
  async content(text, services, actor) {
    const route_id = await routeNamed(text, services, actor)
    if (route_id === undefined) return undefined
    const entries = await services.space.records.content(actor)
    return (await all(entries.list({ route_id }, two)))[0]?.content_data_id
  },
  datatypes: async (name, { space }) => (await all(space.datatypes.list({ name }, two)))[0]?.datatype_id,
  async fields(text, { space }) {
    const [, datatype = '', name = ''] = /^([^.]+)\.(.+)$/.exec(text) ?? []
    const [kind] = name === '' ? [] : await all(space.datatypes.list({ name: datatype }, two))
    return kind && (await all(space.fields.list({ parent_id: kind.datatype_id, name }, two)))[0]?.field_id
  },
  user: async (text, { users }) => (text.includes('@') ? (await users.byEmail(text)).user_id : undefined),
  roles: async (label, { roles }) => (await all(roles.list({ label }, two)))[0]?.role_id,
  locales: async (code, { locales }) => (await all(locales.list({ code }, two)))[0]?.locale_id,
  redirects: async (text, { redirects }) =>
    (await all(redirects.list({ slug: slugsOf(text) } as never, two)))[0]?.redirect_id,
  webhooks: async (name, { webhooks }) =>
    only(
      (await all(webhooks.list({ name }, two))).map(one => one.webhook_id),
      name,
    ),
  async trash(text, { space }) {
    const found = await all(space.trash.list({ slug: slugsOf(text) } as never, { ...two, newestFirst: true }))
    return found[0]?.trash_id
  },
  async media(name, { media }) {
    if (name.length > maxFileName) return undefined
    const found = await all(media.items.list({ text: name }, { limit: 100 }))
    return only(
      found.filter(one => one.name === name).map(one => one.media_id),
      name,
    )
  },
}

/** Returns the id of a record that is given by its id or its name. @throws 404 if neither can exist */
export async function idOf(
  name: RecordName,
  text: string,
  services: Services,
  actor: Actor,
): Promise<string> {
  const id = storedId(text)
  if (isUlid(id)) return id
  const found = text === '' ? undefined : await finds[name]?.(text, services, actor)
  if (found === undefined) throw notFound()
  return found
}

const named: Readonly<Record<string, RecordName>> = {
  datatype_id: 'datatypes',
  route_id: 'routes',
  author_id: 'user',
  user_id: 'user',
  root_id: 'content',
  content_data_id: 'content',
  deleted_by: 'user',
}

/** Returns the value of a filter, with the id for a name. @throws 404 for a name of no record */
export async function filterValue(
  name: RecordName,
  column: string,
  text: string,
  services: Services,
  actor: Actor,
): Promise<string> {
  const parent = name === 'fields' ? 'datatypes' : 'content'
  const of = column === 'parent_id' ? parent : named[column]
  if (!of || isUlid(storedId(text))) return text
  const found = await finds[of]?.(text, services, actor)
  if (found === undefined) throw notFound(`not found: ${text} (--${column.replaceAll('_', '-')})`)
  return found
}
