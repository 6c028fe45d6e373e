// Prints requests per second beside those of a bare node:http server that sends the same bytes, in one run. Needs wrk.
// BENCH_SECONDS (3), BENCH_ROUNDS (2), BENCH_ENTRIES (1000,100000), BENCH_TURNS (21: how many turns a comparison of two
// servers has), BENCH_PARTS (pages,growth,start,writes).
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { systemActor } from '../dist/src/actor.js'
import { parseConfig } from '../dist/src/config.js'
import { tables } from '../dist/src/db/tables.js'
import { createLog, nodeHashing, nodePorts } from '../dist/src/node/ports.js'
import { open } from '../dist/src/server.js'
import { pageRequest } from '../dist/src/services/delivery/page-request.js'
import { entriesOfPage, fill } from './data.mjs'
import { folder, inTurns, load, median, nextPort, run, say, server } from './load.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 2)
const sizes = (process.env.BENCH_ENTRIES ?? '1000,100000').split(',').map(Number)
const turns = Number(process.env.BENCH_TURNS ?? 21)
const parts = (process.env.BENCH_PARTS ?? 'pages,growth,start,writes').split(',')
const ports = nodePorts(createLog('error'))
const key = 'bench-key'

async function prepare(entries) {
  const database = join(folder, `${entries}.db`)
  const { config } = parseConfig({ db_url: database }, {})
  const { db, services } = await open({ config, ports, variables: { CMS_ADMIN_PASSWORD: 'correct horse' } })
  const admin = await db.find(tables.users, {})
  const slugs = await fill(db, entries, admin.user_id)
  await db.write(systemActor, tx =>
    tx.insert(tables.tokens, {
      user_id: admin.user_id,
      token_type: 'api_key',
      token_hash: nodeHashing.sha256(key),
      issued_at: '2026-01-01T00:00:00.000Z',
    }),
  )
  const bodies = []
  for (const audience of ['public', 'working'])
    for (const slug of slugs) {
      const asked = pageRequest({ slug, format: 'clean', audience, locale: '' })
      const { body } = await services.space.pages.page(asked)
      if (audience === 'public') bodies.push(new TextDecoder().decode(body))
    }
  await db.close()
  copyFileSync(database, `${database}.kept`)
  const restore = () => {
    for (const end of ['-wal', '-shm']) rmSync(database + end, { force: true })
    copyFileSync(`${database}.kept`, database)
  }
  return { entries, database, slugs, bodies, restore }
}

/** Returns the requests: pages by slug, without and with a key, items by id, pages of lists. */
function requests({ database, slugs }) {
  const headers = { Authorization: `Bearer ${key}` }
  return {
    site: { paths: slugs.map(slug => `${slug}?format=clean`) },
    api: { paths: slugs.map(slug => `/api/v1/page${slug}?format=clean`), headers },
    item: { paths: idsOf(slugs, database).map(id => `/api/v1/content?q=${id}`), headers },
    list: { paths: [`/api/v1/routes?limit=20&offset=20`, `/api/v1/content?limit=20`], headers },
  }
}

async function pages(entries, prepared) {
  const { database, slugs, bodies, restore } = prepared
  const { site, api, item, list } = requests(prepared)
  const cases = [
    ['bare node:http', { mode: 'bare', paths: slugs, bodies }, site],
    ['plain Hono, from memory', { mode: 'hono', database, paths: slugs, bodies }, site],
    ['plain Hono and statements, the tree', { mode: 'statements', database }, site],
    ['public page, in memory', { mode: 'memory', database }, site],
    ['public page, tree built', { mode: 'built', database }, site],
    ['authenticated /page, in memory', { mode: 'memory', database }, api],
    ['authenticated /page, tree built', { mode: 'built', database }, api],
    ['item by id', { mode: 'memory', database }, item],
    ['page of a list', { mode: 'memory', database }, list],
  ]
  for (const connections of [16, 64]) {
    say(
      `\n${entries} entries (${slugs.length} pages of ${entriesOfPage}, ${bodies[0].length} bytes), ${connections} connections`,
    )
    const rates = new Map(cases.map(([name]) => [name, []]))
    const memory = new Map()
    for (let round = 0; round < rounds; round++) {
      restore()
      for (const [name, settings, what] of cases) {
        const started = await server(settings)
        // The first run warms compiler and caches, the second is the figure.
        await load(started.url, { ...what, connections })
        rates.get(name).push(await load(started.url, { ...what, connections }))
        if (['memory', 'built'].includes(settings.mode)) memory.set(name, await started.rss())
        await started.stop()
      }
    }
    const bare = median(rates.get('bare node:http'))
    for (const [name, values] of rates) {
      const rate = median(values)
      const rss = memory.has(name) ? `  RSS ${memory.get(name).toFixed(0)} MiB` : ''
      say(`  ${name.padEnd(42)}${rate.toFixed(0).padStart(8)} req/s  ratio ${(rate / bare).toFixed(3)}${rss}`)
    }
  }
}

/**
 * Compares the same reads of the smallest database and of a larger one: both servers run in turns, and the ratio is the
 * median of those of each turn, because a shared machine is slower for minutes and faster for others.
 */
async function growth(small, large) {
  say(`\nReads with ${large.entries} entries beside those with ${small.entries}`)
  small.restore()
  large.restore()
  const [few, many] = [requests(small), requests(large)]
  // The larger database gets as many different requests as the smallest, so that only the database is larger.
  const some = ({ paths, ...rest }, n) => ({
    ...rest,
    paths: Array.from({ length: n }, (_, i) => paths[Math.floor((i * paths.length) / n)]),
  })
  const site = some(many.site, few.site.paths.length)
  const item = some(many.item, few.item.paths.length)
  for (const [name, mode, before, after] of [
    ['page by slug, in memory', 'memory', few.site, site],
    [`the same, of ${many.site.paths.length} pages`, 'memory', few.site, many.site],
    ['page by slug, tree built', 'built', few.site, site],
    [`the same, of ${many.site.paths.length} pages`, 'built', few.site, many.site],
    ['item by id', 'memory', few.item, item],
    ['page of a list', 'memory', few.list, many.list],
  ])
    for (const connections of [16, 64]) {
      const sides = [
        { database: small.database, ...before },
        { database: large.database, ...after },
      ]
      const warm = (url, asked) => load(url, { ...asked, connections })
      const found = await inTurns({ mode, connections, turns, sides }, warm)
      const [less, more] = [median(found.less), median(found.more)]
      const { ratios } = found
      const [low, high] = [0.25, 0.75].map(part => ratios[Math.floor(part * ratios.length)])
      say(
        `  ${`${name}, ${connections} connections`.padEnd(56)}${less.toFixed(0).padStart(8)} ${more.toFixed(0).padStart(8)} req/s  ratio ${median(ratios).toFixed(2)} (half of the turns: ${low.toFixed(2)} to ${high.toFixed(2)})`,
      )
    }
}

/** Returns the ids of some entries. */
function idsOf(slugs, database) {
  const db = new Database(database, { readonly: true })
  const rows = db
    .prepare(`select content_data_id as id from content_data limit ${Math.min(slugs.length * 20, 1000)}`)
    .all()
  db.close()
  return rows.map(({ id }) => id)
}

/** Writes one entry with 8 values, durably, by the service and by bare better-sqlite3 with the same rows. */
async function writes() {
  const file = join(folder, 'writes.db')
  const { config } = parseConfig({ db_url: file, webhook_enabled: true }, {})
  const { db, services } = await open({ config, ports, variables: { CMS_ADMIN_PASSWORD: 'correct horse' } })
  const { user_id } = await db.find(tables.users, {})
  const actor = { ...systemActor, userId: user_id }
  const names = Array.from({ length: 8 }, (_, i) => `field${i}`)
  const { datatype_id } = await services.space.datatypes.create(actor, {
    label: 'Card',
    name: 'card',
    type: '_global',
    author_id: user_id,
  })
  for (const name of names)
    await services.space.fields.create(actor, {
      label: name,
      name,
      field_type: 'text',
      parent_id: datatype_id,
      author_id: user_id,
    })
  await db.write(actor, tx =>
    tx.insert(tables.webhooks, {
      name: 'x',
      url: 'https://x.example/',
      secret: 'x',
      events: ['*'],
      is_active: true,
      author_id: user_id,
    }),
  )
  const fields = Object.fromEntries(names.map(name => [name, 'Brakes, gears, air and a smile.']))
  const entry = { datatype_id, route_id: null, parent_id: null, author_id: user_id, fields }
  const byService = async () => services.space.content.create(actor, { ...entry, status: 'published' })
  await byService()

  const bare = new Database(join(folder, 'bare.db'))
  const source = new Database(file, { readonly: true })
  bare.pragma('journal_mode = WAL')
  bare.pragma('synchronous = FULL')
  const statements = []
  for (const table of [
    'content_data',
    'content_fields',
    'content_versions',
    'content_trees',
    'webhook_deliveries',
    'audit_events',
    'public_entries',
    'public_values',
    'public_search',
    'content_changes',
  ]) {
    const { sql } = source.prepare('select sql from sqlite_master where name = ?').get(table)
    bare.exec(sql.replaceAll(/constraint `\w+` foreign key [^\n]*/g, '').replaceAll(/,\s*(?=,|\n\))/g, ''))
    // Its indexes and its full-text index, which triggers update.
    for (const { sql: more } of source
      .prepare(
        `select sql from sqlite_master where sql is not null and (name = ? || '_fts' or tbl_name = ?)
         and type <> 'table' or name = ? || '_fts' order by type = 'trigger'`,
      )
      .all(table, table, table))
      bare.exec(more)
    // Ids grow, so this is the order of insertion.
    const all = source.prepare(`select * from ${table} order by 1`).all()
    // The model and the first start have added more rows of this table.
    const rows = table === 'content_changes' ? all.slice(-1) : all
    const mine =
      table === 'audit_events'
        ? rows.filter(row => ['content_data', 'content_fields', 'content_versions'].includes(row.table_name))
        : rows
    const columns = Object.keys(mine[0])
    const insert = bare.prepare(
      `insert into ${table} (${columns.map(c => `\`${c}\``)}) values (${columns.map(() => '?')})`,
    )
    statements.push({ insert, columns, rows: mine })
  }
  let n = 0
  const numbered = new Set(['numeric_id', 'document_id', 'change_id'])
  const byHand = bare.transaction(() => {
    n++
    // Other ids each time; they differ behind their eighth character.
    const fresh = value =>
      typeof value === 'string' && /^[0-7][0-9A-Z]{25}$/.test(value)
        ? String(n).padStart(8, '0') + value.slice(8)
        : value
    for (const { insert, columns, rows } of statements)
      for (const row of rows)
        insert.run(...columns.map(c => (numbered.has(c) ? n : /_id$/.test(c) ? fresh(row[c]) : row[c])))
  })
  const rates = { service: [], hand: [] }
  for (let round = 0; round < 5; round++)
    for (const [name, write] of [
      ['hand', byHand],
      ['service', byService],
    ]) {
      const from = performance.now()
      const times = 300
      for (let i = 0; i < times; i++) await write()
      rates[name].push((times * 1000) / (performance.now() - from))
    }
  const [service, hand] = [median(rates.service), median(rates.hand)]
  say(
    '\nDurable write: one published entry with 8 values, its version, audit events, deliveries, index and words',
  )
  say(`  better-sqlite3, the same rows  ${hand.toFixed(0).padStart(6)} /s`)
  say(
    `  through the service            ${service.toFixed(0).padStart(6)} /s  ratio ${(service / hand).toFixed(2)}`,
  )
  await db.close()
  bare.close()
  source.close()
}

async function coldStart(database) {
  const times = { empty: [], product: [] }
  let rss = 0
  for (let i = 0; i < 5; i++) {
    const empty = performance.now()
    await run(process.execPath, ['-e', "require('http').createServer().listen(0, () => process.exit())"])
    times.empty.push(performance.now() - empty)
    const port = nextPort()
    const home = join(folder, `start-${i}`)
    mkdirSync(home)
    writeFileSync(
      join(home, 'cms.config.json'),
      JSON.stringify({ port: `127.0.0.1:${port}`, db_url: database }),
    )
    const from = performance.now()
    const child = spawn(process.execPath, [join(import.meta.dirname, '../dist/cli.js'), 'serve'], {
      cwd: home,
      stdio: 'ignore',
    })
    for (let ready = false; !ready; ) {
      ready = await fetch(`http://127.0.0.1:${port}/api/v1/health`).then(
        answer => answer.ok,
        () => false,
      )
      if (!ready) await new Promise(resolve => setTimeout(resolve, 5))
    }
    times.product.push(performance.now() - from)
    await new Promise(resolve => setTimeout(resolve, 300))
    rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
    child.kill('SIGKILL')
  }
  const [empty, product] = [median(times.empty), median(times.product)]
  say('\nCold start to ready, existing database')
  say(`  empty node:http server  ${empty.toFixed(0).padStart(5)} ms`)
  say(
    `  the product             ${product.toFixed(0).padStart(5)} ms  ratio ${(product / empty).toFixed(1)}, RSS idle ${rss.toFixed(0)} MiB`,
  )
}

try {
  const prepared = []
  for (const entries of sizes) {
    const database = await prepare(entries)
    prepared.push(database)
    if (parts.includes('pages')) await pages(entries, database)
  }
  const [first, ...larger] = prepared
  if (parts.includes('growth')) for (const database of larger) await growth(first, database)
  if (parts.includes('start')) await coldStart(prepared.at(-1).database)
  if (parts.includes('writes')) await writes()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
