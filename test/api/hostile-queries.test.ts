import { expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call } = app
const make = factories(app)
const type = await make.datatype('Post', { type: '_global', visibility: 'public' })
await make.field(type.datatype_id, 'Title', 'text')
await make.field(type.datatype_id, 'Price', 'number')
await make.field(type.datatype_id, 'Writer', 'relation')
const { content_data_id } = await make.entry(
  type.datatype_id,
  {},
  { status: 'published', fields: { title: 'Hello', price: 1 } },
)

function ask(parameters: readonly (readonly [string, string])[], path = 'post') {
  const search = new URLSearchParams(parameters.map(([name, value]) => [name, value]))
  return call('GET', `/api/v1/query/${path}?${search}`, { as: 'nobody' })
}
const many = (n: number, text: string) => Array.from({ length: n }, () => text).join('')
const numbered = (n: number, text: (i: number) => string) => Array.from({ length: n }, (_, i) => text(i))

const deep = (n: number) => `filter${many(n, '[and][0]')}[title]`
const conditions = (n: number) =>
  numbered(n, i => `filter[or][${i}][title]`).map((name): [string, string] => [name, 'x'])

/** What is asked, the member that the refusal names, and a part of its sentence. */
const refused: [string, [string, string][], string, string][] = [
  ['brackets 1,000 deep', [[deep(1000), 'x']], 'the address', 'is longer than 8192 characters'],
  ['brackets 400 deep', [[deep(400), 'x']], deep(400), 'at most 4 deep'],
  ['groups five deep', [[deep(5), 'x']], deep(5), 'at most 4 deep'],
  [
    'brackets that do not close',
    [[`filter${many(90, '[')}`, 'x']],
    `filter${many(90, '[')}`,
    'filter[field]',
  ],
  ['brackets in brackets', [['filter[[title]]', 'x']], 'filter[[title]]', 'filter[field][operator]'],
  ['empty brackets', [['filter[]', 'x']], 'filter[]', 'filter[field][operator]'],
  ['no brackets', [['filter', 'x']], 'filter', 'filter[field][operator]'],
  [
    'a group without a number',
    [['filter[and][title]', 'x']],
    'filter[and][title]',
    'must be followed by a number',
  ],
  ['10,000 values', [['filter[title][in]', numbered(10_000, String).join()]], 'the address', 'is longer'],
  [
    '1,000 values',
    [['filter[title][in]', numbered(1000, String).join()]],
    'filter[title][in]',
    '1 to 100 values',
  ],
  [
    '1,000 numbers',
    [['filter[price][in]', numbered(1000, String).join()]],
    'filter[price][in]',
    '1 to 100 values',
  ],
  [
    '101 values',
    [['filter[title][in]', numbered(101, String).join()]],
    'filter[title][in]',
    '1 to 100 values',
  ],
  ['10,000 conditions', conditions(10_000), 'the address', 'is longer'],
  ['180 conditions', conditions(180), 'filter', 'more than 20 conditions'],
  [
    '21 conditions',
    numbered(21, i => `filter[or][${i}][title]`).map(name => [name, 'x']),
    'filter',
    'more than 20 conditions',
  ],
  ['an unknown field', [['filter[nothing][eq]', 'x']], 'filter[nothing][eq]', 'post has no field "nothing"'],
  ['an unknown operator', [['filter[title][near]', 'x']], 'filter[title][near]', 'has no operator "near"'],
  [
    'an unknown field of a relation',
    [['filter[writer.nothing]', 'x']],
    'filter[writer.nothing]',
    'the public entries in writer have no field',
  ],
  [
    'two relations away',
    [['filter[writer.writer.title]', 'x']],
    'filter[writer.writer.title]',
    'can follow only one relation',
  ],
  [
    'what is no relation',
    [['filter[title.title]', 'x']],
    'filter[title.title]',
    'post has no relation "title"',
  ],
  [
    'a member of every object',
    [['filter[__proto__]', 'x']],
    'filter[__proto__]',
    'post has no field "__proto__"',
  ],
  ['an unknown order', [['sort', 'nothing']], 'sort', 'post has no field "nothing"'],
  ['a hundred orders', [['sort', numbered(100, i => `f${i}`).join()]], 'sort', 'more than 4 keys'],
  ['an unknown field to show', [['fields', 'title,nothing']], 'fields', 'post has no field "nothing"'],
  ['an unknown relation', [['expand', 'nothing']], 'expand', 'post has no relation "nothing"'],
  ['21 expansions', [['expand', numbered(21, i => `f${i}`).join()]], 'expand', 'more than 20 paths'],
  ['four levels', [['expand', 'writer.writer.writer.writer']], 'expand', '3 levels deep'],
  ['a huge limit', [['limit', '1000000000']], 'limit', 'from 1 to 200'],
  ['a limit beyond numbers', [['limit', many(400, '9')]], 'limit', 'from 1 to 200'],
  ['no limit', [['limit', '0']], 'limit', 'from 1 to 200'],
  ['a negative limit', [['limit', '-1']], 'limit', 'from 1 to 200'],
  ['a huge offset', [['offset', '10001']], 'offset', 'from 0 to 10000'],
  ['many levels of children', [['children', '11']], 'children', 'from 0 to 10'],
  ['a cursor of nothing', [['cursor', 'x']], 'cursor', 'is not the cursor'],
  ['a long cursor', [['cursor', many(1500, 'eyJv')]], 'cursor', 'is not the cursor'],
  [
    'a parameter twice',
    [
      ['limit', '1'],
      ['limit', '2'],
    ],
    'limit',
    'is given twice',
  ],
  ['an unknown parameter', [['where', 'x']], 'where', 'unknown parameter'],
  ['a text for a number', [['filter[price][gt]', 'x']], 'filter[price][gt]', 'compared with a number'],
  ['a number beyond all', [['filter[price][gt]', '1e999']], 'filter[price][gt]', 'compared with a number'],
]

it.each(refused)('refuses %s by name', async (_, parameters, member, words) => {
  const { status, body } = await ask(parameters)
  // Of a long name the beginning is told.
  expect([status, body.member?.slice(0, 100) ?? 'the address']).toEqual([400, member.slice(0, 100)])
  expect(body.error).toContain(words)
  expect(body.error.length).toBeLessThan(10_000)
})

/** A cursor that the service has not made, for the order that it is sent with. */
const cursor = (order: unknown, keys: unknown[], id = content_data_id) =>
  Buffer.from(JSON.stringify({ o: JSON.stringify(order), k: keys, i: id })).toString('base64url')

it('refuses cursors with what is no place in the order', async () => {
  const order = ['post', [{ name: 'title', descending: false }]]
  for (const keys of [[], ['a', 'b'], [{}], [[]], [many(1001, 'x')], [true]])
    expect(
      (
        await ask([
          ['sort', 'title'],
          ['cursor', cursor(order, keys)],
        ])
      ).body,
    ).toMatchObject({ member: 'cursor' })
  for (const id of ["' or 1=1 --", '', '?'])
    expect(
      (
        await ask([
          ['sort', 'title'],
          ['cursor', cursor(order, ['a'], id)],
        ])
      ).body,
    ).toMatchObject({ member: 'cursor' })
})

const injections = [
  "' or 1=1 --",
  "'; drop table content_data; --",
  '" or ""="',
  '`; delete from users; --',
  "\\' or 1=1 #",
  '?',
  '??',
  ':id',
  '$1',
  '%',
  '_',
  "x') union select token_hash from tokens --",
  '\u00010',
  '{{7*7}}',
]

it.each(injections)('takes %j for what it is: a value, or no name', async text => {
  const [named] = (await ask([['filter[title]', 'Hello']])).body.data
  expect(named.id).toBe(content_data_id)
  for (const operator of ['eq', 'in', 'contains', 'starts', 'gt']) {
    const { status, body } = await ask([[`filter[title][${operator}]`, text]])
    const found = operator === 'gt' && text < 'Hello'
    expect([operator, status, body.data?.length ?? body.error]).toEqual([operator, 200, found ? 1 : 0])
  }
  for (const name of [
    'sort',
    'fields',
    'expand',
    'limit',
    'offset',
    'count',
    'children',
    'cursor',
    'locale',
  ]) {
    const { status, body } = await ask([[name, text]])
    expect([name, status, body.member]).toEqual([name, 400, name])
  }
  for (const name of [
    `filter[${text}]`,
    `filter[title][${text}]`,
    `filter[and][${text}][title]`,
    `filter[writer.${text}]`,
  ])
    expect((await ask([[name, 'x']])).status).toBe(400)
  expect((await ask([[text, 'x']])).status).toBe(400)
  expect((await ask([['filter[price]', text]])).status).toBe(400)
  for (const place of [encodeURIComponent(text), `post/${encodeURIComponent(text)}`])
    expect([403, 404, 400]).toContain((await ask([], place)).status)
  const sorted = cursor(['post', [{ name: 'title', descending: false }]], [text])
  expect(
    (
      await ask([
        ['sort', 'title'],
        ['cursor', sorted],
      ])
    ).status,
  ).toBe(200)
  expect(await app.db.count(tables.contentData)).toBe(1)
})

it('refuses keys of another kind than what is sorted by', async () => {
  const sorted = (name: string, key: unknown) =>
    ask([
      ['sort', name],
      ['cursor', cursor(['post', [{ name, descending: false }]], [key])],
    ])
  for (const key of ['text', ''])
    expect([key, (await sorted('price', key)).body.member]).toEqual([key, 'cursor'])
  for (const [name, key] of [
    ['title', 5],
    ['id', 5],
    ['id', null],
    ['published_at', null],
    ['slug', 1],
  ] as const)
    expect([name, (await sorted(name, key)).body.member]).toEqual([name, 'cursor'])
  for (const [name, key] of [
    ['price', 5],
    ['price', -1e308],
    ['price', null],
    ['title', null],
    ['title', many(1000, 'x')],
    ['slug', null],
    ['id', 'x'],
    ['published_at', 'x'],
  ] as const)
    expect([name, key, (await sorted(name, key)).status]).toEqual([name, key, 200])
})
