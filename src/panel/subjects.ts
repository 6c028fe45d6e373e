import { titlesById } from '../resources/entries.js'
import type { Services } from '../services/index.js'

type Event = Awaited<ReturnType<Services['audit']['get']>>

/** What an event is about, as people call it, and where it is in the panel. */
export interface Subject {
  readonly words: string
  /** Under `/admin`; undefined where it has no page, or is gone. */
  readonly path?: string
}

type Find = (id: string) => Promise<Subject>

/** The records that people know by a name, by their tables. */
function findersOf(services: Services): Readonly<Record<string, Find>> {
  const { space, media, users, roles, webhooks, locales, redirects, tokens } = services
  const named = (at: string, name: (id: string) => Promise<string>): Find => {
    return async id => ({ words: await name(id), path: `/${at}/${id}` })
  }
  return {
    routes: named('routes', async id => (await space.routes.get(id)).title),
    datatypes: named('datatypes', async id => (await space.datatypes.get(id)).label),
    fields: named('fields', async id => (await space.fields.get(id)).label),
    media: named('media', async id => {
      const { display_name, name } = await media.items.get(id)
      return display_name || name
    }),
    users: named('users', async id => {
      const { name, username } = await users.get(id)
      return name || username
    }),
    roles: named('roles', async id => (await roles.get(id)).label),
    webhooks: named('webhooks', async id => (await webhooks.get(id)).name),
    locales: named('locales', async id => (await locales.get(id)).label),
    redirects: named('redirects', async id => (await redirects.get(id)).slug),
    tokens: named('tokens', async id => (await tokens.get(id)).label || 'an API key'),
  }
}

const textIn = (values: unknown, name: string): string => {
  const value = Object(values)[name]
  return typeof value === 'string' ? value : ''
}

/** What a record was called that is gone or has no page: by its own words, else by its table. */
function subjectIn({ table_name, old_values, new_values }: Event): Subject {
  const names = ['title', 'label', 'display_name', 'name', 'slug']
  const told = [new_values, old_values]
    .flatMap(values => names.map(name => textIn(values, name)))
    .find(Boolean)
  const table = table_name.replaceAll('_', ' ')
  return { words: told ? `${told} (${table})` : table }
}

/** The entry that an event is about; undefined where it is about something else, or gone with its values. */
async function entryOf(event: Event, { space }: Services): Promise<string | undefined> {
  const { table_name, record_id, new_values } = event
  if (table_name === 'content_data') return record_id
  if (table_name === 'content_versions') return textIn(new_values, 'content_data_id') || undefined
  if (table_name !== 'content_fields') return undefined
  const value = await space.contentFields.get(record_id).catch(() => undefined)
  return value?.content_data_id
}

/** What each event is about. Each record is looked for once, however many events it has, and entries all together. */
export async function subjectsOf(events: readonly Event[], services: Services): Promise<readonly Subject[]> {
  const entries = await Promise.all(events.map(event => entryOf(event, services)))
  const titles = await titlesById([...new Set(entries.flatMap(id => id ?? []))], { services })
  const finders = findersOf(services)
  const found = new Map<string, Promise<Subject | undefined>>()
  return Promise.all(
    events.map(async (event, i) => {
      const entry = entries[i]
      const title = entry === undefined ? undefined : titles.get(entry)
      if (title !== undefined) return { words: title, path: `/content/entry/${entry}` }
      const { table_name, record_id } = event
      const key = `${table_name} ${record_id}`
      const known =
        found.get(key) ??
        finders[table_name]?.(record_id).catch(() => undefined) ??
        Promise.resolve(undefined)
      found.set(key, known)
      return (await known) ?? subjectIn(event)
    }),
  )
}
