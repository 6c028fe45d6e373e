import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { chooser } from '../support/random.js'

const app = await testApp({ i18n_enabled: true })
const { call } = app
const make = factories(app)
const author = await make.datatype('Author', { type: '_global', visibility: 'public' })
await make.field(author.datatype_id, 'Name', 'text')
await make.field(author.datatype_id, 'Handle', 'slug')
await make.field(author.datatype_id, 'Age', 'number')
const post = await make.datatype('Post', { type: '_global', visibility: 'public' })
const fields: [string, string, object?][] = [
  ['Title', 'text'],
  ['Body', 'textarea'],
  ['Price', 'number'],
  ['Day', 'date'],
  ['Moment', 'datetime'],
  ['Hot', 'boolean'],
  ['Color', 'select'],
  ['Lead', 'text', { translatable: true }],
  ['Writer', 'relation'],
  ['Tags', 'relation', { data: { cardinality: 'many' } }],
]
for (const [label, type, more] of fields) await make.field(post.datatype_id, label, type, more)
const locales = (await call('GET', '/api/v1/locales')).body
if (!locales.some((one: { code: string }) => one.code === 'en'))
  await call('POST', '/api/v1/locales', { body: { code: 'en', label: 'English' } })
await call('POST', '/api/v1/locales', { body: { code: 'de', label: 'Deutsch', fallback_code: 'en' } })

interface Plain {
  id: string
  status: string
  published_at: string
  values: Record<string, string>
  de: Record<string, string>
}
const { below, one } = chooser(7)
const words = [
  '',
  'a',
  'Ä',
  'apple',
  'Apple',
  'a b',
  'zebra ü',
  '👋 hi',
  '%_',
  "it's",
  '[x]',
  'x'.repeat(191),
  `${'x'.repeat(191)}y`,
  `${'x'.repeat(190)}👋z`,
]
const numbers = ['', '0', '-1.5', '2', '10', '9', '1e3', '0.1', '2.0']
const days = ['', '2024-01-31', '2026-11-22', '1999-12-31']
const moments = ['', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', '2025-06-01T12:00:00.5Z']

const authors: Plain[] = []
for (let i = 0; i < 5; i++) {
  const values = { name: one(words.filter(word => word !== '')), handle: `h${i}`, age: `${20 + i}` }
  const status = i === 4 ? 'draft' : 'published'
  const made = await make.entry(author.datatype_id, {}, { status, fields: values })
  authors.push({ id: made.content_data_id, status, published_at: made.published_at, values, de: {} })
}
const posts: Plain[] = []
for (let i = 0; i < 60; i++) {
  app.clock.advance(1000)
  const tags = authors.filter(() => below(3) === 0).map(({ id }) => id)
  const values: Record<string, string> = {}
  const set = (name: string, list: readonly string[]) => {
    if (below(5) > 0) values[name] = one(list)
  }
  set('title', words)
  set('body', words)
  set('price', numbers)
  set('day', days)
  set('moment', moments)
  set('hot', ['true', 'false', ''])
  set('color', ['red', 'green'])
  set(
    'writer',
    authors.map(({ id }) => id),
  )
  if (tags.length > 0) values.tags = JSON.stringify(tags)
  const status = below(8) === 0 ? 'draft' : 'published'
  const made = await make.entry(post.datatype_id, {}, { status, fields: values })
  const en = below(4) > 0 ? { lead: one(words) } : {}
  const de = below(2) === 0 ? { lead: one(words) } : {}
  for (const [locale, lead] of [
    ['en', en.lead],
    ['de', de.lead],
  ] as const)
    if (lead !== undefined)
      await call('PUT', `/api/v1/content?q=${made.content_data_id}`, { body: { fields: { lead }, locale } })
  posts.push({
    id: made.content_data_id,
    status,
    published_at: made.published_at,
    values: { ...values, lead: de.lead ?? en.lead ?? '' },
    de,
  })
}

type Test = (post: Plain) => boolean
const numeric = new Set(['price', 'day', 'moment', 'age'])
const key = (name: string, text: string): string | number =>
  numeric.has(name) ? (name === 'price' || name === 'age' ? Number(text) : Date.parse(text)) : text
/** By code points, as the answers are. */
const compare = (a: string | number, b: string | number): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [left, right] = [[...String(a)], [...String(b)]]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const by = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0)
    if (by !== 0) return by
  }
  return left.length - right.length
}

const relations = new Set(['writer', 'tags'])
/** A draft is nothing that the public is told of. */
const isSeen = (id: string) => authors.some(author => author.id === id && author.status === 'published')

function plainTest(name: string, operator: string, value: string): Test {
  const negative = operator === 'ne'
  return ({ values }) => {
    const text = values[name] ?? ''
    const all: string[] = text.startsWith('["') ? JSON.parse(text) : [text]
    const ids = relations.has(name) ? all.filter(isSeen) : all
    if (operator === 'exists') return ids.some(id => id !== '') === (value === 'true')
    const holds = (own: string): boolean => {
      if (own === '') return false
      switch (operator) {
        case 'in':
          return value.split(',').some(option => compare(key(name, own), key(name, option)) === 0)
        case 'contains':
          return own.includes(value)
        case 'starts':
          return own.startsWith(value)
        case 'gt':
          return compare(key(name, own), key(name, value)) > 0
        case 'gte':
          return compare(key(name, own), key(name, value)) >= 0
        case 'lt':
          return compare(key(name, own), key(name, value)) < 0
        case 'lte':
          return compare(key(name, own), key(name, value)) <= 0
        default:
          return compare(key(name, own), key(name, value)) === 0
      }
    }
    return ids.some(holds) !== negative
  }
}

const operators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'exists']
function randomCondition(): { name: string; value: string; test: Test } {
  const name = one([
    'title',
    'body',
    'price',
    'day',
    'moment',
    'hot',
    'color',
    'lead',
    'writer',
    'tags',
    'writer.handle',
    'writer.age',
  ])
  const isReference = name === 'writer' || name === 'tags'
  const isText = ['title', 'body', 'lead', 'writer.handle'].includes(name)
  let options = isReference
    ? ['eq', 'ne', 'in', 'exists']
    : name === 'hot'
      ? ['eq', 'ne', 'exists']
      : operators
  if (isText) options = [...options, 'contains', 'starts']
  const operator = one(options)
  const pools: Record<string, readonly string[]> = {
    price: numbers,
    'writer.age': ['21', '22', '23'],
    day: days,
    moment: moments,
    hot: ['true', 'false'],
    color: ['red', 'green', 'blue'],
    writer: authors.map(({ id }) => id),
    tags: authors.map(({ id }) => id),
    'writer.handle': ['h0', 'h1', 'h4'],
  }
  const pool = (pools[name] ?? words).filter(
    text => text !== '' && !(operator === 'in' && [...text].length >= 191),
  )
  const value =
    operator === 'exists'
      ? one(['true', 'false'])
      : operator === 'in'
        ? `${one(pool)},${one(pool)}`
        : one(pool)
  const parameter = `[${name}][${operator}]`
  if (!name.startsWith('writer.')) return { name: parameter, value, test: plainTest(name, operator, value) }
  const own = name.slice('writer.'.length)
  const opposite = operator === 'ne' || (operator === 'exists' && value === 'false')
  const test = plainTest(own, operator === 'ne' ? 'eq' : operator, operator === 'exists' ? 'true' : value)
  return {
    name: parameter,
    value,
    test: ({ values }) =>
      authors.some(
        ({ id, status, values: of }) =>
          id === values.writer && status === 'published' && test({ values: of } as Plain),
      ) !== opposite,
  }
}

const sortable = ['title', 'price', 'day', 'moment', 'hot', 'color', 'lead', 'id', 'published_at']
/** Texts are sorted by their first characters. */
const sortKey = (entry: Plain, name: string): string | number | null => {
  if (name === 'id' || name === 'published_at') return entry[name]
  const text = entry.values[name] ?? ''
  if (text === '') return null
  return numeric.has(name) ? key(name, text) : [...text].slice(0, 191).join('')
}

function sorted(list: readonly Plain[], sorts: readonly string[]): Plain[] {
  const first = sorts[0]?.startsWith('-') ?? false
  return list.toSorted((a, b) => {
    for (const sort of sorts) {
      const descending = sort.startsWith('-')
      const [left, right] = [a, b].map(each => sortKey(each, sort.replace('-', '')))
      if (left === null || right === null) {
        if (left !== right) return left === null ? 1 : -1
        continue
      }
      const by = compare(left as string, right as string)
      if (by !== 0) return descending ? -by : by
    }
    return first ? compare(b.id, a.id) : compare(a.id, b.id)
  })
}

const query = (parameters: readonly (readonly [string, string])[], as: 'nobody' | 'viewer' = 'nobody') =>
  call('GET', `/api/v1/query/post?${new URLSearchParams(parameters.map(([name, value]) => [name, value]))}`, {
    as,
  })

describe('2,000 random queries', () => {
  it.each([1, 2, 3, 4])('answer as a plain evaluation does (%i)', async () => {
    let found = 0
    for (let round = 0; round < 500; round++) {
      const and = Array.from({ length: below(3) }, randomCondition)
      const or = Array.from({ length: below(3) }, randomCondition)
      const sorts = [...new Set(Array.from({ length: below(3) }, () => one(sortable)))].map(name =>
        below(2) ? `-${name}` : name,
      )
      const limit = 1 + below(20)
      const parameters: [string, string][] = [
        ...and.map(({ name, value }, i): [string, string] => [`filter[and][${i}]${name}`, value]),
        ...or.map(({ name, value }, i): [string, string] => [`filter[or][${i}]${name}`, value]),
        ['locale', 'de'],
        ['limit', `${limit}`],
        ['count', 'true'],
        ...(sorts.length > 0 ? [['sort', sorts.join(',')] as [string, string]] : []),
      ]
      const passed = posts.filter(
        each =>
          each.status === 'published' &&
          and.every(({ test }) => test(each)) &&
          (or.length === 0 || or.some(({ test }) => test(each))),
      )
      const expected = sorted(passed, sorts).map(({ id }) => id)
      const what = JSON.stringify(parameters)
      const isPaged = below(4) === 0
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const answer = await query([
          ...parameters,
          ...(cursor ? [['cursor', cursor] as [string, string]] : []),
        ])
        expect([what, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([what, 200, ''])
        seen.push(...answer.body.data.map(({ id }: { id: string }) => id))
        expect([what, answer.body.meta.count]).toEqual([what, expected.length])
        cursor = answer.body.meta.next
      } while (isPaged && cursor)
      expect([what, seen]).toEqual([what, isPaged ? expected : expected.slice(0, limit)])
      if (!isPaged) expect([what, cursor !== null]).toEqual([what, expected.length > limit])
      if (below(5) === 0 && !isPaged) {
        const offset = below(10)
        const further = await query([...parameters, ['offset', `${offset}`]])
        expect([what, further.body.data.map(({ id }: { id: string }) => id)]).toEqual([
          what,
          expected.slice(offset, offset + limit),
        ])
      }
      found += seen.length
    }
    expect(found).toBeGreaterThan(500)
  })
})
