import { expect, it } from 'vitest'
import { checkValue } from '../../src/services/content/field-values.js'

const taken: Record<string, string[]> = {
  date: ['2026-01-31', '2024-02-29', '2000-02-29', '0000-01-01', '9999-12-31'],
  datetime: [
    '2026-01-31T12:00:00Z',
    '2026-01-31T23:59:59.123456789+14:00',
    '2024-02-29T00:00:00-00:00',
    '2026-01-31T12:00:00.1Z',
  ],
  email: [
    'ann@example.com',
    'a+b@example.co.uk',
    'ann@localhost',
    'jürgen@münchen.example',
    '用户@例子.广告',
  ],
}
const refused: Record<string, string[]> = {
  date: [
    '2026-02-30',
    '2025-02-29',
    '1900-02-29',
    '2026-13-01',
    '2026-1-1',
    '2026-01-31T00:00:00Z',
    '31.1.2026',
    ' ',
  ],
  datetime: [
    '2026-02-30T12:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T12:00:60Z',
    '2026-01-31T12:00Z',
    '2026-01-31T12:00:00',
    '2026-01-31T12:00:00+24:00',
    '2026-01-31T12:00:00+0100',
    '2026-01-31 12:00:00Z',
    '2026-01-31T12:00:00Z\n',
    '2026-01-31',
  ],
  email: [
    'ann',
    '@example.com',
    'ann@',
    'ann@example..com',
    'ann@.example.com',
    'a@b@example.com',
    'ann@example.com,bob@example.com',
    'Ann <ann@example.com>',
    '<script>@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ann@${'a.'.repeat(127)}com`,
  ],
}
const cases = (table: Record<string, string[]>) =>
  Object.entries(table).flatMap(([type, values]) => values.map(value => [type, value] as const))
const check = (field_type: string, value: string) =>
  checkValue({ name: 'field', field_type, data: {} }, value)

it.each(cases(taken))('a %s can be %j', (type, value) => {
  expect(check(type, value)).toEqual({ media: [], content: [] })
})

it.each(cases(refused))('a %s cannot be %j', (type, value) => {
  expect(() => check(type, value)).toThrow('field_value: field must be')
})
