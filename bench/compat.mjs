// Prints requests per second of the roots for clients of other systems (a list of 20 entries by type and date, with a
// relation and a text each) beside those of a bare node:http server that sends the same bytes, and at a larger database
// beside a smaller one. Needs wrk. BENCH_SECONDS (3), BENCH_WARM (8, in seconds), BENCH_ENTRIES (1000,100000),
// BENCH_TURNS (5).
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseConfig } from '../dist/src/config.js'
import { tables } from '../dist/src/db/tables.js'
import { createLog, nodePorts } from '../dist/src/node/ports.js'
import { open } from '../dist/src/server.js'
import { besideBare, folder, growthOf, say } from './load.mjs'

const sizes = (process.env.BENCH_ENTRIES ?? '1000,100000').split(',').map(Number)
const turns = Number(process.env.BENCH_TURNS ?? 5)
const ports = nodePorts(createLog('error'))
const writer = { surface: 'cli', requestId: '', ipAddress: '', userAgent: 'bench' }
/** How many different URLs are requested. */
const pages = 25

async function model(db, author_id) {
  return db.write({ ...writer, userId: author_id }, async tx => {
    const made = async (label, name) =>
      (await tx.insert(tables.datatypes, { label, name, type: '_global', visibility: 'public', author_id }))
        .datatype_id
    const [post, author] = [await made('Post', 'post'), await made('Author', 'author')]
    const field = async (parent_id, name, field_type, data = {}) =>
      (await tx.insert(tables.fields, { label: name, name, field_type, data, parent_id, author_id })).field_id
    return {
      post,
      author,
      name: await field(author, 'name', 'text'),
      fields: {
        title: await field(post, 'title', 'text'),
        excerpt: await field(post, 'excerpt', 'textarea'),
        body: await field(post, 'body', 'richtext'),
        price: await field(post, 'price', 'number'),
        author: await field(post, 'author', 'relation', { target: 'author' }),
      },
    }
  })
}

/** Inserts a batch of published entries with their values by field. */
async function insert(db, author_id, datatype_id, published) {
  return db.write({ ...writer, userId: author_id }, async tx => {
    const rows = []
    for (const { published_at } of published) {
      const id = tx.newId()
      rows.push({
        content_data_id: id,
        root_id: id,
        datatype_id,
        status: 'published',
        author_id,
        published_at,
      })
      await tx.createTree(tables.contentTrees, id)
    }
    await tx.insertAll(tables.contentData, rows)
    await tx.insertAll(
      tables.contentFields,
      rows.flatMap(({ content_data_id }, i) =>
        Object.entries(published[i].values).map(([field_id, field_value]) => ({
          ...{ content_data_id, field_id, field_value, author_id },
        })),
      ),
    )
    return rows.map(({ content_data_id }) => content_data_id)
  })
}

/** Creates a database of this many published posts by ten authors. */
async function prepare(entries) {
  const database = join(folder, `compat-${entries}.db`)
  const { config } = parseConfig({ db_url: database }, {})
  const { db } = await open({ config, ports, variables: { CMS_ADMIN_PASSWORD: 'correct horse' } })
  const { user_id } = await db.find(tables.users, {})
  const { post, author, name, fields } = await model(db, user_id)
  const time = i => new Date(Date.UTC(2020, 0, 1) + i * 60_000).toISOString()
  const named = Array.from({ length: 10 }, (_, i) => ({
    published_at: time(i),
    values: { [name]: `Author ${i}` },
  }))
  const authors = await insert(db, user_id, author, named)
  for (let from = 0; from < entries; from += 500)
    await insert(
      db,
      user_id,
      post,
      Array.from({ length: Math.min(500, entries - from) }, (_, n) => {
        const i = from + n
        return {
          published_at: time(i),
          values: {
            [fields.title]: `Post ${i}`,
            [fields.excerpt]: 'Brakes, gears, air and a smile. '.repeat(3).trim(),
            [fields.body]: `<p>${'Brakes, gears, air and a smile. '.repeat(8).trim()}</p>`,
            [fields.price]: String((i * 7919) % 100_003),
            [fields.author]: authors[i % authors.length],
          },
        }
      }),
    )
  await db.close()
  const numbers = Array.from({ length: pages }, (_, i) => i + 1)
  return {
    entries,
    database,
    wordpress: numbers.map(n => `/compat/wordpress/wp-json/wp/v2/posts?_embed&per_page=20&page=${n}`),
    strapi: numbers.map(
      n =>
        `/compat/strapi/api/posts?populate=*&sort=publishedAt:desc&pagination%5BpageSize%5D=20&pagination%5Bpage%5D=${n}`,
    ),
    contentful: numbers.map(
      n =>
        `/compat/contentful/spaces/s/environments/e/entries?content_type=post&order=-sys.createdAt&limit=20&skip=${20 * (n - 1)}`,
    ),
    sanity: numbers.map(n => {
      const slice = `[${20 * (n - 1)}...${20 * n}]`
      const query = `*[_type == "post"] | order(publishedAt desc) ${slice} {..., author->{name}}`
      return `/compat/sanity/v1/data/query/site?query=${encodeURIComponent(query)}`
    }),
  }
}

const systems = ['wordpress', 'strapi', 'contentful', 'sanity']
/** The parameter that, with a number behind it, makes another URL of the same list, by API. */
const another = {
  wordpress: '&cache=',
  strapi: '&cache=',
  contentful: '&locale=en-x-',
  sanity: '&$n=',
}

try {
  const prepared = []
  for (const entries of sizes) prepared.push(await prepare(entries))
  for (const { entries, database, ...asked } of prepared)
    for (const name of systems)
      await besideBare(`${name}: 20 of ${entries} entries by date`, {
        ...{ database, paths: asked[name] },
        others: asked[name].map(path => path + another[name]),
        countIn: found => (found.data ?? found.result ?? found.items ?? found).length,
      })
  const [small, ...others] = prepared
  for (const large of others) {
    say(`\n${large.entries} entries beside ${small.entries}`)
    for (const name of systems) {
      const sides = [small, large].map(({ database, [name]: paths }) => ({ database, paths }))
      await growthOf(name, { turns, sides })
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
