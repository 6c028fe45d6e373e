// One server of the benchmark, in a process of its own: `bare`, or the product in one of its modes.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { serve } from '@hono/node-server'
import Database from 'better-sqlite3'
import { Hono } from 'hono'
import { parseConfig } from '../dist/src/config.js'
import { createLog, nodePorts } from '../dist/src/node/ports.js'
import { start } from '../dist/src/server.js'

const { mode, port, database, paths, bodies } = JSON.parse(readFileSync(process.env.BENCH_SERVER, 'utf8'))

/** Reads the product's own database by the simplest means, as a reference: the goals were set by it. */
function reference(mode) {
  const db = new Database(database, { readonly: true })
  const send = (c, body) => c.body(body, 200, { 'Content-Type': 'application/json' })
  const app = new Hono()
  if (mode === 'hono') {
    const answers = new Map(paths.map((path, i) => [path, Buffer.from(bodies[i])]))
    app.get('/*', c => send(c, answers.get(c.req.path)))
  }
  if (mode === 'statements') {
    const from = `from routes r join content_data top on top.route_id = r.route_id
      join content_data c on c.root_id = top.content_data_id`
    const entries = db.prepare(`select c.*, r.title, r.slug ${from} where r.slug = ?`)
    const values = db.prepare(
      `select f.*, n.name ${from} join content_fields f on f.content_data_id = c.content_data_id
       join fields n on n.field_id = f.field_id where r.slug = ?`,
    )
    const types = new Map(
      db
        .prepare('select * from datatypes')
        .all()
        .map(row => [row.datatype_id, row.name]),
    )
    app.get('/*', c => {
      const nodes = new Map()
      let root
      const rows = entries.all(c.req.path)
      for (const row of rows) {
        const node = { type: types.get(row.datatype_id) }
        nodes.set(row.content_data_id, node)
        if (row.parent_id === null) root = Object.assign(node, { title: row.title, slug: row.slug })
      }
      for (const row of values.all(c.req.path)) nodes.get(row.content_data_id)[row.name] = row.field_value
      for (const row of rows.sort((a, b) => a.sort_order - b.sort_order))
        if (row.parent_id !== null) {
          const parent = nodes.get(row.parent_id)
          parent.children ??= []
          parent.children.push(nodes.get(row.content_data_id))
        }
      return send(c, JSON.stringify(root))
    })
  }
  serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => process.send('ready'))
}

if (['hono', 'statements'].includes(mode)) reference(mode)
else if (mode === 'bare') {
  // Sends the bytes of the product from memory, with nothing but node:http.
  const answers = new Map(paths.map((path, i) => [path, Buffer.from(bodies[i])]))
  createServer((request, response) => {
    const body = answers.get(request.url.split('?')[0])
    response.writeHead(200, {
      'Content-Type': 'application/json',
      ETag: '"0123456789abcdef0123456789abcdef"',
      'Cache-Control': 'public, max-age=0, must-revalidate',
      'X-Content-Type-Options': 'nosniff',
      'Access-Control-Allow-Origin': '*',
      'Content-Length': body.length,
    })
    response.end(body)
  }).listen(port, '127.0.0.1', () => process.send('ready'))
} else {
  const { config } = parseConfig(
    {
      port: `127.0.0.1:${port}`,
      db_url: database,
      log_level: 'info',
      // Without a cache each page is built.
      page_cache_bytes: mode === 'memory' ? 256 * 2 ** 20 : 0,
    },
    {},
  )
  await start({ config, ports: nodePorts(createLog('info')), variables: process.env })
  process.on('message', () => process.send({ rss: process.memoryUsage().rss }))
  process.send('ready')
}
