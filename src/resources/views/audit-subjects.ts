import { HttpError } from '../../errors.js'
import type { Access } from '../../services/accounts/access.js'
import type { RecentChange } from '../../services/operation/recent-changes.js'
import { english } from '../../texts/language.js'
import type { PlainText, Text } from '../../texts/text.js'
import type { Wording } from '../../texts/wording.js'
import { adminWord, inAdminSpace, type ServicesOfSpace } from '../admin-space.js'
import { datatypeResource } from '../datatypes.js'
import { all, modelOf, namesOf } from '../entries.js'
import { fieldResource } from '../fields.js'
import type { Field } from '../form-field.js'
import { localeResource } from '../locales.js'
import { mediaResource } from '../media.js'
import { redirectResource } from '../redirects.js'
import type { Resource, ResourceParts, Viewer } from '../resource.js'
import { roleResource } from '../roles.js'
import { routeResource } from '../routes.js'
import { tokenResource } from '../tokens.js'
import { userResource } from '../users.js'
import { webhookResource } from '../webhooks.js'

/** An event of the audit log, with the members that its description needs. */
export type Change = Omit<RecentChange, 'old_values' | 'new_values'> & {
  readonly old_values: unknown
  readonly new_values: unknown
}

/** The place of a record that still exists: its resource, or `entry`. */
export interface RecordPlace {
  readonly resource: string
  readonly id: string
  readonly access: Access
  readonly inAdminSpace: boolean
}

/** The subject of a change. */
export interface Subject {
  /** The name of the record, also a former one; its kind if it has no name. */
  readonly words: string
  readonly kind: string
  readonly part?: string
  /** Undefined if it is deleted, or has no page of its own. */
  readonly at?: RecordPlace
}

interface Noun {
  readonly one: PlainText
  readonly access: Access
  nameOf(id: string): Promise<string>
  fieldsOf(id: string, viewer: Viewer): Promise<readonly Field[]>
}
type Nouns = Readonly<Record<string, Noun>>

const noun = <R extends object>({ one, access, nameOf, fields, service }: Resource<R>): Noun => ({
  one,
  access: access.read,
  nameOf: async id => nameOf(await service.get(id)),
  fieldsOf: async (id, viewer) => fields(await ifThere(service.get(id)), viewer),
})

/** Nouns by the tables of the records. */
export const nounsOf = (parts: ResourceParts): Nouns => ({
  routes: noun(routeResource(parts)),
  datatypes: noun(datatypeResource(parts)),
  fields: noun(fieldResource(parts)),
  media: noun(mediaResource(parts)),
  locales: noun(localeResource(parts)),
  redirects: noun(redirectResource(parts)),
  // The log is about the account.
  users: { ...noun(userResource(parts)), one: 'user' },
  roles: noun(roleResource(parts)),
  tokens: noun(tokenResource(parts)),
  webhooks: noun(webhookResource(parts)),
})

/** The words for records of the other tables. */
const otherKinds: Readonly<Record<string, PlainText>> = {
  content_data: 'entry',
  content_fields: 'entry',
  content_versions: 'version',
  preview_links: 'preview link',
  trash: 'trash entry',
  comments: 'comment',
  review_requests: 'review request',
  media_folders: 'folder',
  media_dimensions: 'image size',
  permissions: 'permission',
  role_permissions: 'role',
  user_oauth: 'sign-in with a provider',
  user_ssh_keys: 'SSH key',
  sessions: 'session',
  user_second_factors: 'second factor',
  user_passkeys: 'passkey',
  user_preferences: 'preference',
  config: 'settings',
  field_types: 'field type',
  backups: 'backup',
  imports: 'import',
}

/** Records that people see as a part of another one, and the member with its id. */
const owners: Readonly<Record<string, readonly [table: string, member: string]>> = {
  content_fields: ['content_data', 'content_data_id'],
  content_versions: ['content_data', 'content_data_id'],
  preview_links: ['content_data', 'content_data_id'],
  comments: ['content_data', 'content_data_id'],
  review_requests: ['content_data', 'content_data_id'],
  role_permissions: ['roles', 'role_id'],
  user_oauth: ['users', 'user_id'],
  user_ssh_keys: ['users', 'user_id'],
  sessions: ['users', 'user_id'],
  user_second_factors: ['users', 'user_id'],
  user_passkeys: ['users', 'user_id'],
  user_preferences: ['users', 'user_id'],
}

/** Returns a text from the values of an event: the new one, else the old one. */
export const valueIn = ({ new_values, old_values }: Change, name: string): string =>
  ([new_values, old_values]
    .map(values => (Object(values) as Record<string, unknown>)[name])
    .find(value => typeof value === 'string' && value !== '') as string | undefined) ?? ''

const adminPrefix = 'admin_'
/** The table's name without the space, and without the suffix of a note about the record. */
export const tableOf = ({ table_name }: Pick<Change, 'table_name'>): string =>
  (table_name.startsWith(adminPrefix) ? table_name.slice(adminPrefix.length) : table_name).split('.')[0] ?? ''
export const isOfAdmins = ({ table_name }: Change) => table_name.startsWith(adminPrefix)

/** Undefined if the record is gone. */
export const ifThere = async <T>(read: Promise<T>): Promise<T | undefined> =>
  read.catch(error => {
    if (error instanceof HttpError && error.status === 404) return undefined
    throw error
  })

/** The action, with the kind of the record. */
const doneTexts = {
  created: '{kind} created',
  changed: '{kind} changed',
  deleted: '{kind} deleted',
  saved: '{kind} saved',
  started: '{kind} started',
  ended: '{kind} ended',
  downloaded: '{kind} downloaded',
  published: '{kind} published',
  'not published on schedule': '{kind} not published on schedule',
} as const satisfies Readonly<Record<string, Text>>

/** The action of a change, as a participle. */
export type Verb = keyof typeof doneTexts

const verbs: Readonly<Record<string, Verb>> = { INSERT: 'created', UPDATE: 'changed', DELETE: 'deleted' }

export const published = 'published'

export function verbOf(change: Change): Verb {
  const { table_name, operation } = change
  if (table_name.endsWith('.schedule')) return 'not published on schedule'
  if (table_name.endsWith('.download')) return 'downloaded'
  switch (tableOf(change)) {
    case 'content_fields':
    case 'role_permissions':
      return 'changed'
    case 'sessions':
      return operation === 'INSERT' ? 'started' : 'ended'
    case 'content_versions':
      // A version is kept at each publish, but also by hand or before a restore.
      if (operation !== 'INSERT') return verbs[operation] ?? 'changed'
      return ['publish', 'schedule'].includes(valueIn(change, 'trigger')) ? published : 'saved'
    default:
      return verbs[operation] ?? 'changed'
  }
}

const capital = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1)

/** The word for a record of the table that a change is in. */
const kindOf = (change: Change, { nouns, wording }: Pick<Known, 'nouns' | 'wording'>): string => {
  const table = tableOf(change)
  if (verbOf(change) === published) return wording.t('entry')
  const text = nouns[table]?.one ?? otherKinds[table]
  return text ? wording.t(text) : table.replaceAll('_', ' ')
}

const nameMembers = ['title', 'label', 'display_name', 'name', 'slug', 'code']
const nameIn = (change: Change): string => nameMembers.map(name => valueIn(change, name)).find(Boolean) ?? ''

/** Reads the values whose events do not name their entry: the event of an update has only the changed members. */
export async function ownersOf(changes: readonly Change[], { space }: ServicesOfSpace) {
  const content_field_id = changes
    .filter(one => tableOf(one) === 'content_fields' && valueIn(one, 'content_data_id') === '')
    .map(({ record_id }) => record_id)
  const ids = [...new Set(content_field_id)]
  const found = ids.length === 0 ? [] : await all(space.contentFields.list({ content_field_id: ids }, {}))
  return new Map(found.map(row => [row.content_field_id, row]))
}

/** Returns titles of entries and labels of fields, as far as they exist. */
export async function entriesIn(ids: readonly string[], parts: ResourceParts) {
  const content_data_id = [...new Set(ids)]
  if (content_data_id.length === 0) return undefined
  const model = await modelOf(parts)
  const found = await all(parts.services.space.content.list({ content_data_id }, {}))
  const fields = [...model.fieldsOf.values()].flat()
  return {
    titles: await namesOf(found, model, parts),
    fields: new Map(fields.map(field => [field.field_id, field])),
    datatypes: model.datatypes,
  }
}

interface Known {
  readonly wording: Wording
  readonly nouns: Nouns
  readonly values: Awaited<ReturnType<typeof ownersOf>>
  readonly entries: Awaited<ReturnType<typeof entriesIn>>
  nameOf(table: string, id: string): Promise<string | undefined>
  placeOf(resource: string, id: string, access: Access): RecordPlace
}

interface Target {
  readonly table: string
  readonly id: string
}

/** Returns the record that a change is about for people, which may be the owner of the changed one. */
function targetOf(change: Change, values: Known['values']): Target {
  const owner = owners[tableOf(change)]
  if (!owner) return { table: tableOf(change), id: change.record_id }
  const [table, member] = owner
  return { table, id: valueIn(change, member) || (values.get(change.record_id)?.content_data_id ?? '') }
}

function entrySubject(change: Change, id: string, known: Known): Subject {
  const { values, entries, placeOf, wording } = known
  const row = values.get(change.record_id)
  const field = entries?.fields.get(valueIn(change, 'field_id') || (row?.field_id ?? ''))
  const title = entries?.titles.get(id)
  return {
    words: title ?? entries?.datatypes.get(valueIn(change, 'datatype_id'))?.label ?? wording.t('Entry'),
    kind: kindOf(change, known),
    ...(field
      ? { part: [field.label, valueIn(change, 'locale') || row?.locale].filter(Boolean).join(' ') }
      : {}),
    ...(title === undefined ? {} : { at: placeOf('entry', id, 'content:update') }),
  }
}

async function subjectOf(change: Change, { table, id }: Target, known: Known): Promise<Subject> {
  if (table === 'content_data') return entrySubject(change, id, known)
  const kind = kindOf(change, known)
  const name = id === '' ? undefined : await known.nameOf(table, id)
  const access = known.nouns[table]?.access
  return {
    words: name ?? (nameIn(change) || capital(kind)),
    kind,
    ...(name !== undefined && access ? { at: known.placeOf(table, id, access) } : {}),
  }
}

async function subjectsIn(
  changes: readonly Change[],
  inAdmin: boolean,
  services: ServicesOfSpace,
  wording: Wording,
): Promise<Subject[]> {
  if (changes.length === 0) return []
  const nouns: Nouns = nounsOf({ services })
  const values = await ownersOf(changes, services)
  const targets = changes.map(change => targetOf(change, values))
  const entryIds = targets
    .filter(({ table, id }) => table === 'content_data' && id !== '')
    .map(({ id }) => id)
  const found = new Map<string, Promise<string | undefined>>()
  const known: Known = {
    wording,
    nouns,
    values,
    entries: await entriesIn(entryIds, { services }),
    nameOf(table, id) {
      const key = `${table} ${id}`
      const name = found.get(key) ?? ifThere(Promise.resolve(nouns[table]?.nameOf(id)))
      found.set(key, name)
      return name
    },
    placeOf: (resource, id, access) => ({
      resource,
      id,
      access: inAdmin ? adminWord(access) : access,
      inAdminSpace: inAdmin,
    }),
  }
  return Promise.all(changes.map((change, i) => subjectOf(change, targets[i] as Target, known)))
}

/** The kind and the action of a change, such as “Entry changed”. */
export const doneWords = (change: Change, { kind }: Subject, { t }: Wording): string =>
  t(doneTexts[verbOf(change)], { kind: capital(kind) })

/** Returns the subject of each change. */
export async function subjectsOf(
  changes: readonly Change[],
  services: ServicesOfSpace,
  wording: Wording = english,
): Promise<readonly Subject[]> {
  const ofSite = changes.filter(change => !isOfAdmins(change))
  const ofAdmins = changes.filter(isOfAdmins)
  const found = new Map<Change, Subject>()
  for (const [i, subject] of (await subjectsIn(ofSite, false, services, wording)).entries())
    found.set(ofSite[i] as Change, subject)
  const inSpace = await subjectsIn(ofAdmins, true, inAdminSpace(services), wording)
  for (const [i, subject] of inSpace.entries()) found.set(ofAdmins[i] as Change, subject)
  return changes.map(change => found.get(change) as Subject)
}

/** Returns a function with the names of the authors of changes. */
export async function authorsOf(
  changes: readonly Pick<Change, 'user_id'>[],
  { users }: Pick<ServicesOfSpace, 'users'>,
  { t }: Wording = english,
): Promise<(change: Pick<Change, 'user_id'>) => string> {
  const ids = [...new Set(changes.flatMap(({ user_id }) => user_id ?? []))]
  const found = await Promise.all(ids.map(id => ifThere(users.get(id))))
  const names = new Map(found.flatMap(user => (user ? [[user.user_id, user.name || user.username]] : [])))
  return ({ user_id }) =>
    user_id === null ? t('the service') : (names.get(user_id) ?? t('a deleted account'))
}
