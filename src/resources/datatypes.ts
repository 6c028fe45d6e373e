import { DatatypeCreate, DatatypeUpdate, type Visibility } from '../services/content/datatypes.js'
import { byOrder } from '../services/content/fields.js'
import type { PlainText } from '../texts/text.js'
import { all } from './entries.js'
import type { Choice } from './form-field.js'
import { removalOf, removing } from './removal.js'
import { accessTo, type ResourceParts, resource } from './resource.js'

const maxChoices = 1000

/** The meaning of each visibility, and its word in the list. */
const visibilities = {
  private: ['Private: only people who edit content see its entries', 'Private'],
  linked: ['Linked: the public sees entries at their address or where a page refers to them', 'Linked'],
  public: ['Public: anybody can also list and search its entries', 'Public'],
} as const satisfies Readonly<Record<Visibility, readonly [meaning: PlainText, word: PlainText]>>

async function datatypeChoices({ services: { space } }: ResourceParts): Promise<Choice[]> {
  const found = await all(space.datatypes.list({}, { limit: maxChoices }))
  return found.map(({ datatype_id, label }) => ({ value: datatype_id, word: label }))
}

/** Datatypes. */
export const datatypeResource = (parts: ResourceParts) =>
  resource({
    title: 'Datatypes',
    one: 'datatype',
    words: { new: 'New datatype', add: 'Add a datatype', delete: 'Delete datatype' },
    about: 'Each datatype defines the fields of its entries.',
    access: accessTo('datatypes'),
    service: { ...parts.services.space.datatypes, remove: removing(parts, 'datatypes') },
    key: 'datatype_id',
    nameOf: ({ label }) => label,
    empty: 'No datatypes yet.',
    columns: [
      { label: 'Name', of: ({ label }) => label },
      { label: 'Key', of: ({ name }) => ({ code: name }) },
      {
        label: 'Type',
        of: ({ type }) => ({ text: type === '_global' ? 'Shared content' : 'Content' }),
        room: 'some',
      },
      {
        label: 'Visibility',
        of: ({ visibility }) => ({ text: visibilities[visibility as Visibility][1] }),
        room: 'some',
      },
    ],
    create: DatatypeCreate,
    update: DatatypeUpdate,
    asksApart: true,
    deletes: ({ datatype_id }, viewer) => removalOf(parts, viewer, 'datatypes', datatype_id),
    fields: async (record, { t }) => [
      { name: 'label', label: t('Name'), required: true },
      ...(record
        ? [{ name: 'name', label: t('Key'), mono: true, hint: t('its name in the API') } as const]
        : []),
      {
        name: 'type',
        label: t('Type'),
        kind: 'choice',
        choices: [
          { value: 'content', word: t('Content') },
          { value: '_global', word: t('Shared content, such as a menu') },
        ],
        ...(record ? {} : { value: 'content' }),
      },
      {
        name: 'parent_id',
        label: t('Parent datatype'),
        kind: 'choice',
        none: t('Any datatype'),
        choices: (await datatypeChoices(parts)).filter(({ value }) => value !== record?.datatype_id),
        hint: t('the datatype of the parent entry'),
      },
      {
        name: 'visibility',
        label: t('Visibility'),
        kind: 'choice',
        choices: Object.entries(visibilities).map(([value, [meaning]]) => ({ value, word: t(meaning) })),
        ...(record ? {} : { value: 'linked' }),
        hint: t('what the public sees of published entries'),
      },
      { name: 'sort_order', label: t('Order'), kind: 'number', ...(record ? {} : { value: '0' }) },
    ],
  })

/** The fields of a datatype, in their order. */
export async function fieldsIn({ services: { space } }: ResourceParts, datatypeId: string) {
  const fields = await all(space.fields.list({ parent_id: datatypeId }, { limit: maxChoices }))
  return fields.sort(byOrder)
}
