import type { PlainText } from '../../texts/text.js'
import { inAdminSpace, type ServicesOfSpace } from '../admin-space.js'
import type { ModelField } from '../entries.js'
import type { Field } from '../form-field.js'
import type { Viewer } from '../resource.js'
import { timeInZone } from '../typed-times.js'
import {
  type Change,
  entriesIn,
  ifThere,
  isOfAdmins,
  nounsOf,
  ownersOf,
  tableOf,
  valueIn,
} from './audit-subjects.js'

/** `zone`: the time zone in which the user reads times, such as `Europe/Berlin`. */
export interface ZonedViewer extends Viewer {
  readonly zone: string
}

/** One value of a record in words. */
export interface ChangedValue {
  readonly label: string
  readonly before: string
  readonly after: string
  readonly isRich?: boolean
}

const hidden = new Set([
  ...['revision', 'date_created', 'date_modified', 'root_id', 'numeric_id'],
  ...[
    'object_key',
    'uncropped_key',
    'content_hash',
    'variants',
    'thumbhash',
    'snapshot',
    'search_text',
    'token_hash',
  ],
])

const labels: Readonly<Record<string, PlainText>> = {
  parent_id: 'Under',
  sort_order: 'Order',
  route_id: 'Page',
  datatype_id: 'Datatype',
  publish_at: 'Publish at',
  unpublish_at: 'Unpublish at',
  published_at: 'Published',
  ip_address: 'Address',
}

const humanized = (name: string): string => {
  const words = name.replace(/_id$/, '').replaceAll('_', ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

const references: Readonly<Record<string, string>> = {
  ...{ author_id: 'users', user_id: 'users', published_by: 'users', created_by: 'users' },
  ...{ role: 'roles', role_id: 'roles', permission_id: 'permissions', token_id: 'tokens' },
  ...{ route_id: 'routes', datatype_id: 'datatypes', field_id: 'fields', content_data_id: 'content_data' },
}
const parents: Readonly<Record<string, string>> = {
  content_data: 'content_data',
  datatypes: 'datatypes',
  fields: 'datatypes',
}

const id = /[0-7][0-9A-HJKMNP-TV-Z]{25}/g
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/

/** Turns a value into words, except for ids. */
function plainWords(
  value: unknown,
  field: Field | undefined,
  { t, zone }: Pick<ZonedViewer, 't' | 'zone'>,
): string {
  if (value === null || value === undefined) return ''
  if (field?.kind === 'choice' || field?.kind === 'fixed') {
    const choice = field.choices?.find(one => one.value === String(value))
    if (choice) return choice.word
  }
  if (typeof value === 'boolean') {
    const [off, on] = (field?.kind === 'switch' ? field.words : undefined) ?? [t('No'), t('Yes')]
    return value ? on : off
  }
  if (Array.isArray(value) && value.every(one => typeof one !== 'object')) return value.join(', ')
  if (typeof value === 'object') return JSON.stringify(value, null, 2)
  const text = String(value)
  return time.test(text) ? `${timeInZone(text, zone).slice(0, 16)}${zone === 'UTC' ? ' UTC' : ''}` : text
}

function naming(services: ServicesOfSpace) {
  const nouns = nounsOf({ services })
  const nameOf = async (table: string, one: string): Promise<string | undefined> => {
    if (table === 'content_data') return (await entriesIn([one], { services }))?.titles.get(one)
    if (table === 'permissions') return (await ifThere(services.permissions.get(one)))?.label
    return ifThere(Promise.resolve(nouns[table]?.nameOf(one)))
  }
  return {
    nouns,
    async named(text: string, table: string): Promise<string> {
      const names = new Map<string, string | undefined>()
      for (const one of text.match(id) ?? []) if (!names.has(one)) names.set(one, await nameOf(table, one))
      return text.replaceAll(id, one => names.get(one) ?? one)
    },
  }
}

const picked: Readonly<Record<string, string>> = { media: 'media', relation: 'content_data' }

/** Turns a value of an entry into words, by the type of its field. */
function entryWords(
  text: string,
  field: ModelField | undefined,
  viewer: ZonedViewer,
): { text: string; table?: string } {
  if (field?.field_type === 'boolean') return { text: plainWords(text === 'true', undefined, viewer) }
  const table = picked[field?.field_type ?? '']
  return table
    ? { text: (text.match(id) ?? []).join(', '), table }
    : { text: plainWords(text, undefined, viewer) }
}

/** Returns the change of one value of an entry. */
async function entryValue(
  change: Change,
  viewer: ZonedViewer,
  services: ServicesOfSpace,
): Promise<ChangedValue[]> {
  const row = (await ownersOf([change], services)).get(change.record_id)
  const entry = valueIn(change, 'content_data_id') || (row?.content_data_id ?? '')
  const known = await entriesIn([entry], { services })
  const field = known?.fields.get(valueIn(change, 'field_id') || (row?.field_id ?? ''))
  const { named } = naming(services)
  const shown = async (values: unknown) => {
    const value = (Object(values) as Record<string, unknown>).field_value
    if (typeof value !== 'string' || value === '') return ''
    const { text, table } = entryWords(value, field, viewer)
    return table ? named(text, table) : text
  }
  const [before, after] = await Promise.all([change.old_values, change.new_values].map(shown))
  return before === after
    ? []
    : [
        {
          label: field?.label ?? viewer.t('Value'),
          before: before ?? '',
          after: after ?? '',
          isRich: field?.field_type === 'richtext',
        },
      ]
}

/** Returns the changed values of a change, in the words of the forms. */
export async function valuesOfChange(
  change: Change,
  viewer: ZonedViewer,
  siteServices: ServicesOfSpace,
): Promise<ChangedValue[]> {
  const services = isOfAdmins(change) ? inAdminSpace(siteServices) : siteServices
  const table = tableOf(change)
  if (table === 'content_fields') return entryValue(change, viewer, services)
  const { nouns, named } = naming(services)
  const fields = (await nouns[table]?.fieldsOf(change.record_id, viewer)) ?? []
  const [before, after] = [change.old_values, change.new_values].map(
    values => Object(values) as Readonly<Record<string, unknown>>,
  )
  const members = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const found: ChangedValue[] = []
  for (const name of members) {
    const [old, fresh] = [before?.[name], after?.[name]]
    if (hidden.has(name) || [old, fresh].includes(change.record_id)) continue
    const field = fields.find(one => one.name === name)
    const reference = name === 'parent_id' ? parents[table] : references[name]
    const shown = async (value: unknown) => {
      const text = plainWords(value, field, viewer)
      return reference ? named(text, reference) : text
    }
    const [was, is] = [await shown(old), await shown(fresh)]
    const text = labels[name]
    const label = field?.label || (text ? viewer.t(text) : humanized(name))
    if (was !== is) found.push({ label, before: was, after: is })
  }
  return found
}
