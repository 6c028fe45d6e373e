import { describe, expect, it } from 'vitest'
import { typeScriptOf } from '../../src/services/delivery/model-types.js'
import { testApp } from '../support/app.js'
import { compiled } from '../support/compiled.js'
import { engine } from '../support/database.js'
import { picture, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const field = (name: string, field_type: string, more: object = {}) => ({
  ...{ name, label: name, field_type, required: false, translatable: false, data: {} },
  ...more,
})
const datatype = (name: string, fields: ReturnType<typeof field>[] = []) => ({
  ...{ name, label: `A ${name}`, type: 'content', visibility: 'linked' },
  fields,
})

it('refuses who may not read datatypes', async () => {
  const { call } = await testApp()
  expect((await call('GET', '/api/v1/types.ts', { as: 'nobody' })).status).toBe(403)
  expect((await call('GET', '/api/v1/types.ts', { as: 'viewer' })).status).toBe(403)
  expect((await call('GET', '/api/v1/types.ts?x=1')).status).toBe(400)
})

it('has an ETag that lasts until the model changes', async () => {
  const { call } = await testApp()
  const first = await call('GET', '/api/v1/types.ts')
  expect(first.headers.get('content-type')).toBe('text/plain; charset=UTF-8')
  const headers = { 'If-None-Match': first.headers.get('etag') ?? '' }
  expect((await call('GET', '/api/v1/types.ts', { headers })).status).toBe(304)
  await call('POST', '/api/v1/datatypes', { body: { label: 'Page', type: 'content' } })
  expect((await call('GET', '/api/v1/types.ts', { headers })).status).toBe(200)
})

describe.runIf(engine === 'sqlite')('the types', () => {
  it('compile for names that are taken or equal, labels that end comments, and no datatype at all', async () => {
    const model = [
      datatype('media', [field('x', 'text', { label: 'Ends */ here' })]),
      datatype('Entry'),
      datatype('hero_image'),
      datatype('heroImage', [field('see', 'relation', { data: { target: ['hero_image', 'gone'] } })]),
      datatype('hero_image_fields'),
      datatype('array'),
    ]
    const types = typeScriptOf(model)
    expect(typeScriptOf(model.toReversed())).toBe(types)
    expect(types).toContain('see?: Reference<"hero_image"> | null')
    const program = `import type { AnyEntry, Datatypes, Json } from './types.js'
export const names: (keyof Datatypes)[] = ['media', 'Entry', 'hero_image', 'heroImage', 'hero_image_fields', 'array']
export const entries: AnyEntry[] = []
export const json: Json = { a: [1, null] }
`
    expect(await compiled(types, program)).toEqual([])
    expect(await compiled(typeScriptOf([]), 'export type { AnyEntry } from "./types.js"')).toEqual([])
  })

  it('are those of real answers, and refuse what answers never have', async () => {
    const app = await testApp((await testStorage()).config)
    const { call } = app
    const made = async (path: string, body: object) => {
      const answer = await call('POST', `/api/v1${path}`, { body })
      expect([answer.status, answer.body]).toEqual([201, expect.anything()])
      return answer.body
    }
    const type = (label: string) => made('/datatypes', { label, type: 'content', visibility: 'public' })
    const author = await type('Author')
    const post = await type('Blog post')
    const add = (parent: { datatype_id: string }, name: string, field_type: string, more: object = {}) =>
      made('/fields', { parent_id: parent.datatype_id, label: name, name, field_type, ...more })
    await add(author, 'name', 'text', { required: true })
    await add(post, 'title', 'text', { required: true })
    await add(post, 'price', 'number')
    await add(post, 'kind', 'select', { data: { options: ['short', { value: 'long', label: 'Long' }] } })
    await add(post, 'is_new', 'boolean')
    await add(post, 'more', 'json')
    await add(post, 'by', 'relation', { data: { target: 'author' } })
    await add(post, 'others', 'relation', { data: { target: 'author', cardinality: 'many' } })
    await add(post, 'picture', 'media')
    const { body: media } = await uploader(app)('a.png', await picture(40, 20).png().toBuffer())
    const zoe = await made('/pages', {
      ...{ slug: 'zoe', title: 'Zoe', datatype_id: author.datatype_id, status: 'published' },
      fields: { name: 'Zoe' },
    })
    const by = zoe.entry.content_data_id
    await made('/pages', {
      ...{ slug: 'first', title: 'First', datatype_id: post.datatype_id, status: 'published' },
      fields: {
        ...{ title: 'First', price: 2.5, kind: 'long', is_new: true, more: { a: [1] } },
        ...{ by, others: [by], picture: media.media_id },
      },
    })
    const answer = async (path: string) => (await call('GET', path)).text
    const list = await answer('/api/v1/query/blogPost')
    const program = `import type { BlogPost, EntryList, Expand } from './types.js'
export const page: BlogPost = ${await answer('/first?format=native')}
export const list: EntryList<BlogPost> = ${list}
export const expanded: EntryList<Expand<BlogPost, 'by' | 'others'>> = ${await answer('/api/v1/query/blogPost?expand=by,others')}
export const name: string | undefined = expanded.data[0]?.fields.by?.fields.name
export const names: string[] = expanded.data[0]?.fields.others?.map(({ fields }) => fields.name) ?? []
page.fields.kind = 'odd'
page.fields.price = 'text'
page.fields.by = { id: '', type: 'blogPost', slug: null, title: null }
page.fields.misspelt
list.data[0]!.fields.by!.fields
`
    expect(list).toContain('"price":2.5')
    expect(await compiled((await call('GET', '/api/v1/types.ts')).text, program)).toEqual([
      ...['program 7 TS2322', 'program 8 TS2322', 'program 9 TS2322', 'program 10 TS2339'],
      'program 11 TS2339',
    ])
  })
})
