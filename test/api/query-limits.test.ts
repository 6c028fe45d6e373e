import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call } = app
const make = factories(app)
const published = { status: 'published' }
const ask = (datatype: string, query: string) =>
  call('GET', `/api/v1/query/${datatype}?${query}`, { as: 'nobody' })

/** A datatype whose `n` entries all refer to all of them, by each of the relations. */
async function ring(name: string, n: number, relations: readonly string[]): Promise<string[]> {
  const { datatype_id } = await make.datatype(name, { type: '_global', visibility: 'public' })
  for (const label of relations)
    await make.field(datatype_id, label, 'relation', { data: { cardinality: 'many' } })
  const ids: string[] = []
  for (let i = 0; i < n; i++) ids.push((await make.entry(datatype_id, {}, published)).content_data_id)
  const fields = Object.fromEntries(relations.map(label => [label, ids]))
  for (const id of ids)
    expect((await call('PUT', `/api/v1/content?q=${id}`, { body: { fields } })).status).toBe(200)
  return ids
}

const refusal = (member: string, most: string) => ({
  status: 400,
  member,
  error: `${member}: the response would have more than ${most}: narrow the request`,
})
const told = ({ status, body: { member, error } }: Awaited<ReturnType<typeof ask>>) => ({
  status,
  member,
  error,
})

describe('few entries that refer to each other', () => {
  it('are written as often as they are referred to, up to a limit', async () => {
    const ids = await ring('Small', 9, ['next'])
    const answer = await ask('small', 'expand=next.next')
    expect(answer.status).toBe(200)
    expect(answer.body.data).toHaveLength(9)
    type Entry = { id: string; fields: { next: Entry[] } }
    const written = (entries: Entry[]): number =>
      entries.reduce((sum, { fields }) => sum + 1 + (fields ? written(fields.next) : 0), 0)
    expect(written(answer.body.data)).toBe(9 + 9 ** 2 + 9 ** 3 + 9 ** 4)
    expect(told(await ask('small', 'expand=next.next.next'))).toEqual(refusal('expand', '5000 entries'))
    expect((await ask(`small/${ids[0]}`, 'expand=next.next.next')).status).toBe(200)
  })

  it('are named up to a limit', async () => {
    const [first] = await ring('Large', 38, ['next'])
    expect(told(await ask('large', 'limit=100&expand=next'))).toEqual(refusal('expand', '50000 references'))
    expect((await ask('large', 'limit=30&expand=next')).status).toBe(200)
    expect((await ask('large', 'limit=100')).status).toBe(200)
    expect((await ask(`large/${first}`, 'expand=next')).status).toBe(200)
  })
})

it('children are as many as may be, and no more', async () => {
  const branch = await make.datatype('Branch', { type: '_global', visibility: 'public' })
  const leaf = await make.datatype('Leaf')
  const tree = (n: number) => {
    const children = Array.from({ length: n }, () => ({ datatype_id: leaf.datatype_id, ...published }))
    return make.entry(branch.datatype_id, {}, { ...published, children })
  }
  const { content_data_id } = await tree(2500)
  await tree(2498)
  const one = await ask(`branch/${content_data_id}`, 'children=2')
  expect(one.body.data.children).toHaveLength(2500)
  const both = await ask('branch', 'children=1')
  expect(both.status).toBe(200)
  await tree(0)
  expect(told(await ask('branch', 'children=1'))).toEqual(refusal('children', '5000 entries'))
})

it('long values are counted', async () => {
  const type = await make.datatype('Book', { type: '_global', visibility: 'public' })
  await make.field(type.datatype_id, 'Text', 'textarea')
  const text = 'x'.repeat(800_000)
  for (let i = 0; i < 21; i++) await make.entry(type.datatype_id, {}, { ...published, fields: { text } })
  expect((await ask('book', 'limit=19')).body.data).toHaveLength(19)
  expect(told(await ask('book', ''))).toEqual(refusal('limit', '16000000 characters'))
})

it('a value that is compared with has at most 1,000 characters, also one of a list and one relation away', async () => {
  const author = await make.datatype('Poet', { type: '_global', visibility: 'public' })
  const poem = await make.datatype('Poem', { type: '_global', visibility: 'public' })
  await make.field(author.datatype_id, 'Name', 'text')
  await make.field(poem.datatype_id, 'By', 'relation', { data: { target: 'poet' } })
  await make.field(poem.datatype_id, 'Line', 'text')
  const short = 'x'.repeat(1000)
  for (const parameter of [
    'filter[line]',
    'filter[line][ne]',
    'filter[line][starts]',
    'filter[title]',
    'filter[title][in]',
    'filter[slug][under]',
    'filter[or][0][line]',
    'filter[by.name]',
  ]) {
    const list = parameter.endsWith('[in]') ? 'a,' : ''
    expect((await ask('poem', `${parameter}=${list}${short}`)).status).toBe(200)
    expect(told(await ask('poem', `${parameter}=${list}${short}x`))).toEqual({
      status: 400,
      member: parameter,
      error: `${parameter}: must have at most 1000 characters`,
    })
  }
})

it('a datatype that is not there is named by what was most likely meant, to who may read it', async () => {
  await make.datatype('Recipe', { type: '_global' })
  const asked = async (as: 'viewer' | 'nobody', name: string) => {
    const { status, body } = await call('GET', `/api/v1/query/${name}`, { as })
    return [status, body.error]
  }
  expect(await asked('viewer', 'recipes')).toEqual([404, 'unknown datatype: did you mean recipe?'])
  expect(await asked('viewer', 'elephant')).toEqual([404, 'unknown datatype'])
  const [status, words] = await asked('nobody', 'recipes')
  expect(status).toBe(403)
  expect(words).not.toContain('recipe?')
})
