// One server of the benchmark, started fresh for its run: `bare`, or the product in one of its states.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import Database from 'better-sqlite3'
import { parseConfig } from '../dist/src/config.js'
import { createLog, nodePorts } from '../dist/src/node/ports.js'
import { start } from '../dist/src/server.js'

const { mode, port, database, paths, bodies } = JSON.parse(readFileSync(process.env.BENCH_SERVER, 'utf8'))

if (mode === 'bare') {
  // The same bytes as the product sends, from memory, by nothing but node:http.
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
      // Without memory the finished answer comes from the database.
      page_cache_bytes: mode === 'memory' ? 256 * 2 ** 20 : 0,
    },
    {},
  )
  // Nothing is kept, so that the tree is built each time.
  if (mode === 'built') {
    const db = new Database(database)
    db.exec('delete from page_answers')
    db.close()
  }
  const running = await start({ config, ports: nodePorts(createLog('info')), variables: process.env })
  if (mode === 'built') running.db.keep = async () => {}
  process.on('message', () => process.send({ rss: process.memoryUsage().rss }))
  process.send('ready')
}
