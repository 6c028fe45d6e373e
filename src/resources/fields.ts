import { type FieldType, fieldTypes } from '../services/content/field-types.js'
import { FieldCreate, FieldUpdate } from '../services/content/fields.js'
import { removalOf, removing } from './removal.js'
import { accessTo, type ResourceParts, resource } from './resource.js'

const types = Object.entries(fieldTypes).map(([value, word]) => ({ value, word }))

/** The fields of datatypes. */
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
      { label: 'Type', of: ({ field_type }) => fieldTypes[field_type as FieldType] ?? field_type },
      {
        label: 'Rules',
        of: ({ required, translatable }) =>
          [required && 'required', translatable && 'translatable'].filter(Boolean).join(', ') || '–',
        room: 'some',
      },
    ],
    create: FieldCreate,
    update: FieldUpdate,
    asksApart: true,
    deletes: ({ field_id }, viewer) => removalOf(parts, viewer, 'fields', field_id),
    fields: (record, { under = '' }) => [
      { name: 'label', label: 'Name', required: true },
      record
        ? { name: 'name', label: 'Key', mono: true, hint: 'its name in the API' }
        : { name: 'parent_id', label: '', kind: 'hidden', value: under },
      {
        name: 'field_type',
        label: 'Type',
        kind: 'choice',
        choices: types,
        ...(record ? { hint: 'cannot change while there are values' } : { value: 'text' }),
      },
      { name: 'required', label: 'Required', kind: 'switch', hint: 'in published entries' },
      {
        name: 'translatable',
        label: 'Translatable',
        kind: 'switch',
        hint: 'a value in each language',
        beside: true,
      },
      {
        name: 'data',
        label: 'Settings',
        kind: 'json',
        hint: 'JSON: options, target, cardinality, minLength, pattern …',
        ...(record ? {} : { value: '{}' }),
      },
      {
        name: 'ui_config',
        label: 'Hints',
        kind: 'json',
        hint: 'JSON: help, placeholder, rows',
        ...(record ? {} : { value: '{}' }),
      },
      { name: 'sort_order', label: 'Order', kind: 'number', ...(record ? {} : { value: '0' }) },
    ],
  })
