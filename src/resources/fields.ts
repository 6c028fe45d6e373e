import { type FieldType, fieldTypes } from '../services/content/field-types.js'
import { FieldCreate, FieldUpdate } from '../services/content/fields.js'
import type { Wording } from '../texts/wording.js'
import { removalOf, removing } from './removal.js'
import { accessTo, type ResourceParts, resource } from './resource.js'

const typeChoices = ({ t }: Wording) =>
  Object.entries(fieldTypes).map(([value, word]) => ({ value, word: t(word) }))

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
    fields: (record, viewer) => {
      const { under = '', t } = viewer
      return [
        { name: 'label', label: t('Name'), required: true },
        record
          ? { name: 'name', label: t('Key'), mono: true, hint: t('its name in the API') }
          : { name: 'parent_id', label: '', kind: 'hidden', value: under },
        {
          name: 'field_type',
          label: t('Type'),
          kind: 'choice',
          choices: typeChoices(viewer),
          ...(record ? { hint: t('cannot change while there are values') } : { value: 'text' }),
        },
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
