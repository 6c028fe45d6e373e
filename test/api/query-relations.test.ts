import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const make = factories(app)
const published = { status: 'published' }

it('finds by a field of what an entry refers to, where several datatypes have a field of that name', async () => {
  const named = async (label: string, value: string) => {
    const { datatype_id } = await make.datatype(label, { type: '_global', visibility: 'public' })
    await make.field(datatype_id, 'Name', 'text')
    return make.entry(datatype_id, {}, { ...published, fields: { name: value } })
  }
  const [person, company] = [await named('Person', 'Zoe'), await named('Company', 'Acme')]
  const { datatype_id } = await make.datatype('Post', { type: '_global', visibility: 'public' })
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
  const { datatype_id: author } = await make.datatype('Author', { type: '_global', visibility: 'public' })
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
  const { datatype_id: book } = await make.datatype('Book', { type: '_global', visibility: 'public' })
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
})

it('finds a text in short values and at the end of long ones', async () => {
  const { datatype_id } = await make.datatype('Text', { type: '_global', visibility: 'public' })
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
})

it('begins with the routes that pass a condition on slug or title, where they are few', async () => {
  const { datatype_id } = await make.datatype('Page', { visibility: 'public' })
  const linking = await make.datatype('Link', { type: '_global', visibility: 'public' })
  await make.field(linking.datatype_id, 'To', 'relation')
  // More than a statement begins with.
  const many = 210
  const author_id = app.users.admin
  const ids = await app.db.write({ ...systemActor, userId: author_id }, async tx => {
    const rows = Array.from({ length: many }, (_, n) => ({
      title: n === 7 ? '100% needle 🪡' : n === 8 ? 'Needle' : `Common ${n}`,
      content_data_id: tx.newId(),
      route_id: tx.newId(),
    }))
    const routes = rows.map(({ route_id, title }, n) => ({
      route_id,
      slug: `/haystack/${n}`,
      title,
      author_id,
    }))
    await tx.insertAll(tables.routes, routes)
    for (const { content_data_id } of rows) await tx.createTree(tables.contentTrees, content_data_id)
    const published_at = '2026-01-01T00:00:00.000Z'
    const entries = rows.map(({ content_data_id, route_id }) => ({
      ...{ content_data_id, root_id: content_data_id, route_id, datatype_id, author_id, published_at },
      ...published,
    }))
    await tx.insertAll(tables.contentData, entries)
    return rows.map(row => row.content_data_id)
  })
  const both = { 'filter[title][contains]': 'needle', 'filter[title][starts]': 'Need' }
  await make.entry(datatype_id, { route_id: (await make.route('/draft', 'A needle')).route_id }, {})
  const fields = { to: ids[7] }
  const link = await make.entry(linking.datatype_id, {}, { ...published, fields })
  const found = async (type: string, conditions: Record<string, string>) => {
    const query = new URLSearchParams({ ...conditions, sort: 'id', limit: '200' })
    const { body } = await app.call('GET', `/api/v1/query/${type}?${query}`, { as: 'nobody' })
    return body.data.map(({ id }: { id: string }) => ids.indexOf(id))
  }
  expect(await found('page', { 'filter[title][contains]': 'needle' })).toEqual([7])
  expect(await found('page', { 'filter[title][contains]': '🪡' })).toEqual([7])
  expect(await found('page', { 'filter[title][contains]': '%' })).toEqual([7])
  expect(await found('page', { 'filter[title][contains]': 'nothing such' })).toEqual([])
  expect(await found('page', both)).toEqual([])
  expect(await found('page', { 'filter[slug][contains]': 'haystack/20' })).toEqual([
    20, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209,
  ])
  for (const [operator, text] of Object.entries({
    eq: 'Needle',
    in: 'Needle,',
    starts: 'Need',
    gt: 'Common 99',
  })) {
    expect([operator, await found('page', { [`filter[title][${operator}]`]: text })]).toEqual([operator, [8]])
  }
  expect(await found('page', { 'filter[title][lt]': 'Common' })).toEqual([7])
  expect(await found('page', { 'filter[or][0][title][eq]': 'Needle' })).toEqual([8])
  expect(await found('page', { 'filter[title][contains]': 'Common' })).toHaveLength(200)
  const { body } = await app.call('GET', '/api/v1/query/link?filter[to.title][contains]=needle', {
    as: 'nobody',
  })
  expect(body.data).toMatchObject([{ id: link.content_data_id }])
})

it('begins with the entries of a time, where they are few', async () => {
  const { datatype_id } = await make.datatype('Report', { type: '_global', visibility: 'public' })
  const { field_id } = await make.field(datatype_id, 'Rank', 'number')
  const author_id = app.users.admin
  const [before, within] = [1010, 5]
  const total = 2 * before + within
  const day = (n: number) => (n < before ? '2024-05-01' : n < before + within ? '2025-05-01' : '2026-05-01')
  const ids = await app.db.write({ ...systemActor, userId: author_id }, async tx => {
    const made = Array.from({ length: total }, () => tx.newId())
    for (const id of made) await tx.createTree(tables.contentTrees, id)
    const rows = made.map((content_data_id, n) => ({
      ...{ content_data_id, root_id: content_data_id, datatype_id, author_id, ...published },
      published_at: `${day(n)}T00:00:00.000Z`,
    }))
    await tx.insertAll(tables.contentData, rows)
    const values = made.map((content_data_id, n) => ({
      ...{ content_data_id, field_id, author_id },
      field_value: String(total - n),
    }))
    await tx.insertAll(tables.contentFields, values)
    return made
  })
  const found = async (conditions: Record<string, string>) => {
    const query = new URLSearchParams({ ...conditions, sort: 'rank', count: 'true', limit: '9' })
    const { body } = await app.call('GET', `/api/v1/query/report?${query}`, { as: 'nobody' })
    return [body.meta.count, ...body.data.map(({ id }: { id: string }) => ids.indexOf(id))]
  }
  const [from, to] = ['filter[published_at][gte]', 'filter[published_at][lt]']
  const middle = [5, 1014, 1013, 1012, 1011, 1010]
  expect(await found({ [from]: '2025-01-01T00:00:00Z', [to]: '2026-01-01T00:00:00Z' })).toEqual(middle)
  const narrow = { [from]: '2025-05-01T00:00:00Z', 'filter[published_at][lte]': '2025-05-01T00:00:00Z' }
  expect(await found({ ...narrow, 'filter[rank][gt]': '1011' })).toEqual([4, ...middle.slice(2)])
  expect(await found({ 'filter[published_at][in]': '2025-05-01T00:00:00Z,2020-01-01T00:00:00Z' })).toEqual(
    middle,
  )
  expect(await found({ [from]: '2025-05-01T02:00:00+02:00', [to]: '2025-05-01T00:00:00.001Z' })).toEqual(
    middle,
  )
  expect(await found({ [from]: '2025-05-01', [to]: '2025-06' })).toEqual(middle)
  expect(await found({ 'filter[published_at][starts]': '2025-05' })).toEqual(middle)
  const first = ids[0] ?? ''
  expect(await found({ 'filter[id][starts]': first })).toEqual([1, 0])
  expect(
    await found({ 'filter[id][starts]': first.slice(0, 2), [from]: '2025-05', [to]: '2025-06' }),
  ).toEqual(middle)
  expect(await found({ [from]: '2027-01-01T00:00:00Z' })).toEqual([0])
  expect((await found({ [from]: '2026-01-01T00:00:00Z' }))[0]).toBe(before)
})

it('a filter by the id of a draft does not tell whether a published entry refers to it', async () => {
  const global = { type: '_global', visibility: 'public' }
  const { datatype_id: person } = await make.datatype('Person', global)
  const { datatype_id: letter } = await make.datatype('Letter', global)
  await make.field(letter, 'Title', 'text')
  await make.field(letter, 'From', 'relation')
  await make.field(letter, 'Copies', 'relation', { data: { cardinality: 'many' } })
  const [draft, known] = [
    (await make.entry(person, {}, { status: 'draft' })).content_data_id,
    (await make.entry(person, {}, { status: 'published' })).content_data_id,
  ]
  const write = (title: string, fields: object) =>
    make.entry(letter, {}, { status: 'published', fields: { title, ...fields } })
  await write('of a draft', { from: draft, copies: JSON.stringify([draft]) })
  await write('of both', { from: known, copies: JSON.stringify([draft, known]) })
  const titles = async (search: string) => {
    const { status, body } = await app.call('GET', `/api/v1/query/letter?sort=title&${search}`, {
      as: 'nobody',
    })
    return [status, ...body.data.map(({ fields }: { fields: { title: string } }) => fields.title)]
  }
  for (const [search, ...found] of [
    [`filter[from]=${draft}`],
    [`filter[copies]=${draft}`],
    [`filter[from][in]=${draft},${known}`, 'of both'],
    [`filter[from][ne]=${draft}`, 'of a draft', 'of both'],
    ['filter[from][exists]=true', 'of both'],
    ['filter[copies][exists]=false', 'of a draft'],
    [`filter[or][0][from]=${draft}&filter[or][1][title]=none`],
    ['filter[from]=x'],
    ['filter[from]=%C3%A4'],
  ] as const)
    expect([search, ...(await titles(search))]).toEqual([search, 200, ...found])
  await app.call('POST', '/api/v1/content/publish', { body: { content_data_id: draft } })
  expect(await titles(`filter[from]=${draft}`)).toEqual([200, 'of a draft'])
})
