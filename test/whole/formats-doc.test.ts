import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { formatNames } from '../../src/services/delivery/formats/index.js'
import { testApp } from '../support/app.js'

const { call, db, users } = await testApp({
  client_site: 'site.example',
  bucket_media: 'media',
  bucket_endpoint: 'http://127.0.0.1:9000',
  bucket_access_key: 'key',
  bucket_secret_key: 'secret',
  bucket_public_url: 'https://files.example',
})
const post = async (path: string, body: unknown) => (await call('POST', `/api/v1${path}`, { body })).body

/** The description of each format, before its example. */
const words: Record<(typeof formatNames)[number], string> = {
  native: `Slugline's own format. Every entry is \`{id, type, slug, title, locale, published_at, fields, children}\`.

- \`fields\` has the values by field name, as numbers, booleans or JSON. Dates and times are text. An empty value is \`null\`; a
  field that was never set is missing.
- A picture has its address, text, size and variants, each with the \`fit\` of its preset.
- A relation is \`{id, type, slug, title}\` of a published entry. \`expand=author,author.photo\` adds \`locale, published_at,
  fields\`. Only this format has \`expand\`: up to 20 paths and three levels, in every entry of the page, within [the limits of
  queries](query.md#limits).
- Rich text is HTML that is safe to insert.
- If an entry has no route, \`slug\` is the value of its slug field. \`title\` is the value of its field \`title\`, \`name\` or
  \`label\`, or of its first text field.

[Queries](query.md) return entries in the same format.`,
  clean: `Flat and simple: \`type\` is the datatype's name, and \`title\` and \`slug\` are the route's. Every other key is a field by its
name, and every value is text. \`children\` is nested, and missing for a child without children. The names \`type\`, \`title\`, \`slug\`
and \`children\` of fields get a \`_\` in front.`,
  raw: `Every column and id: the route, the datatypes, fields and media of the page, and its entries with their field values in tree order.`,
  contentful: `The array response of Contentful's Content Delivery API, with the page as its only item. Children and related entries are links
that \`includes\` resolves; \`contentful-resolve-response\` follows them. Children are included to any depth, relations one level deep.
Rich text is a document for Contentful's own renderers, with pictures as embedded assets. Empty values are left out.`,
  sanity: `The document itself. Children are an array of objects with a stable \`_key\`, and relations are references. An image has its size in
the reference, and its focal point as hotspot. Rich text is Portable Text with stable keys, and pictures in it are images. A slug
field is an object. Empty values are left out. \`_rev\` changes if and only if the document or anything in it changes.`,
  strapi: `Version 5: flat, with the entry's id as \`documentId\`, children as a dynamic zone, relations populated one level deep, and empty
values as \`null\`. With the request header \`Strapi-Response-Format: v4\` the response has the shape of version 4.`,
  wordpress: `One page object of the REST API, version 2. The first picture of the root entry is its featured image, also embedded.
\`content.rendered\` has the texts of the whole tree in order, with rich text filtered so that it is safe to insert. \`acf\` has all
fields and children as data. Ids are numbers; times are UTC without a zone. \`type\` is \`post\` for a datatype of that name, otherwise
\`page\`.`,
  markdown: `For language models and everything else that reads text: \`text/markdown\`, with title, address, locale and times in front. The header
\`Accept: text/markdown\` asks for it as well, if \`format\` is missing and the header prefers no JSON.

- Titles of the page and of its entries are headings, a level deeper for each level of the tree. An entry with other values but
  without a title has the label of its datatype. Rich text keeps its own headings, lists, tables, links and pictures.
- Other values are lists with the labels of the fields. Relations are links to their pages. Empty values are left out.
- Texts are escaped: what editors write cannot become Markdown or HTML. The response has no HTML at all. Underline, subscript and
  superscript are plain text, and so are bold and italic where not every reader would recognize the marks.
- The response to the header has \`Vary: Accept\`, and shared caches do not store it. Use \`format=markdown\`
  [behind a CDN](scaling.md#a-cdn).

\`/llms.txt\` [lists the pages](site-files.md#llmstxt).`,
}

it('describes every format with an answer that the service really gave', async () => {
  const page = await post('/datatypes', { label: 'Page', type: 'content' })
  const card = await post('/datatypes', { label: 'Card', type: 'content' })
  const field = (parent_id: string, label: string, field_type: string, more = {}) =>
    post('/fields', { parent_id, label, field_type, ...more })
  await field(page.datatype_id, 'Intro', 'richtext')
  await field(page.datatype_id, 'See also', 'relation')
  await field(page.datatype_id, 'Picture', 'media')
  await field(card.datatype_id, 'Heading', 'text')
  await field(card.datatype_id, 'Price', 'number')
  const entry = async (place: object, datatype: { datatype_id: string }, fields: object) =>
    (await post('/content', { ...place, datatype_id: datatype.datatype_id, status: 'published', fields }))
      .content_data_id
  const about = await post('/routes', { slug: '/about', title: 'About us' })
  const other = await entry({ route_id: about.route_id }, page, { intro: '<p>We mend bicycles.</p>' })
  const key = (name: string) => `01M7YZMHG0SCYJNYEA846VJ0FE/${name}`
  const variant = { width: 640, height: 427, mimetype: 'image/jpeg', size: 29_749 }
  const { media_id } = await db.write(systemActor, tx =>
    tx.insert(tables.media, {
      name: 'workshop.jpg',
      display_name: 'The workshop',
      alt_text: 'A bicycle upside down',
      mimetype: 'image/jpeg',
      size: 184_993,
      width: 2400,
      height: 1600,
      focal_x: 40,
      focal_y: 50,
      thumbhash: '1QcSHQRnh493V4dIh4eXh1h4kJUI',
      object_key: key('workshop.jpg'),
      content_hash: '',
      variants: [
        { name: 'small', ...variant, key: key('01M7YZMHG0SCYJNYEA846VJ0FF/workshop-small-640x427.jpg') },
      ],
      author_id: users.admin,
    }),
  )
  const home = await post('/routes', { slug: '/', title: 'Home' })
  const root = await entry({ route_id: home.route_id }, page, {
    intro: '<p>Hello <strong>riders</strong></p>',
    seeAlso: other,
    picture: media_id,
  })
  await entry({ parent_id: root }, card, { heading: 'Brakes & gears', price: 12.5 })

  const parts = [
    `# Formats

A page can be read in eight formats: by \`GET /<slug>?format=…\` without an account, and by \`GET /api/v1/page/<slug>?format=…\` with
a key. The examples show one page in each format: a root entry with one child, a relation and a picture. They are real responses, and
a test generates them.

The formats \`contentful\`, \`sanity\`, \`strapi\` and \`wordpress\` look as in those systems, for front ends that were written for them.
\`/compat\` also serves their paths and parameters ([WordPress](moving-from/wordpress.md), [Strapi](moving-from/strapi.md),
[Contentful](moving-from/contentful.md), [Sanity](moving-from/sanity.md)). Media have the shape of each system, with the sizes of
\`/media-dimensions\` and addresses under \`bucket_public_url\`. In \`clean\` a media value is its id.

\`/api/v1/globals/<name>\` gives the trees of a datatype without addresses, such as menus, or 404 without any. A field whose
name would hide a member of a format gets \`_\` in front (\`_title\`).
`,
  ]
  for (const name of formatNames) {
    const answer = await call('GET', `/?format=${name}`, { as: 'nobody' })
    expect([name, answer.status]).toEqual([name, 200])
    const seen = new Map<string, string>()
    // Ids that look the same on every run, and like ids.
    const isMarkdown = name === 'markdown'
    const text = (isMarkdown ? answer.text.trimEnd() : JSON.stringify(answer.body, null, 2))
      .replaceAll(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g, id => {
        const known = seen.get(id) ?? `01JEXAMPLE${String(seen.size + 1).padStart(16, '0')}`
        seen.set(id, known)
        return known
      })
      .replaceAll(/(?<="image-)[0-9a-f]{32}/g, '0123456789abcdef0123456789abcdef')
      .replaceAll(/\b\d{15}\b/g, number => {
        const known = seen.get(number) ?? String(183_746_501_937_465 + seen.size)
        seen.set(number, known)
        return known
      })
    parts.push(`## ${name}\n\n${words[name]}\n\n\`\`\`${isMarkdown ? '' : 'json'}\n${text}\n\`\`\`\n`)
  }
  await expect(parts.join('\n')).toMatchFileSnapshot('../../docs/formats.md')
})
