// Prints requests per second of queries (20 entries of 8 fields by one filter and one sort) beside those of a bare
// node:http server that sends the same bytes, and at a larger database beside a smaller one.
// Needs wrk. BENCH_SECONDS (3), BENCH_WARM (8, in seconds), BENCH_ENTRIES (1000,100000), BENCH_TURNS (9).
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseConfig } from '../dist/src/config.js'
import { tables } from '../dist/src/db/tables.js'
import { createLog, nodePorts } from '../dist/src/node/ports.js'
import { open } from '../dist/src/server.js'
import { besideBare, folder, growthOf, say } from './load.mjs'

const sizes = (process.env.BENCH_ENTRIES ?? '1000,100000').split(',').map(Number)
const turns = Number(process.env.BENCH_TURNS ?? 9)
const ports = nodePorts(createLog('error'))
/** How many entries share a topic, regardless of the size of the database; each kind has a fiftieth of all entries. */
const ofTopic = 40
const kinds = 50
/** How many different URLs are requested. */
const different = 25

async function model(db, author_id) {
  return db.write({ ...writer, userId: author_id }, async tx => {
    const datatype = { label: 'Post', name: 'post', type: '_global', visibility: 'public', author_id }
    const { datatype_id } = await tx.insert(tables.datatypes, datatype)
    const fields = {}
    for (const [name, field_type] of Object.entries({
      topic: 'text',
      kind: 'text',
      price: 'number',
      date: 'date',
      heading: 'text',
      lead: 'text',
      place: 'text',
      featured: 'boolean',
    }))
      fields[name] = (
        await tx.insert(tables.fields, { label: name, name, field_type, parent_id: datatype_id, author_id })
      ).field_id
    return { datatype_id, fields }
  })
}

const writer = { surface: 'cli', requestId: '', ipAddress: '', userAgent: 'bench' }
const valuesOf = i => ({
  topic: `topic ${Math.floor(i / ofTopic)}`,
  kind: `kind ${i % kinds}`,
  // In neither the order of insertion nor that of the topics.
  price: String((i * 7919) % 100_003),
  date: `20${10 + (i % 16)}-${String(1 + (i % 12)).padStart(2, '0')}-${String(1 + (i % 28)).padStart(2, '0')}`,
  heading: `Heading ${i}`,
  lead: 'Brakes, gears, air and a smile. '.repeat(4).trim(),
  place: `Place ${i % 1000}`,
  featured: String(i % 3 === 0),
})

/**
 * Creates a database of this many published entries. @returns it with the responses of a server to the requested URLs
 */
async function prepare(entries) {
  const database = join(folder, `queries-${entries}.db`)
  const { config } = parseConfig({ db_url: database }, {})
  const { db } = await open({ config, ports, variables: { CMS_ADMIN_PASSWORD: 'correct horse' } })
  const { user_id: author_id } = await db.find(tables.users, {})
  const { datatype_id, fields } = await model(db, author_id)
  for (let from = 0; from < entries; from += 500)
    await db.write({ ...writer, userId: author_id }, async tx => {
      const rows = []
      for (let i = from; i < Math.min(entries, from + 500); i++) {
        const id = tx.newId()
        rows.push({
          ...{ content_data_id: id, root_id: id, datatype_id, status: 'published', author_id },
          published_at: '2026-01-01T00:00:00.000Z',
        })
        await tx.createTree(tables.contentTrees, id)
      }
      await tx.insertAll(tables.contentData, rows)
      await tx.insertAll(
        tables.contentFields,
        rows.flatMap(({ content_data_id }, i) =>
          Object.entries(valuesOf(from + i)).map(([name, field_value]) => ({
            ...{ content_data_id, field_id: fields[name], field_value, author_id },
          })),
        ),
      )
    })
  await db.close()
  const paths = name =>
    Array.from({ length: different }, (_, i) => {
      const value = name === 'topic' ? `topic%20${i % (sizes[0] / ofTopic)}` : `kind%20${i}`
      return `/api/v1/query/post?filter%5B${name}%5D%5Beq%5D=${value}&sort=-price&limit=20`
    })
  const others = name =>
    paths(name).map(path => {
      const [, value] = /=(.*?)&/.exec(path)
      return `/api/v1/query/post?sort=-price&limit=20&filter%5B${name}%5D%5Bin%5D=${value}%2C`
    })
  return {
    ...{ entries, database, topic: paths('topic'), kind: paths('kind') },
    others: { topic: others('topic'), kind: others('kind') },
  }
}

try {
  const prepared = []
  for (const entries of sizes) prepared.push(await prepare(entries))
  for (const { entries, database, others, ...asked } of prepared)
    for (const name of ['topic', 'kind'])
      await besideBare(`${entries} entries, 20 of one ${name} by price`, {
        ...{ database, paths: asked[name], others: others[name] },
        countIn: ({ data }) => data?.length,
      })
  const [small, ...others] = prepared
  for (const large of others) {
    say(`\nQueries with ${large.entries} entries beside those with ${small.entries}`)
    for (const name of ['topic', 'kind']) {
      const sides = [small, large].map(({ database, [name]: paths }) => ({ database, paths }))
      await growthOf(`of one ${name}`, { turns, sides })
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
