import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Config } from '../../src/config.js'
import { tables } from '../../src/db/tables.js'
import { type TestApp, testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { whenDone } from '../support/when-done.js'

/** So many further posts, to see what answers take among them: `TEST_ENTRIES=100000`, with one file at a time. */
export const crowd = Number(process.env.TEST_ENTRIES ?? 0)

/** A blog as every system's front ends know one, and an address at which clients reach it. */
export async function blog(overrides: Partial<Record<keyof Config, unknown>> = {}) {
  const app = await testApp({
    client_site: 'site.example',
    bucket_media: 'media',
    bucket_endpoint: 'http://127.0.0.1:9000',
    bucket_access_key: 'key',
    bucket_secret_key: 'secret',
    bucket_public_url: 'https://files.example',
    ...overrides,
  })
  const make = factories(app)
  const category = await make.datatype('Category', { type: '_global', visibility: 'public' })
  await make.field(category.datatype_id, 'Name', 'text')
  await make.field(category.datatype_id, 'Slug', 'slug')
  const author = await make.datatype('Author', { type: '_global', visibility: 'public' })
  await make.field(author.datatype_id, 'Name', 'text')
  await make.field(author.datatype_id, 'Slug', 'slug')
  await make.field(author.datatype_id, 'Photo', 'media')
  const post = await make.datatype('Post', { visibility: 'public' })
  const fieldIds: Record<string, string> = {}
  const fields: [string, string, object?][] = [
    ['Excerpt', 'textarea'],
    ['Body', 'richtext'],
    ['Price', 'number'],
    ['Date', 'date'],
    ['Hot', 'boolean'],
    ['Cover', 'media'],
    ['Author', 'relation', { data: { target: 'author' } }],
    ['Categories', 'relation', { data: { target: 'category', cardinality: 'many' } }],
  ]
  for (const [label, type, more] of fields) {
    const { field_id } = await make.field(post.datatype_id, label, type, more)
    fieldIds[label.toLowerCase()] = field_id
  }
  const page = await make.datatype('Page', { visibility: 'public' })
  await make.field(page.datatype_id, 'Intro', 'richtext')
  const card = await make.datatype('Card')
  await make.field(card.datatype_id, 'Heading', 'text')
  const secret = await make.datatype('Secret', { type: '_global' })
  await make.field(secret.datatype_id, 'Title', 'text')
  const homepage = await make.datatype('Homepage', { type: '_global', visibility: 'public' })
  await make.field(homepage.datatype_id, 'Headline', 'text')

  const picture = await app.db.write({ ...writer, userId: app.users.admin }, tx =>
    tx.insert(tables.media, {
      name: 'bike.jpg',
      mimetype: 'image/jpeg',
      size: 184_993,
      width: 2400,
      height: 1600,
      alt_text: 'A bicycle',
      object_key: 'media/x/bike.jpg',
      content_hash: 'a'.repeat(64),
      author_id: app.users.admin,
      variants: [
        {
          name: 'small',
          width: 640,
          height: 427,
          mimetype: 'image/jpeg',
          size: 29_749,
          key: 'media/x/small.jpg',
        },
      ],
    }),
  )
  const global = async (datatype: { datatype_id: string }, fields: object, status = 'published') => {
    app.clock.advance(1000)
    return make.entry(datatype.datatype_id, {}, { status, fields })
  }
  const at = async (
    datatype: { datatype_id: string },
    slug: string,
    title: string,
    fields: object,
    status = 'published',
  ) => {
    app.clock.advance(1000)
    const { route_id } = await make.route(slug, title)
    return make.entry(datatype.datatype_id, { route_id }, { status, fields })
  }
  const news = await global(category, { name: 'News', slug: 'news' })
  const tips = await global(category, { name: 'Tips & tricks', slug: 'tips' })
  const ann = await global(author, { name: 'Ann', slug: 'ann', photo: picture.media_id })
  const bob = await global(author, { name: 'Bob', slug: 'bob' }, 'draft')
  const posts = []
  for (let i = 1; i <= 12; i++)
    posts.push(
      await at(post, `/blog/post-${i}`, `Post ${i}`, {
        excerpt: `Short ${i}`,
        body: `<p>Hello <strong>rider</strong> ${i}</p>`,
        price: i * 1.5,
        date: `2026-01-${String(i).padStart(2, '0')}`,
        hot: i % 2 === 0 ? 'true' : 'false',
        ...(i === 1 ? { cover: picture.media_id } : {}),
        author: i % 3 === 0 ? bob.content_data_id : ann.content_data_id,
        categories: JSON.stringify([
          ...(i % 2 === 0 ? [news.content_data_id] : []),
          ...(i % 4 === 0 ? [tips.content_data_id] : []),
        ]),
      }),
    )
  const referred = { author: ann.content_data_id, categories: JSON.stringify([news.content_data_id]) }
  for (let made = 0; made < crowd; made += 500)
    await addCrowd(app, post.datatype_id, fieldIds, { from: made, to: Math.min(made + 500, crowd), referred })
  const draft = await at(post, '/blog/draft', 'A draft', { excerpt: 'Not yet' }, 'draft')
  const about = await at(page, '/about', 'About us', { intro: '<p>We mend bicycles.</p>' })
  const team = await at(page, '/about/team', 'Team', {})
  await at(page, '/about/team/ann', 'Ann', {})
  for (const heading of ['Brakes', 'Gears'])
    await make.entry(
      card.datatype_id,
      { parent_id: about.content_data_id },
      {
        status: 'published',
        fields: { heading },
      },
    )
  const hidden = await global(secret, { title: 'Hidden' })
  await global(homepage, { headline: 'Welcome' })
  return {
    app,
    make,
    picture,
    news,
    tips,
    ann,
    bob,
    posts,
    draft,
    about,
    team,
    hidden,
    card,
    types: { post, page, secret },
  }
}

/** Published posts that hang on no route, many at once. */
async function addCrowd(
  app: TestApp,
  datatype_id: string,
  fieldIds: Record<string, string>,
  { from, to, referred }: { from: number; to: number; referred: Record<string, string> },
): Promise<void> {
  const author_id = app.users.admin
  await app.db.write({ ...writer, userId: author_id }, async tx => {
    const rows = []
    const values = []
    for (let i = from; i < to; i++) {
      const content_data_id = tx.newId()
      const published_at = new Date(Date.UTC(2020, 0, 1) + i * 60_000).toISOString()
      rows.push({
        ...{ content_data_id, root_id: content_data_id, datatype_id, status: 'published', author_id },
        published_at,
      })
      await tx.createTree(tables.contentTrees, content_data_id)
      const fields = {
        excerpt: `Short ${i % 1000}`,
        body: '<p>Hello <strong>rider</strong></p>',
        price: String(i % 5000),
        date: `2026-${String(1 + (i % 12)).padStart(2, '0')}-05`,
        hot: String(i % 3 === 0),
        ...referred,
      }
      for (const [name, field_value] of Object.entries(fields))
        values.push({ content_data_id, field_id: fieldIds[name] ?? '', field_value, author_id })
    }
    await tx.insertAll(tables.contentData, rows)
    await tx.insertAll(tables.contentFields, values)
  })
}

/** Who changes rows past the service, beside a `userId`. */
export const writer = {
  surface: 'system',
  roleId: null,
  credential: null,
  requestId: '',
  ipAddress: '',
  userAgent: 'test',
} as const

/** An address at which official clients reach the application. */
export async function reached({ app }: Pick<TestApp, 'app'>): Promise<string> {
  const asked = createServer(getRequestListener(request => app.fetch(request, { address: '127.0.0.1' })))
  await new Promise<void>(resolve => asked.listen(0, '127.0.0.1', resolve))
  whenDone(() => asked.close())
  return `http://127.0.0.1:${(asked.address() as AddressInfo).port}`
}

/** The key of an editor, who sees drafts. */
export const editorKey = 'key-secret-of-this-test'
