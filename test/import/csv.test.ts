import { expect, it } from 'vitest'
import type { ExportFiles, ImportedSite } from '../../src/services/import/site.js'
import { readCsv } from '../../src/systems/csv/index.js'

const files = (texts: Record<string, string>): ExportFiles => ({
  names: Object.keys(texts),
  text: async name => texts[name] ?? '',
  async *lines() {},
})
const read = (text: string, name = 'products.csv', more: Record<string, string> = {}) =>
  readCsv(files({ [name]: text, ...more }))
const types = ({ types: [type] }: ImportedSite) =>
  Object.fromEntries((type?.fields ?? []).map(({ name, type }) => [name, type]))
const values = ({ entries }: ImportedSite, at = 0) =>
  Object.fromEntries(
    Object.entries(entries[at]?.values ?? {}).map(([name, value]) => [
      name,
      'value' in value ? value.value : value,
    ]),
  )

it('recognises types, quoted lines and columns about the entry', async () => {
  const site = await read(
    [
      '\ufeffid,slug,title,Price (EUR),code,sold,day,e-mail,text,status,updated_at',
      '7,first,"A ""good"" one",1.50,007,true,2024-01-31,a@example.com,"two\r\nlines",published,2024-02-01 10:00',
      '8,/deep/second,B,-2,010,FALSE,,b@example.com,,Draft,2024-02-02T10:00:00Z',
      '',
    ].join('\r\n'),
  )
  expect(types(site)).toEqual({
    ...{ title: 'text', priceEUR: 'number', code: 'text', sold: 'boolean', day: 'date' },
    ...{ eMail: 'email', text: 'textarea' },
  })
  expect(values(site)).toEqual({
    ...{ title: 'A "good" one', priceEUR: 1.5, code: '007', sold: true, day: '2024-01-31' },
    ...{ eMail: 'a@example.com', text: 'two\r\nlines' },
  })
  expect(site.entries).toMatchObject([
    {
      ...{ ids: [{ kind: 'products', id: '7' }], page: { path: '/products/first', title: 'A "good" one' } },
      ...{ isPublished: true, changedAt: '2024-02-01T10:00:00.000Z' },
    },
    { ids: [{ id: '8' }], page: { path: '/deep/second', title: 'B' }, isPublished: false },
  ])
  expect(site.types).toMatchObject([{ name: 'products', label: 'Products', hasPages: true }])
})

it.each([
  ['semicolons', 'a;b\n"1;2";3,5'],
  ['tabs', 'a\tb\n1;2\t3,5'],
  ['bars', 'a|b\n1;2|3,5'],
])('reads %s', async (_, text) => {
  expect(values(await read(text))).toEqual({ a: '1;2', b: '3,5' })
})

it('takes files beside the table and at addresses, and several tables', async () => {
  const site = await read(
    'name,photo,sheet\nA,img/a.png,https://a.example/a.pdf\nB,b.png,https://a.example/b.pdf',
    'people.csv',
    { 'img/a.png': '', 'img/b.png': '', 'teams.tsv': 'name\tsize\nX\t3' },
  )
  expect(types(site)).toEqual({ name: 'text', photo: 'media', sheet: 'media' })
  expect(site.files).toMatchObject([
    { at: 'img/a.png' },
    { at: 'img/b.png' },
    { url: 'https://a.example/a.pdf' },
    { url: 'https://a.example/b.pdf' },
  ])
  expect(site.types.map(({ name, hasPages }) => [name, hasPages])).toEqual([
    ['people', false],
    ['teams', false],
  ])
  const missing = await read('name,photo\nA,a.png', 'people.csv', { 'x.txt.png': '' })
  expect(types(missing)).toEqual({ name: 'text', photo: 'text' })
})

it('keeps columns as fields that do not say what their names promise', async () => {
  const site = await read('id,status,created_at,__proto__\n1,new,soon,x\n1,old,later,y')
  expect(types(site)).toMatchObject({ id: 'number', status: 'text', created_at: 'text' })
  expect(site.entries.map(({ isPublished, ids }) => [isPublished, ids?.[0]?.id])).toEqual([
    [true, 'products.csv:2'],
    [true, 'products.csv:3'],
  ])
})

it('reports lines of another length, and takes the rest', async () => {
  const site = await read('a,b\n1,2\n1,2,3\n1\n3,4')
  expect(site.entries).toHaveLength(2)
  expect(site.unread?.named).toEqual([
    { place: 'products.csv: line 3', reason: 'has 3 values for 2 columns' },
    { place: 'products.csv: line 4', reason: 'has 1 values for 2 columns' },
  ])
})

it.each([
  ['Windows-1252', 'name\nok\nCaf\ufffd', 'line 3 is not UTF-8'],
  ['UTF-16', '\ufffd\ufffdn\0a\0', 'line 1 is not UTF-8'],
  ['nothing', '', 'is empty'],
  ['a column twice', 'a,A\n1,2', 'two columns have the name A'],
  ['a column without a name', 'a,,b\n1,2,3', 'the column 2 has no name'],
  ['quotes without an end', 'a,b\n"1,2', 'line'],
  ['too many columns', Array.from({ length: 1001 }, (_, i) => `c${i}`).join(), 'more than 1000 columns'],
  ['too many lines', `a\n${'1\n'.repeat(200_001)}`, 'more than 200000 lines'],
])('refuses %s', async (_, text, reason) => {
  await expect(read(text)).rejects.toThrow(reason)
})
