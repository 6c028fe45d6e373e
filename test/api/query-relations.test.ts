import { expect, it } from 'vitest'
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
