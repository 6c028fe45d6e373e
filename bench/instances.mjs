// Prints how long a second instance takes to show a change of the first one. INSTANCES_CHANGES (50) changes over
// SQLite.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemActor } from '../dist/src/actor.js'
import { parseConfig } from '../dist/src/config.js'
import { tables } from '../dist/src/db/tables.js'
import { createLog, nodePorts } from '../dist/src/node/ports.js'
import { start } from '../dist/src/server.js'

const changes = Number(process.env.INSTANCES_CHANGES ?? 50)
const folder = mkdtempSync(join(tmpdir(), 'slugline-instances-'))
const { config } = parseConfig({ db_url: join(folder, 'modula.db'), port: '127.0.0.1:0' }, {})
const instance = () => start({ config, ports: nodePorts(createLog('silent')), variables: {} })
const [one, two] = [await instance(), await instance()]

const { user_id } = await one.db.find(tables.users, {})
const actor = { ...systemActor, userId: user_id }
const { space } = one.services
const { datatype_id } = await space.datatypes.create(actor, {
  label: 'Page',
  name: 'page',
  type: 'content',
  author_id: user_id,
})
const { route_id } = await space.routes.create(actor, { slug: '/', title: '0', author_id: user_id })
await space.content.create(actor, {
  datatype_id,
  route_id,
  status: 'published',
  author_id: user_id,
  fields: {},
})
const titleOn = async ({ port }) =>
  (await (await fetch(`http://127.0.0.1:${port}/?format=clean`)).json()).title

const times = []
for (let i = 1; i <= changes; i++) {
  await space.routes.update(actor, route_id, { title: `${i}` })
  const from = performance.now()
  while ((await titleOn(two)) !== `${i}`) await sleep(1)
  times.push(performance.now() - from)
}
times.sort((a, b) => a - b)
const at = part => times[Math.min(times.length - 1, Math.floor(times.length * part))].toFixed(1)
process.stdout.write(`${changes} changes seen after ${at(0.5)} ms (median), ${at(1)} ms (longest)\n`)
await Promise.all([one.stop(), two.stop()])
rmSync(folder, { recursive: true })
