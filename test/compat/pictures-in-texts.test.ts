import { createClient as sanityClient } from '@sanity/client'
import { createClient as contentfulClient } from 'contentful'
import { expect, it } from 'vitest'
import { hexOf } from '../../src/systems/sanity/write/media.js'
import { blog, editorKey, reached } from './sample.js'

const { app, make, picture, types } = await blog()
const origin = await reached(app)
const address = `https://files.example/media/${picture.media_id}/bike.jpg`
const body = `<h2>Bicycles</h2><p>Look: <img src="${address}" alt="Here"> there</p><ul><li><img src='${address}'></li></ul>
  <p><img src="https://elsewhere.example/x.png"></p><p><a href="${address}">a file</a></p>`
const { route_id } = await make.route('/pictures', 'Pictures')
const { content_data_id: id } = await make.entry(
  types.post.datatype_id,
  { route_id },
  { status: 'published', fields: { body } },
)
const contentful = contentfulClient({
  ...{ space: 'site', host: origin.slice('http://'.length), insecure: true },
  ...{ accessToken: editorKey, basePath: '/compat/contentful' },
})
const sanity = sanityClient({
  ...{ apiHost: `${origin}/compat/sanity`, useProjectHostname: false, useCdn: false },
  ...{ projectId: 'site', dataset: 'production', apiVersion: '2025-02-19' },
})

it('are embedded assets in Contentful, resolved by its client', async () => {
  const { fields } = await contentful.getEntry(id)
  const { content } = fields.body as unknown as { content: Record<string, unknown>[] }
  const embedded = {
    nodeType: 'embedded-asset-block',
    content: [],
    data: { target: { sys: { id: picture.media_id, type: 'Asset' }, fields: { title: 'bike.jpg' } } },
  }
  expect(content.map(({ nodeType }) => nodeType)).toEqual([
    ...['heading-2', 'paragraph', 'embedded-asset-block', 'unordered-list', 'paragraph', 'paragraph'],
  ])
  expect(content[2]).toMatchObject(embedded)
  expect(content[3]).toMatchObject({ content: [{ nodeType: 'list-item', content: [embedded] }] })
})

it('are images in the Portable Text of Sanity, which lead to their assets', async () => {
  const blocks = await sanity.fetch(
    '*[_id == $id][0].body[]{_type, alt, "url": asset->url, "text": pt::text(@)}',
    {
      id,
    },
  )
  const url = `${origin}/compat/sanity/images/site/production/${hexOf(picture.media_id)}-2400x1600.jpg`
  expect(blocks).toEqual([
    { _type: 'block', alt: null, url: null, text: 'Bicycles' },
    { _type: 'block', alt: null, url: null, text: 'Look:  there' },
    { _type: 'image', alt: 'Here', url, text: null },
    { _type: 'image', alt: 'A bicycle', url, text: null },
    { _type: 'block', alt: null, url: null, text: '' },
    { _type: 'block', alt: null, url: null, text: 'a file' },
  ])
  const whole = await sanity.getDocument(id)
  expect(new Set(whole?.body.map(({ _key }: { _key: string }) => _key)).size).toBe(6)
  app.clock.advance(1000)
  await app.call('PUT', `/api/v1/media?q=${picture.media_id}`, { body: { alt_text: 'Another' } })
  const changed = await sanity.getDocument(id)
  expect(changed?.body[3]).toMatchObject({ _type: 'image', alt: 'Another' })
  expect(changed?._rev).not.toBe(whole?._rev)
})

it('are the same in the formats of pages', async () => {
  const page = async (format: string) =>
    (await app.call('GET', `/pictures?format=${format}`, { as: 'nobody' })).body
  const { items, includes } = await page('contentful')
  expect(items[0].fields.body.content[2].data).toEqual({
    target: { sys: { type: 'Link', linkType: 'Asset', id: picture.media_id } },
  })
  expect(includes.Asset.map(({ sys }: { sys: { id: string } }) => sys.id)).toEqual([picture.media_id])
  expect((await page('sanity')).body[2]).toMatchObject({ _type: 'image', alt: 'Here' })
})
