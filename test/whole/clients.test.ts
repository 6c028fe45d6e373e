import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient as createSanity } from '@sanity/client'
import imageUrlBuilder from '@sanity/image-url'
import { type FileResponse, strapi } from '@strapi/client'
import { type Asset, createClient as createContentful, type Entry, type EntrySkeletonType } from 'contentful'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WPAPI from 'wpapi'
import { testApp } from '../support/app.js'
import { picture, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

/**
 * The official clients of the four systems, unmodified, get our page where they ask for theirs and find links,
 * pictures and children in it.
 */
const storage = await testStorage({ readable: true })
const app = await testApp({ ...storage.config, client_site: 'https://site.example' })
const upload = uploader(app)
const post = async (path: string, body: unknown) => (await app.call('POST', `/api/v1${path}`, { body })).body

const bodies = new Map<string, string>()
const asked: string[] = []
const server = createServer((request, response) => {
  const path = (request.url ?? '').split('?', 1)[0] ?? ''
  asked.push(path)
  response.setHeader('Content-Type', 'application/json')
  const body = bodies.get(path)
  if (body === undefined) response.statusCode = 404
  response.end(body ?? '{}')
})
let host = ''
let cat: { media_id: string; numeric_id: number; url: string }

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const page = await post('/datatypes', { label: 'Page', type: 'content' })
  const hero = await post('/datatypes', { label: 'Hero', type: 'content' })
  const field = (parent: { datatype_id: string }, label: string, field_type: string, data = {}) =>
    post('/fields', { parent_id: parent.datatype_id, label, field_type, data })
  await field(page, 'Cover', 'media')
  await field(page, 'Next', 'relation')
  await field(hero, 'Headline', 'text')
  await field(hero, 'Pictures', 'media', { cardinality: 'many' })
  const bytes = await picture(1000, 800).jpeg().toBuffer()
  cat = (await upload('cat.jpg', bytes, { fields: { alt_text: 'A cat', focal_x: '25', focal_y: '75' } })).body
  const dog = (await upload('dog.png', await picture(200, 200).png().toBuffer())).body
  const manual = (await upload('manual.pdf', '%PDF-1.7\n')).body
  const entry = async (
    datatype: { datatype_id: string },
    place: object,
    fields: object,
    status = 'published',
  ) =>
    (await post('/content', { ...place, datatype_id: datatype.datatype_id, status, fields })).content_data_id
  const about = await post('/routes', { slug: '/about', title: 'About' })
  const other = await entry(page, { route_id: about.route_id }, { cover: manual.media_id })
  const home = await post('/routes', { slug: '/', title: 'Home' })
  const root = await entry(page, { route_id: home.route_id }, { cover: cat.media_id, next: other })
  const pictures = JSON.stringify([dog.media_id, cat.media_id])
  await entry(hero, { parent_id: root }, { headline: 'Hi', pictures })
  await entry(hero, { parent_id: root }, { headline: 'Draft' }, 'draft')

  const show = async (format: string) => (await app.call('GET', `/?format=${format}`, { as: 'nobody' })).text
  bodies.set('/spaces/site/environments/master/entries', await show('contentful'))
  bodies.set('/v2025-02-19/data/query/production', `{"ms":1,"result":${await show('sanity')}}`)
  bodies.set('/api/home', await show('strapi'))
  bodies.set('/wp-json/wp/v2/pages', `[${await show('wordpress')}]`)
})
afterAll(() => new Promise(resolve => server.close(resolve)))

/** An address of ours gives the bytes of a picture. */
async function loads(url: string): Promise<void> {
  const answer = await fetch(url)
  expect([url, answer.status, answer.headers.get('content-type')]).toEqual([
    url,
    200,
    expect.stringMatching(/^image\//),
  ])
}

describe('the official client of', () => {
  it('Contentful resolves children, relations and assets', async () => {
    interface Hero extends EntrySkeletonType {
      contentTypeId: 'hero'
      fields: { headline: string; pictures: Asset[] }
    }
    interface Page extends EntrySkeletonType {
      contentTypeId: 'page'
      fields: { title: string; cover: Asset; next: Entry; children: Entry<Hero>[] }
    }
    const client = createContentful({ space: 'site', accessToken: 'key', host, insecure: true })
    const { items, total } = await client.withoutUnresolvableLinks.getEntries<Page>()
    const [home] = items
    const fields = home?.fields as unknown as {
      title: string
      cover: Asset<'WITHOUT_UNRESOLVABLE_LINKS'>
      next: { fields: { title: string; cover: Asset<'WITHOUT_UNRESOLVABLE_LINKS'> } }
      children: { fields: { headline: string; pictures: Asset<'WITHOUT_UNRESOLVABLE_LINKS'>[] } }[]
    }
    expect([total, items.length, home?.sys.contentType.sys.id, fields.title]).toEqual([1, 1, 'page', 'Home'])
    expect(fields.cover.sys.type).toBe('Asset')
    expect(fields.cover.fields).toMatchObject({
      title: 'cat.jpg',
      description: 'A cat',
      file: {
        url: cat.url,
        contentType: 'image/jpeg',
        fileName: 'cat.jpg',
        details: { image: { width: 1000, height: 800 } },
      },
    })
    await loads(fields.cover.fields.file?.url ?? '')
    expect(fields.next.fields.title).toBe('About')
    expect(fields.next.fields.cover.fields.file?.contentType).toBe('application/pdf')
    expect(fields.children).toHaveLength(1)
    expect(fields.children[0]?.fields.headline).toBe('Hi')
    expect(fields.children[0]?.fields.pictures.map(({ fields }) => fields.title)).toEqual([
      'dog.png',
      'cat.jpg',
    ])
  })

  it('Sanity reads the document, and its image library the references', async () => {
    const client = createSanity({
      projectId: 'site',
      dataset: 'production',
      apiVersion: '2025-02-19',
      apiHost: `http://${host}`,
      useProjectHostname: false,
      useCdn: false,
    })
    const home = await client.fetch('*[slug.current == $slug][0]', { slug: '/' })
    expect([home._type, home.title, home.slug.current]).toEqual(['page', 'Home', '/'])
    const [child] = home.children
    expect([home.children.length, child._type, child.headline]).toEqual([1, 'hero', 'Hi'])
    expect(child.pictures.map(({ _key }: { _key: string }) => typeof _key)).toEqual(['string', 'string'])
    expect(home.cover).toMatchObject({ _type: 'image', alt: 'A cat', hotspot: { x: 0.25, y: 0.75 } })
    const images = imageUrlBuilder({ projectId: 'site', dataset: 'production' })
    // The library refuses a reference that it cannot take apart, and crops around the hotspot.
    const url = new URL(images.image(home.cover).width(400).height(400).url())
    // Its ids are hexadecimal.
    expect(url.pathname).toMatch(/^\/images\/site\/production\/[0-9a-f]+-1000x800\.jpg$/)
    expect(url.searchParams.get('rect')).toBe('0,0,800,800')
    for (const one of child.pictures) expect(images.image(one).url()).toMatch(/-\d+x\d+\.(png|jpg)$/)
    await loads(home.cover.url)
  })

  it('Strapi reads the document with its files and formats', async () => {
    const client = strapi({ baseURL: `http://${host}/api` })
    const { data } = await client.single('home').find()
    expect([data.title, data.slug, typeof data.id]).toEqual(['Home', '/', 'number'])
    const cover: FileResponse = data.cover
    const { createdAt, updatedAt, ...file } = cover
    expect(Object.values({ createdAt, updatedAt }).every(time => !Number.isNaN(Date.parse(time)))).toBe(true)
    expect(file).toMatchObject({
      id: cat.numeric_id,
      documentId: cat.media_id,
      name: 'cat.jpg',
      alternativeText: 'A cat',
      caption: null,
      width: 1000,
      height: 800,
      hash: cat.media_id,
      ext: '.jpg',
      mime: 'image/jpeg',
      provider: 'slugline',
      previewUrl: null,
    })
    expect(Object.keys(cover.formats)).toEqual(['thumbnail', 'small'])
    expect(cover.formats.small).toMatchObject({ width: 640, height: 512, ext: '.jpg', mime: 'image/jpeg' })
    await loads(cover.url)
    await loads(cover.formats.small.url)
    expect(data.next).toMatchObject({ title: 'About', slug: '/about' })
    expect(data.children).toHaveLength(1)
    expect(data.children[0]).toMatchObject({ __component: 'blocks.hero', headline: 'Hi' })
    expect(data.children[0].pictures.map(({ name }: FileResponse) => name)).toEqual(['dog.png', 'cat.jpg'])
  })

  it('WordPress reads the page with its featured image and sizes', async () => {
    const client = new WPAPI({ endpoint: `http://${host}/wp-json` })
    const [page] = await client.pages().slug('home').embed()
    expect(page).toMatchObject({
      slug: 'home',
      status: 'publish',
      type: 'page',
      title: { rendered: 'Home' },
      featured_media: cat.numeric_id,
      link: 'https://site.example/',
    })
    const [featured] = page._embedded['wp:featuredmedia']
    expect(featured).toMatchObject({
      id: cat.numeric_id,
      type: 'attachment',
      media_type: 'image',
      mime_type: 'image/jpeg',
      alt_text: 'A cat',
      source_url: cat.url,
      media_details: {
        width: 1000,
        height: 800,
        sizes: {
          thumbnail: { width: 300, height: 300, mime_type: 'image/jpeg' },
          full: { source_url: cat.url },
        },
      },
    })
    await loads(featured.media_details.sizes.small.source_url)
    expect(page._links['wp:featuredmedia'][0].embeddable).toBe(true)
    expect(page.acf.children).toHaveLength(1)
    expect(page.acf.children[0]).toMatchObject({ type: 'hero', headline: 'Hi' })
    expect(page.acf.children[0].pictures.map(({ slug }: { slug: string }) => slug)).toEqual(['dog', 'cat'])
    expect(page.content.rendered).toContain('<p>Hi</p>')
  })
})

it('was asked for nothing but what was said', () => {
  expect(new Set(asked)).toEqual(new Set(bodies.keys()))
})
