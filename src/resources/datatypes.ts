import { DatatypeCreate, DatatypeUpdate, type Visibility } from '../services/content/datatypes.js'
import { all } from './entries.js'
import type { Choice } from './form-field.js'
import { removalOf, removing } from './removal.js'
import { accessTo, type ResourceParts, resource } from './resource.js'

/** The most datatypes to choose from. */
const maxChoices = 1000

const visibilityChoices = [
  { value: 'private', word: 'Private: only people who edit content see its entries' },
  {
    value: 'linked',
    word: 'Linked: the public sees entries at their address or where a page refers to them',
  },
  { value: 'public', word: 'Public: anybody can also list and search its entries' },
] satisfies readonly (Choice & { value: Visibility })[]

const visibilityWord = (visibility: string): string =>
  visibility.charAt(0).toUpperCase() + visibility.slice(1)

async function datatypeChoices({ services: { space } }: ResourceParts): Promise<Choice[]> {
  const found = await all(space.datatypes.list({}, { limit: maxChoices }))
  return found.map(({ datatype_id, label }) => ({ value: datatype_id, word: label }))
}

/** Datatypes. */
export const datatypeResource = (parts: ResourceParts) =>
  resource({
    title: 'Datatypes',
    one: 'datatype',
    about: 'The kinds of entries, and the fields of each.',
    access: accessTo('datatypes'),
    service: { ...parts.services.space.datatypes, remove: removing(parts, 'datatypes') },
    key: 'datatype_id',
    nameOf: ({ label }) => label,
    empty: 'No datatypes yet.',
    columns: [
      { label: 'Name', of: ({ label }) => label },
      { label: 'Key', of: ({ name }) => ({ code: name }) },
      { label: 'Type', of: ({ type }) => (type === '_global' ? 'without a route' : 'content'), room: 'some' },
      { label: 'Visibility', of: ({ visibility }) => visibilityWord(visibility), room: 'some' },
    ],
    create: DatatypeCreate,
    update: DatatypeUpdate,
    asksApart: true,
    deletes: ({ datatype_id }, viewer) => removalOf(parts, viewer, 'datatypes', datatype_id),
    fields: async record => [
      { name: 'label', label: 'Name', required: true },
      ...(record ? [{ name: 'name', label: 'Key', mono: true, hint: 'its name in the API' } as const] : []),
      {
        name: 'type',
        label: 'Type',
        kind: 'choice',
        choices: [
          { value: 'content', word: 'Content of pages' },
          { value: '_global', word: 'Shared, such as a menu' },
        ],
        ...(record ? {} : { value: 'content' }),
      },
      {
        name: 'parent_id',
        label: 'Under',
        kind: 'choice',
        none: 'Any entry',
        choices: (await datatypeChoices(parts)).filter(({ value }) => value !== record?.datatype_id),
        hint: 'the datatype of the entries above',
      },
      {
        name: 'visibility',
        label: 'Visibility',
        kind: 'choice',
        choices: visibilityChoices,
        ...(record ? {} : { value: 'linked' }),
        hint: 'what the public sees of published entries',
      },
      { name: 'sort_order', label: 'Order', kind: 'number', ...(record ? {} : { value: '0' }) },
    ],
  })

/** The fields of a datatype, in their order. */
export async function fieldsIn({ services: { space } }: ResourceParts, datatypeId: string) {
  const fields = await all(space.fields.list({ parent_id: datatypeId }, { limit: maxChoices }))
  return fields.sort((a, b) => a.sort_order - b.sort_order || (a.field_id < b.field_id ? -1 : 1))
}
