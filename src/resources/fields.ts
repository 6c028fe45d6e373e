import { type FieldType, fieldTypes } from '../services/content/field-types.js'
import { FieldCreate, FieldUpdate } from '../services/content/fields.js'
import type { Services } from '../services/index.js'
import type { Wording } from '../texts/wording.js'
import type { Field } from './form-field.js'
import { removalOf, removing } from './removal.js'
import { accessTo, type ResourceParts, resource, type Viewer } from './resource.js'

type FieldRecord = Awaited<ReturnType<Services['space']['fields']['get']>>

const typeChoices = ({ t }: Wording) =>
  Object.entries(fieldTypes).map(([value, word]) => ({ value, word: t(word) }))

/** The control for the type, locked while entries have values of the field. */
function typeField(record: FieldRecord | undefined, isLocked: boolean, viewer: Viewer): Field {
  const { t } = viewer
  const base = { name: 'field_type', label: t('Type') }
  const choices = typeChoices(viewer)
  if (!record) return { ...base, kind: 'choice', choices, value: 'text' }
  if (!isLocked) return { ...base, kind: 'choice', choices, hint: t('cannot change while there are values') }
  const { word = record.field_type } = choices.find(({ value }) => value === record.field_type) ?? {}
  return {
    ...base,
    kind: 'fixed',
    choices,
    value: word,
    hint: t('locked: entries have values of this field'),
  }
}

export const fieldResource = (parts: ResourceParts) =>
  resource({
    title: 'Fields',
    one: 'field',
    words: { new: 'New field', add: 'Add a field', delete: 'Delete field' },
    access: accessTo('fields'),
    service: { ...parts.services.space.fields, remove: removing(parts, 'fields') },
    key: 'field_id',
    nameOf: ({ label }) => label,
    empty: 'No fields yet.',
    columns: [
      { label: 'Name', of: ({ label }) => label },
      { label: 'Key', of: ({ name }) => ({ code: name }) },
      { label: 'Type', of: ({ field_type }) => ({ text: fieldTypes[field_type as FieldType] }) },
      {
        label: 'Rules',
        of: ({ required, translatable }, _now, { t }) =>
          [required && t('required'), translatable && t('translatable')].filter(Boolean).join(', ') || '–',
        room: 'some',
      },
    ],
    create: FieldCreate,
    update: FieldUpdate,
    asksApart: true,
    deletes: ({ field_id }, viewer) => removalOf(parts, viewer, 'fields', field_id),
    fields: async (record, viewer) => {
      const { under = '', t } = viewer
      const isLocked = record !== undefined && (await parts.services.space.fields.hasValues(record.field_id))
      return [
        { name: 'label', label: t('Name'), required: true },
        record
          ? { name: 'name', label: t('Key'), mono: true, hint: t('its name in the API') }
          : { name: 'parent_id', label: '', kind: 'hidden', value: under },
        typeField(record, isLocked, viewer),
        { name: 'required', label: t('Required'), kind: 'switch', hint: t('in published entries') },
        {
          name: 'translatable',
          label: t('Translatable'),
          kind: 'switch',
          hint: t('a value in each language'),
          beside: true,
        },
        {
          name: 'data',
          label: t('Settings'),
          kind: 'json',
          hint: t('JSON: options, target, cardinality, minLength, pattern …'),
          ...(record ? {} : { value: '{}' }),
        },
        {
          name: 'ui_config',
          label: t('Hints'),
          kind: 'json',
          hint: t('JSON: help, placeholder, rows'),
          ...(record ? {} : { value: '{}' }),
        },
        { name: 'sort_order', label: t('Order'), kind: 'number', ...(record ? {} : { value: '0' }) },
      ]
    },
  })
