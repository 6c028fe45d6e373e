// Prints requests per second of the roots for clients of other systems (a list of 20 entries by type and date, with a
// relation and a text each) beside those of a bare node:http server that sends the same bytes, and at a larger database
// beside a smaller one.
// Needs wrk. BENCH_SECONDS (3), BENCH_ENTRIES (1000,100000), BENCH_TURNS (5).
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseConfig } from '../dist/src/config.js'
import { tables } from '../dist/src/db/tables.js'
import { createLog, nodePorts } from '../dist/src/node/ports.js'
import { open } from '../dist/src/server.js'
import { folder, inTurns, load, median, say, server } from './load.mjs'

const sizes = (process.env.BENCH_ENTRIES ?? '1000,100000').split(',').map(Number)
const turns = Number(process.env.BENCH_TURNS ?? 5)
const ports = nodePorts(createLog('error'))
const writer = { surface: 'cli', requestId: '', ipAddress: '', userAgent: 'bench' }
/** Different addresses that are asked for. */
const pages = 25

async function model(db, author_id) {
  return db.write({ ...writer, userId: author_id }, async tx => {
    const made = async (label, name) =>
      (await tx.insert(tables.datatypes, { label, name, type: '_global', is_public: true, author_id }))
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

/** Puts published entries into the database, so many at once, with their values by field. */
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

/** A database of so many published posts by ten authors. */
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
    sanity: numbers.map(n => {
      const slice = `[${20 * (n - 1)}...${20 * n}]`
      const query = `*[_type == "post"] | order(publishedAt desc) ${slice} {..., author->{name}}`
      return `/compat/sanity/v1/data/query/site?query=${encodeURIComponent(query)}`
    }),
  }
}

const systems = ['wordpress', 'strapi', 'sanity']

async function besideBare({ entries, database, ...asked }) {
  for (const name of systems) {
    const paths = asked[name]
    const source = await server({ mode: 'memory', database })
    const bodies = await Promise.all(
      paths.map(async path => {
        const body = await (await fetch(source.url + path)).text()
        const found = JSON.parse(body)
        if ((found.data ?? found.result ?? found).length !== 20)
          throw new Error(`not 20 entries: ${body.slice(0, 300)}`)
        return body
      }),
    )
    await source.stop()
    const plain = paths.map((_, i) => `/${i}`)
    say(`\n${name}: 20 of ${entries} entries by date (${bodies[0].length} bytes), 16 connections`)
    const rates = new Map()
    for (let round = 0; round < 3; round++)
      for (const [label, settings, what] of [
        ['bare node:http', { mode: 'bare', paths: plain, bodies }, plain],
        ['in memory', { mode: 'memory', database }, paths],
        ['not in memory', { mode: 'stored', database }, paths],
      ]) {
        const started = await server(settings)
        // Every address once: what is asked for the first time is in no memory yet.
        for (const path of what) await (await fetch(started.url + path)).arrayBuffer()
        await load(started.url, { paths: what, connections: 16, duration: 1 })
        const rate = await load(started.url, { paths: what, connections: 16 })
        rates.set(label, [...(rates.get(label) ?? []), rate])
        await started.stop()
      }
    const bare = median(rates.get('bare node:http'))
    for (const [label, values] of rates) {
      const rate = median(values)
      say(`  ${label.padEnd(20)}${rate.toFixed(0).padStart(8)} req/s  ratio ${(rate / bare).toFixed(3)}`)
    }
  }
}

/** Both servers are up and take turns, and the ratio is the median of those of each turn. */
async function growth(small, large) {
  say(`\n${large.entries} entries beside ${small.entries}`)
  for (const name of systems)
    for (const mode of ['memory', 'stored']) {
      const sides = [small, large].map(side => ({ database: side.database, paths: side[name] }))
      const { ratios } = await inTurns({ mode, turns, sides }, async (url, { paths }) => {
        for (const path of paths) await (await fetch(url + path)).arrayBuffer()
      })
      const where = mode === 'memory' ? 'in memory' : 'not in memory'
      say(`  ${`${name}, ${where}`.padEnd(30)} ratio ${median(ratios).toFixed(2)}`)
    }
}

try {
  const prepared = []
  for (const entries of sizes) prepared.push(await prepare(entries))
  for (const one of prepared) await besideBare(one)
  for (const larger of prepared.slice(1)) await growth(prepared[0], larger)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
