// Prints the memory of a session and the processor time of a key, for the screens alone, without the cost of SSH.
// node --expose-gc bench/terminal.mjs, after npm run build
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemActor } from '../dist/src/actor.js'
import { parseConfig } from '../dist/src/config.js'
import { tables } from '../dist/src/db/tables.js'
import { createLog, nodePorts } from '../dist/src/node/ports.js'
import { open } from '../dist/src/server.js'
import { openTerminal } from '../dist/src/ssh/interactive.js'

const sessions = 50
const keys = 40
const folder = mkdtempSync(join(tmpdir(), 'slugline-bench-'))
const { config } = parseConfig({ db_url: join(folder, 'site.db'), backup_dir: folder }, {})
const { db, services } = await open({
  config,
  ports: nodePorts(createLog('error'), undefined),
  variables: { CMS_ADMIN_PASSWORD: 'a password of this measurement' },
  showAdministrator: () => undefined,
})
const admin = await db.find(tables.users, {})
const actor = {
  ...systemActor,
  userId: admin.user_id,
  roleId: admin.role,
  credential: { kind: 'session', id: 'bench' },
  surface: 'ssh',
}
for (let i = 0; i < 200; i++)
  await services.space.routes.create(actor, {
    slug: `/page-${i}`,
    title: `Page ${i} ${i % 7 ? '' : '日本語'}`,
  })

const site = {
  services,
  clock: { now: Date.now },
  log: createLog('error'),
  config: () => config,
  newRequestId: () => '',
}
const pause = ms => new Promise(resolve => setTimeout(resolve, ms))
const memory = () => {
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  return process.memoryUsage()
}

async function client(columns, rows) {
  let onData
  let onClose
  const own = { bytes: 0, frames: 0 }
  await openTerminal(site, actor, {
    columns,
    rows,
    term: 'xterm-256color',
    wishes: { noColour: false, trueColour: false, zone: 'UTC' },
    write(text) {
      own.bytes += Buffer.byteLength(text)
      own.frames += 1
      return true
    },
    onDrain: () => undefined,
    onData: listener => (onData = listener),
    onResize: () => undefined,
    close: () => undefined,
    onClose: listener => (onClose = listener),
  })
  return { own, send: text => onData(Buffer.from(text)), end: () => onClose() }
}

for (const [columns, rows] of [
  [80, 24],
  [200, 50],
]) {
  // The first sessions load shared code.
  for (let i = 0; i < 3; i++) (await client(columns, rows)).end()
  await pause(300)
  const before = memory()
  const clients = []
  for (let i = 0; i < sessions; i++) clients.push(await client(columns, rows))
  for (const one of clients) one.send('\r')
  await pause(1500)
  const after = memory()
  const [cpu, sent] = [process.cpuUsage(), clients.reduce((sum, { own }) => sum + own.bytes, 0)]
  const from = clients.reduce((sum, { own }) => sum + own.frames, 0)
  for (let key = 0; key < keys; key++) {
    for (const one of clients) one.send('\x1b[B')
    await pause(120)
  }
  const used = process.cpuUsage(cpu)
  const count = keys * sessions
  const frames = clients.reduce((sum, { own }) => sum + own.frames, 0) - from
  const bytes = clients.reduce((sum, { own }) => sum + own.bytes, 0) - sent
  const perSession = kind => ((after[kind] - before[kind]) / sessions / 1e6).toFixed(2)
  const line = [
    `${columns}x${rows}`,
    `${perSession('rss')} MB (heap ${perSession('heapUsed')}) a session with a list of 200`,
    `${((used.user + used.system) / 1000 / count).toFixed(2)} ms a key`,
    `${Math.round(bytes / count)} bytes a key, ${(frames / count).toFixed(2)} frames a key`,
  ]
  process.stdout.write(`${line.join(', ')}\n`)
  for (const one of clients) one.end()
  await pause(200)
}
await services.settle()
await db.close()
rmSync(folder, { recursive: true, force: true })
process.exit(0)
