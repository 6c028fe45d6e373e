import { expect, it, vi } from 'vitest'
import { QueryStatements } from '../../src/services/delivery/query/query-statements.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const make = factories(app)
const published = { status: 'published' }

it('finds by a field of what an entry refers to, where several datatypes have a field of that name', async () => {
  const named = async (label: string, value: string) => {
    const { datatype_id } = await make.datatype(label, { type: '_global', is_public: true })
    await make.field(datatype_id, 'Name', 'text')
    return make.entry(datatype_id, {}, { ...published, fields: { name: value } })
  }
  const [person, company] = [await named('Person', 'Zoe'), await named('Company', 'Acme')]
  const { datatype_id } = await make.datatype('Post', { type: '_global', is_public: true })
  await make.field(datatype_id, 'By', 'relation')
  const posts: string[] = []
  for (const { content_data_id: by } of [person, company]) {
    const { content_data_id } = await make.entry(datatype_id, {}, { ...published, fields: { by } })
    posts.push(content_data_id)
  }
  await make.entry(datatype_id, {}, published)
  const found = async (filter: string) => {
    const { body } = await app.call('GET', `/api/v1/query/post?${filter}`, { as: 'nobody' })
    return body.data.map(({ id }: { id: string }) => id)
  }
  expect(await found('filter[by.name][eq]=Zoe')).toEqual([posts[0]])
  expect(await found('filter[by.name][starts]=Ac')).toEqual([posts[1]])
  expect(await found('filter[by.name][in]=Zoe,Acme')).toEqual(posts)
  expect(await found('filter[by.name][eq]=Bob')).toEqual([])
})

it('finds the same whether what is referred to is little or much', async () => {
  const { datatype_id: author } = await make.datatype('Author', { type: '_global', is_public: true })
  await make.field(author, 'Name', 'text', { translatable: true })
  await make.field(author, 'Age', 'number')
  // More than the service finds by their ids.
  const many = 1010
  const children = Array.from({ length: many }, (_, i) => ({
    ...published,
    datatype_id: author,
    fields: { name: `Ann ${i}`, age: String(i) },
  }))
  const { route_id } = await make.route('/authors', 'Authors')
  const root = await make.entry(
    author,
    { route_id },
    { ...published, fields: { name: 'Zoe', age: '2000' }, children },
  )
  const ids: string[] = root.children.map((one: { content_data_id: string }) => one.content_data_id)
  const { datatype_id: book } = await make.datatype('Book', { type: '_global', is_public: true })
  await make.field(book, 'By', 'relation')
  const bookOf = async (by: string) =>
    (await make.entry(book, {}, { ...published, fields: by ? { by } : {} })).content_data_id as string
  const [zoes, first, last, none] = [
    await bookOf(root.content_data_id),
    await bookOf(ids[0] ?? ''),
    await bookOf(ids.at(-1) ?? ''),
    await bookOf(''),
  ]
  const found = async (filter: string) => {
    const { body, status } = await app.call('GET', `/api/v1/query/book?count=true&${filter}`, {
      as: 'nobody',
    })
    expect([filter, status]).toEqual([filter, 200])
    const shown = body.data.map(({ id }: { id: string }) => id)
    expect([filter, body.meta.count]).toEqual([filter, shown.length])
    return shown
  }
  // Few entries pass the first of each pair, many the second.
  for (const [filter, expected] of [
    ['filter[by.name][eq]=Ann 0', [first]],
    ['filter[by.name][starts]=Ann', [first, last]],
    ['filter[by.age][gte]=1009', [zoes, last]],
    ['filter[by.age][lt]=1010', [first, last]],
    ['filter[by.name][ne]=Ann 0', [zoes, last, none]],
    ['filter[by.age][ne]=-1', [zoes, first, last, none]],
    ['filter[by.name][contains]=nn 1009', [last]],
    ['filter[by.name][contains]=nn', [first, last]],
    ['filter[by.name][exists]=true', [zoes, first, last]],
    ['filter[by.name][exists]=false', [none]],
    ['filter[by.slug][eq]=/authors', [zoes]],
    ['filter[by.slug][starts]=/auth', [zoes]],
    [`filter[by.id][in]=${ids[0]},${zoes}`, [first]],
    ['filter[or][0][by.name][eq]=Zoe&filter[or][1][by.age][eq]=0', [zoes, first]],
    ['filter[and][0][by.name][starts]=Ann&filter[and][1][by.age][gt]=500', [last]],
    ['filter[by.name][eq]=Nobody', []],
  ] as const)
    expect([filter, await found(`sort=id&${filter}`)]).toEqual([filter, expected])

  const list = vi.spyOn(QueryStatements.prototype, 'list')
  const begunWith = async (filter: string) => {
    await found(filter)
    return list.mock.lastCall?.[0].source?.shape
  }
  expect(await begunWith('filter[by.name][eq]=Ann 1')).toMatchObject({ at: 'field', op: 'in', count: 1 })
  expect(await begunWith('filter[by.age][lt]=3')).toMatchObject({ at: 'field', op: 'in', count: 4 })
  expect(await begunWith('filter[by.name][starts]=An')).toBeUndefined()
  expect(await begunWith('filter[slug][eq]=/books')).toMatchObject({ at: 'column', column: 'slug' })
  const beginning = { at: 'column', column: 'slug', op: 'starts' }
  expect(await begunWith('filter[slug][starts]=/books/')).toMatchObject(beginning)
  expect(await begunWith('filter[slug][under]=/books')).toMatchObject(beginning)
  list.mockRestore()
})

it('finds a text in short values and at the end of long ones', async () => {
  const { datatype_id } = await make.datatype('Text', { type: '_global', is_public: true })
  await make.field(datatype_id, 'Words', 'textarea', { translatable: true })
  const texts = [
    'a needle',
    `${'🪡'.repeat(190)}needle`,
    `${'x'.repeat(400)}needle 🪡`,
    'x'.repeat(191),
    'nee',
  ]
  const ids: string[] = []
  for (const words of texts)
    ids.push((await make.entry(datatype_id, {}, { ...published, fields: { words } })).content_data_id)
  const containing = vi.spyOn(QueryStatements.prototype, 'containing')
  const found = async (text: string) => {
    const query = new URLSearchParams({ 'filter[words][contains]': text, sort: 'id' })
    const { body } = await app.call('GET', `/api/v1/query/text?${query}`, { as: 'nobody' })
    return body.data.map(({ id }: { id: string }) => ids.indexOf(id))
  }
  expect(await found('needle')).toEqual([0, 1, 2])
  expect(await found('needle 🪡')).toEqual([2])
  expect(await found('🪡')).toEqual([1, 2])
  expect(await found('xx')).toEqual([2, 3])
  expect(await found('Needle')).toEqual([])
  expect(containing).toHaveBeenCalledTimes(5)
  containing.mockRestore()
})
