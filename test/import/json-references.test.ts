import { expect, it } from 'vitest'
import type { ImportedField } from '../../src/services/import/site.js'
import { valuesOf } from '../../src/services/import/values.js'
import type { MediaRecord } from '../../src/services/media/record.js'

const mediaId = '01HVXK3M5Z8Q4R7T9W2Y6B0D1F'
const media = { media_id: mediaId, mimetype: 'image/png', width: 64, height: 48, name: 'a.png' }

it('puts references into JSON as they are here, and keeps all else as it is', () => {
  const missing: string[] = []
  const fields = new Map<string, ImportedField>([
    ['seo', { name: 'seo', label: 'Seo', type: 'json' }],
    ['plain', { name: 'plain', label: 'Plain', type: 'json' }],
    ['title', { name: 'title', label: 'Title', type: 'text' }],
  ])
  const seo = {
    page: { _type: 'reference', _ref: 'import:entry:a%20b' },
    gone: [{ _ref: 'import:entry:gone' }, { _ref: 'import:file:gone' }],
    image: { asset: { _ref: 'import:file:f' } },
    text: 'see import:entry:a%20b',
  }
  const made = valuesOf(
    { seo: { value: seo }, plain: { value: 'a "text"' }, title: { value: 'import:entry:a%20b' } },
    fields,
    {
      entry: key => (key === 'a b' ? 'ENTRY' : undefined),
      path: () => undefined,
      file: key => (key === 'f' ? (media as unknown as MediaRecord) : undefined),
      missing: (kind, key) => missing.push(`${kind} ${key}`),
    },
  )
  expect(JSON.parse(String(made.seo))).toEqual({
    page: { _type: 'reference', _ref: 'ENTRY' },
    gone: [{ _ref: null }, { _ref: null }],
    image: { asset: { _ref: expect.stringMatching(/^image-[0-9a-f]{32}-64x48-png$/) } },
    text: 'see import:entry:a%20b',
  })
  expect(made).toMatchObject({ plain: '"a \\"text\\""', title: 'import:entry:a%20b' })
  expect(missing).toEqual(['entry gone', 'file gone'])
})
