import { expect, it } from 'vitest'
import { blog } from './sample.js'

const idOfContentful = '2wKn6yEnZewu2SCCkus4as'
const { app, make, about } = await blog({
  compat: { page: { name: 'landing.page' }, card: { name: idOfContentful } },
})
const ask = async (path: string) => {
  const { status, body } = await app.call('GET', `/compat/${path}`, { as: 'key' })
  return status === 200 ? body : status
}
const groq = async (query: string) =>
  (await ask(`sanity/v2024-01-01/data/query/x?query=${encodeURIComponent(query)}`)).result
const environment = 'contentful/spaces/s/environments/master'

it('calls types in Contentful as the configuration does', async () => {
  const pages = await ask(`${environment}/entries?content_type=landing.page&sys.id=${about.content_data_id}`)
  expect(pages.items[0].sys.contentType.sys.id).toBe('landing.page')
  expect(await ask(`${environment}/entries?content_type=page`)).toBe(404)
  expect((await ask(`${environment}/content_types/${idOfContentful}`)).sys.id).toBe(idOfContentful)
  expect(await ask(`${environment}/content_types/card`)).toBe(404)
  const { items } = await ask(`${environment}/content_types`)
  const ids = items.map(({ sys }: { sys: { id: string } }) => sys.id)
  expect(ids).toEqual(expect.arrayContaining(['landing.page', idOfContentful]))
  const synced = await ask(`${environment}/sync?initial=true&type=Entry&content_type=landing.page`)
  const types = synced.items.map((one: (typeof pages.items)[0]) => one.sys.contentType.sys.id)
  expect(new Set(types)).toEqual(new Set(['landing.page']))
})

it('names them in the rules of references', async () => {
  const story = await make.datatype('Story', { type: '_global', visibility: 'public' })
  await make.field(story.datatype_id, 'Place', 'relation', { data: { target: ['page', 'card'] } })
  const { fields } = await ask(`${environment}/content_types/story`)
  expect(fields[0]).toMatchObject({
    id: 'place',
    validations: [{ linkContentType: ['landing.page', idOfContentful] }],
  })
})

it('calls types in Sanity as the configuration does', async () => {
  const found = await groq('*[_type == "landing.page" && title == "About us"][0]{_type, children}')
  expect(found._type).toBe('landing.page')
  expect(found.children.map(({ _type }: { _type: string }) => _type)).toEqual([
    idOfContentful,
    idOfContentful,
  ])
  expect(await groq('*[_type == "page"]')).toEqual([])
  expect(await groq(`count(*[_type in ["${idOfContentful}", "landing.page"]]) > 0`)).toBe(true)
})

it('refuses names that no other system has', async () => {
  for (const name of ['', 'a b', '-a', 'a/b', 'ä', 'x'.repeat(256)])
    expect(
      (await app.call('PUT', '/api/v1/config', { as: 'admin', body: { compat: { page: { name } } } })).status,
    ).toBe(400)
})
