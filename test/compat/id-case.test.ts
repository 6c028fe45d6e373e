import { expect, it } from 'vitest'
import { blog } from './sample.js'

const { app, posts, ann, picture } = await blog()
const { call } = app
const [first] = posts
const post = first?.content_data_id ?? ''
const lower = (id: string) => id.toLowerCase()

/** Addresses with an id, each as clients of its system ask. */
const addresses: readonly [string, (id: (stored: string) => string) => string][] = [
  ['an entry', id => `/contentful/spaces/s/entries/${id(post)}`],
  ['an asset', id => `/contentful/spaces/s/assets/${id(picture.media_id)}`],
  ['sys.id', id => `/contentful/spaces/s/entries?sys.id=${id(post)}`],
  ['sys.id[in]', id => `/contentful/spaces/s/entries?sys.id[in]=${id(post)},${id(ann.content_data_id)}`],
  ['sys.id of a type', id => `/contentful/spaces/s/entries?content_type=post&sys.id=${id(post)}`],
  [
    'a link',
    id => `/contentful/spaces/s/entries?content_type=post&links_to_entry=${id(ann.content_data_id)}`,
  ],
  [
    'a relation',
    id => `/contentful/spaces/s/entries?content_type=post&fields.author.sys.id=${id(ann.content_data_id)}`,
  ],
  ['a document', id => `/sanity/v2021-10-21/data/doc/production/${id(post)},${id(ann.content_data_id)}`],
  ['documentId', id => `/strapi/api/posts/${id(post)}`],
  ['a filter', id => `/strapi/api/posts?filters[documentId][$eq]=${id(post)}`],
  ['an author', id => `/strapi/api/posts?filters[author][documentId][$in][0]=${id(ann.content_data_id)}`],
]

it.each(addresses)(
  'an id in lower case names its record in addresses of other systems: %s',
  async (_, at) => {
    const [stored, asked] = [
      await call('GET', `/compat${at(id => id)}`, { as: 'nobody' }),
      await call('GET', `/compat${at(lower)}`, { as: 'nobody' }),
    ]
    expect([stored.status, stored.text.length > 200]).toEqual([200, true])
    expect([asked.status, asked.text]).toEqual([200, stored.text])
  },
)

it('an id in lower case names its picture', async () => {
  const at = `/compat/contentful/images/${lower(picture.media_id)}/bike.jpg`
  expect((await call('GET', at, { as: 'nobody' })).status).toBe(302)
})
