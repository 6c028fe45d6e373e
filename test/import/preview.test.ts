import { expect, it } from 'vitest'
import { previewOf } from '../../src/services/import/preview.js'
import type { ImportedEntry, ImportedSite } from '../../src/services/import/site.js'

const entry = (type: string, key: string, more: Partial<ImportedEntry> = {}): ImportedEntry => ({
  ...{ type, key, isPublished: false, createdAt: '2024-01-01T00:00:00.000Z', values: {} },
  ...more,
})
const type = (name: string, fields: number) => ({
  ...{ name, label: name, hasPages: false },
  fields: Array.from({ length: fields }, (_, i) => ({
    name: `f${i}`,
    label: `F${i}`,
    type: 'text' as const,
  })),
})

it('counts children by their own datatype, and as published with the entry that they are in', () => {
  const site: ImportedSite = {
    locales: [
      { code: 'de', label: 'German' },
      { code: 'en', label: 'English' },
    ],
    types: [type('page', 2), type('part', 1), type('unused', 0)],
    entries: [
      entry('page', 'a', {
        isPublished: true,
        children: [entry('part', 'b', { children: [entry('part', 'c')] })],
      }),
      entry('page', 'd', { children: [entry('part', 'e', { isPublished: true })] }),
    ],
    files: [{ key: 'f', name: 'f.png' }],
    notes: ['Menus are left out: 1.'],
  }
  expect(previewOf(site)).toEqual({
    locales: ['de', 'en'],
    datatypes: [
      { name: 'page', fields: 2, entries: 2, published: 1 },
      { name: 'part', fields: 1, entries: 3, published: 2 },
      { name: 'unused', fields: 0, entries: 0, published: 0 },
    ],
    files: 1,
    notes: ['Menus are left out: 1.'],
    unread: [],
  })
})
