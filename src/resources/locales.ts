import { LocaleCreate, LocaleUpdate } from '../services/content/locales.js'
import { type ResourceParts, resource } from './resource.js'

/** The languages of the content. */
export const localeResource = ({ services: { locales } }: ResourceParts) =>
  resource({
    title: 'Locales',
    one: 'locale',
    words: { new: 'New locale', add: 'Add a locale', delete: 'Delete locale' },
    about: 'The languages of the content. Missing texts come from the fallback locale.',
    access: {
      read: 'content:read',
      create: 'content:admin',
      update: 'content:admin',
      remove: 'content:admin',
    },
    service: locales,
    key: 'locale_id',
    nameOf: ({ label }) => label,
    empty: 'No languages yet.',
    columns: [
      { label: 'Language', of: ({ label }) => label },
      { label: 'Code', of: ({ code }) => ({ code }) },
      { label: 'Fallback', of: ({ fallback_code }) => fallback_code ?? '–', room: 'some' },
      {
        label: 'State',
        of: ({ is_enabled, is_default }) => ({
          state: is_enabled ? 'live' : 'off',
          word: is_default ? 'Default' : is_enabled ? 'Enabled' : 'Disabled',
        }),
      },
    ],
    create: LocaleCreate,
    update: LocaleUpdate,
    fields: (record, { t }) => [
      { name: 'label', label: t('Name'), required: true },
      record
        ? { name: 'code', label: t('Code'), kind: 'fixed', mono: true }
        : { name: 'code', label: t('Code'), mono: true, required: true, hint: t('such as de or de-AT') },
      { name: 'fallback_code', label: t('Fallback'), mono: true, hint: t('the code of another locale') },
      { name: 'is_enabled', label: t('Enabled'), kind: 'switch', ...(record ? {} : { value: 'true' }) },
      { name: 'is_default', label: t('Default'), kind: 'switch' },
      { name: 'sort_order', label: t('Order'), kind: 'number', ...(record ? {} : { value: '0' }) },
    ],
  })
