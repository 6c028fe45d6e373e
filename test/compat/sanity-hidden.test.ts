import { expect, it } from 'vitest'
import { blog } from './sample.js'

const site = await blog()
const { app, make, types, hidden, posts } = site
const { call } = app
await make.field(types.post.datatype_id, 'Hint', 'relation', { data: { target: 'secret' } })
await call('PUT', `/api/v1/content?q=${posts[0]?.content_data_id}`, {
  body: { fields: { hint: hidden.content_data_id } },
})

const ask = async (query: string, as: 'nobody' | 'key') => {
  const path = `/compat/sanity/v1/data/query/site?query=${encodeURIComponent(query)}`
  const { status, body } = await call('GET', path, { as })
  return status === 200 ? body.result : [status, body.error?.description ?? body]
}

it.each([
  '*[_type == "post" && lower(hint->title) == "hidden"].title',
  '*[_type == "post" && defined(hint) && "x" + hint->title == "xHidden"].title',
  '*[_type == "post" && defined(hint)] | order(lower(hint->title)) .title',
  '*[_type == "post" && defined(hint)] | score(hint->title match "hidden") .title',
])('refuses to look into what is not listed for the caller: %s', async query => {
  expect(await ask(query, 'nobody')).toEqual([
    400,
    '-> in a filter or an order could reach secret, whose entries cannot be listed',
  ])
  expect(await ask(query, 'key')).toEqual(['Post 1'])
})
