import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { HttpError } from '../../src/errors.js'
import { checkData } from '../../src/services/content/check-data.js'
import { entryErrors, type Facts } from '../../src/services/content/check-values.js'
import { fieldData, rulesOf, settingNames } from '../../src/services/content/field-data.js'
import { type FieldType, fieldTypes } from '../../src/services/content/field-types.js'
import { FieldCreate } from '../../src/services/content/fields.js'
import { mismatch, patternProblem } from '../../src/services/content/patterns.js'
import { atOnce } from '../../src/turns.js'

const types = Object.keys(fieldTypes) as FieldType[]

const refusal = (type: FieldType, data: Record<string, unknown>) => {
  try {
    checkData(type, data)
    return undefined
  } catch (error) {
    return error instanceof HttpError ? error.message : String(error)
  }
}

describe('docs/modelling.md', () => {
  const doc = readFileSync('docs/modelling.md', 'utf8')
  const sections = new Map(
    doc
      .split(/^### /m)
      .slice(1)
      .map(text => [/^`(\w+)`/.exec(text)?.[1] ?? '', text.split(/^## /m)[0] ?? '']),
  )

  it.each(types)('has settings of %s that the service takes, and shows each', type => {
    const section = sections.get(type) ?? ''
    const examples = [...section.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => JSON.parse(json))
    expect(examples.length).toBeGreaterThan(0)
    for (const data of examples) {
      expect([data, refusal(type, data)]).toEqual([data, undefined])
      expect(fieldData(type).safeParse(data).success).toBe(true)
    }
    const shown = new Set(examples.flatMap(data => Object.keys(data)))
    expect([...shown].sort()).toEqual(settingNames(type).sort())
    for (const name of settingNames(type)) expect(section).toContain(`\`${name}\``)
  })

  it('describes the field types that there are', () =>
    expect([...sections.keys()].sort()).toEqual(types.toSorted()))
})

const refused: [FieldType, Record<string, unknown>, string][] = [
  ['text', { maxLenght: 5 }, 'data.maxLenght: a text field has no such setting: did you mean maxLength?'],
  [
    'text',
    { zzzzzzzz: 5 },
    'data.zzzzzzzz: a text field has no such setting: known are minLength, maxLength, pattern, unique, default',
  ],
  [
    'number',
    { maximum: 5 },
    'data.maximum: a number field has no such setting: known are min, max, integer, unique, default',
  ],
  ['number', { Max: 5 }, 'data.Max: a number field has no such setting: did you mean max?'],
  ['boolean', { options: ['a'] }, 'data.options: a boolean field has no such setting: known are default'],
  ['select', { option: ['a'] }, 'data.option: a select field has no such setting: did you mean options?'],
  ['select', { options: 'a' }, 'data.options: must be an array'],
  ['select', { options: [] }, 'data.options: must have at least one'],
  [
    'select',
    { options: ['a', { value: 'a' }] },
    'data.options.1: must have each value once, and has "a" twice',
  ],
  [
    'select',
    { options: [true] },
    'data.options.0: must be a text, a number, or an object with value and label',
  ],
  ['select', { options: ['a'], default: 'b' }, 'data.default: must be one of a'],
  ['number', { min: '1' }, 'data.min: must be a number'],
  ['number', { min: 2, max: 1 }, 'data.min: must not be more than max'],
  ['number', { max: 1, default: 2 }, 'data.default: must be at most 1'],
  ['number', { integer: 'yes' }, 'data.integer: must be true or false'],
  ['date', { min: '31.12.2026' }, 'data.min: must be a date such as 2026-01-31'],
  [
    'datetime',
    { min: '2026-01-01T00:00:00Z', max: '2026-01-01T00:30:00+01:00' },
    'data.min: must not be more than max',
  ],
  ['text', { minLength: 2, maxLength: 1 }, 'data.minLength: must not be more than maxLength'],
  ['text', { minLength: 1.5 }, 'data.minLength: must be a whole number from 0 to 1000000'],
  [
    'text',
    { pattern: '(a' },
    'data.pattern: must be a pattern in the syntax of RE2: error parsing regexp: missing closing ): `(a`',
  ],
  [
    'text',
    { pattern: '(?=a)' },
    'data.pattern: must be a pattern in the syntax of RE2: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
  ],
  ['text', { pattern: '\\p{L}{600}' }, 'data.pattern: is too complex'],
  ['text', { pattern: 'a'.repeat(501) }, 'data.pattern: must have at most 500 characters'],
  ['text', { unique: true, default: 'x' }, 'data.default: cannot be combined with unique'],
  ['email', { default: 'ann' }, 'data.default: must be an e-mail address'],
  ['url', { default: 'javascript:alert(1)' }, 'data.default: must be an address'],
  [
    'media',
    { kinds: ['picture'] },
    'data.kinds.0: must be image, video, audio, document, or a media type such as image/png',
  ],
  ['media', { maxItems: 3 }, 'data.maxItems: can be set only if cardinality is many'],
  ['relation', { cardinality: 'some' }, 'data.cardinality: must be one or many'],
  ['relation', { target: 7 }, 'data.target: must be the name of a datatype, or an array of them'],
]
it.each(refused)('refuses settings of %s: %j', (type, data, message) => {
  expect(refusal(type, data)).toBe(message)
})

it('reads what older versions have stored, and goes past what means nothing', () => {
  const read = (field_type: string, data: Record<string, unknown>) => rulesOf({ field_type, data })
  expect(read('select', { options: ['a', { value: 'b', text: 'B' }, true] })).toEqual({
    options: ['a', 'b', 'true'],
  })
  expect(read('select', { options: [] })).toEqual({})
  expect(read('text', { pattern: '(?=a)', min: 1, maxLength: 4 })).toEqual({ maxLength: 4 })
  expect(read('relation', { target: 'page', cardinality: 'many', hint: 'x' })).toEqual({
    target: 'page',
    cardinality: 'many',
  })
})

it('keeps what it does not know of stored settings, and refuses it where it is new or changed', () => {
  const stored = { hint: { text: 'x' }, maxLength: 3 }
  expect(() => checkData('text', { ...stored, maxLength: 4 }, stored)).not.toThrow()
  for (const data of [
    { ...stored, hint: 'y' },
    { ...stored, other: 1 },
    { ...stored, maxLength: '4' },
  ])
    expect(() => checkData('text', data, stored)).toThrow(/^data\.(hint|other|maxLength): /)
})

it('says in the description of the API what the check takes', () => {
  const shape = Object(z.toJSONSchema(FieldCreate, { io: 'input', unrepresentable: 'any' }))
  const forms: { title: string; properties: Record<string, object> }[] = shape.properties.data.anyOf
  expect(new Map(forms.map(({ title, properties }) => [title, Object.keys(properties)]))).toEqual(
    new Map(types.map(type => [type, settingNames(type)])),
  )
  expect(forms.find(({ title }) => title === 'number')?.properties.min).toEqual({
    type: 'number',
    description: 'Smallest',
  })
})

describe('a pattern', () => {
  const hostile = [
    '^(a+)+$',
    '^(a|a)*$',
    '(a*)*b',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(x+x+)+y',
    '(.*a){12}b$',
    '[ab]*a[ab]{400}$',
  ]
  it.each(hostile)('%s is compared in a bounded number of steps', pattern => {
    expect(patternProblem(pattern)).toBeUndefined()
    let text = ''
    for (let i = 0; i < 100_000; i++) text += (i * 7919) % 13 < 6 ? 'a' : 'b'
    for (const value of ['a'.repeat(100_000), `${'a'.repeat(50_000)}!`, 'x'.repeat(100_000), text]) {
      // Nothing here ends within years by JavaScript's own expressions.
      const problem = mismatch(pattern, value)
      expect(problem === undefined || /^must (?:match|have at most)/.test(problem)).toBe(true)
    }
  })

  it('matches anywhere unless it says otherwise, and knows more than ASCII', () => {
    expect(mismatch('b', 'abc')).toBeUndefined()
    expect(mismatch('^b', 'abc')).toBe('must match the pattern ^b')
    expect(mismatch('^\\p{Lu}.$', 'Ä🚲')).toBeUndefined()
    expect(mismatch('(?i)^äb$', 'ÄB')).toBeUndefined()
  })
})

it('gives the errors of an entry in the order of its fields, and knows nothing but what it is given', () => {
  const field = (name: string, field_type: string, data: Record<string, unknown>, required = false) => ({
    field_id: name,
    parent_id: 'type',
    name,
    field_type,
    data,
    required,
    rules: rulesOf({ field_type, data }),
  })
  const fields = [
    field('a', 'text', { maxLength: 1 }, true),
    field('b', 'number', { max: 1 }),
    field('c', 'text', { unique: true }),
  ]
  const facts: Facts = {
    defaultLocale: 'en',
    media: () => undefined,
    datatypeName: () => undefined,
    holderOf: ({ field_value }) => (field_value === 'taken' ? 'other' : undefined),
  }
  const value = (field_id: string, field_value: string, locale = '') => ({
    content_data_id: 'one',
    field_id,
    locale,
    field_value,
  })
  const errors = (values: ReturnType<typeof value>[]) =>
    atOnce(entryErrors({ content_data_id: 'one', values }, fields, facts)).map(
      one => `${one.locale} ${one.error}`,
    )
  expect(
    errors([value('c', 'taken', 'de'), value('b', 'two'), value('a', '', ''), value('a', 'xx', 'de')]),
  ).toEqual([
    ' fields.a: is required',
    'de fields.a: must have at most 1 character',
    ' fields.b: must be a number',
    'de fields.c: must be unique, but entry other has the same value',
  ])
  expect(errors([value('a', 'x', 'en'), value('c', 'free')])).toEqual([])
})
