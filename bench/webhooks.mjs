// Prints how many deliveries a second two instances send over one SQLite database to a receiver on the same machine,
// and whether any was sent twice. WEBHOOK_DELIVERIES (5000) of them, WEBHOOK_WORKERS (4 and 16) in a run.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { systemActor } from '../dist/src/actor.js'
import { parseConfig } from '../dist/src/config.js'
import { tables } from '../dist/src/db/tables.js'
import { createLog, nodePorts } from '../dist/src/node/ports.js'
import { open } from '../dist/src/server.js'

const deliveries = Number(process.env.WEBHOOK_DELIVERIES ?? 5000)
const runs = (process.env.WEBHOOK_WORKERS ?? '4,16').split(',').map(Number)
const receivers = 4

async function receiver(seen) {
  const server = createServer((request, response) => {
    seen.push(request.headers['webhook-id'])
    request.resume().on('end', () => response.end())
  })
  await new Promise(done => server.listen(0, '127.0.0.1', done))
  return server
}

async function measure(workers) {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-webhooks-'))
  const settings = {
    db_url: join(folder, 'modula.db'),
    webhook_enabled: true,
    webhook_allow_http: true,
    webhook_scan_interval: '100ms',
    webhook_workers: workers,
    log_level: 'error',
  }
  const { config } = parseConfig(settings, {})
  const seen = []
  const servers = await Promise.all(Array.from({ length: receivers }, () => receiver(seen)))
  const { db } = await open({ config, ports: nodePorts(createLog('silent')), variables: {} })
  const { user_id } = await db.find(tables.users, {})
  await db.write(systemActor, async tx => {
    for (const server of servers)
      await tx.insert(tables.webhooks, {
        name: 'x',
        url: `http://127.0.0.1:${server.address().port}/`,
        secret: '0123456789abcdef'.repeat(4),
        events: ['*'],
        is_active: true,
        author_id: user_id,
      })
  })
  await db.write(systemActor, async tx => {
    for (let i = 0; i < deliveries / receivers; i++)
      await tx.emit('content.updated', async () => ({
        content_data_id: `${i}`,
        locale: '',
        slug: null,
        slugs: [],
        updated_by: user_id,
      }))
  })
  const instances = [0, 1].map(i => {
    const path = join(folder, `${i}.json`)
    writeFileSync(path, JSON.stringify({ ...settings, port: '127.0.0.1:0' }))
    return spawn(process.execPath, [resolve('dist/cli.js'), 'serve', '--config', path], {
      stdio: 'ignore',
      cwd: folder,
    })
  })
  while (seen.length === 0) await new Promise(done => setTimeout(done, 1))
  const from = performance.now()
  const first = seen.length
  while (seen.length < deliveries) await new Promise(done => setTimeout(done, 5))
  const seconds = (performance.now() - from) / 1000
  await new Promise(done => setTimeout(done, 1000))
  for (const instance of instances) instance.kill('SIGKILL')
  await db.close()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(folder, { recursive: true, force: true })
  process.stdout.write(
    `${workers} workers: ${Math.round((deliveries - first) / seconds)} a second, ${seen.length - new Set(seen).size} twice\n`,
  )
}

for (const workers of runs) await measure(workers)
