import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { parseConfig } from '../../src/config.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { createLog, nodePorts } from '../../src/node/ports.js'
import { open } from '../../src/server.js'
import { migratedDatabase } from '../support/database.js'
import { type Product, startProduct } from '../support/process.js'

const pages = 50

it(`publishes ${pages} planned pages once each, whatever instances are killed meanwhile`, async () => {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const settings = { ...address, webhook_enabled: true }
  const { config } = parseConfig(settings, {})
  const first = await startProduct(settings)
  const cookie = await first.login()
  const post = async (to: Product, path: string, body: object) => {
    const answer = await fetch(`${to.url}/api/v1${path}`, {
      method: 'POST',
      headers: { Cookie: cookie, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([path, answer.ok]).toEqual([path, true])
    return answer.json() as Promise<Record<string, string>>
  }
  const { db } = await open({ config, ports: nodePorts(createLog('silent')), variables: {} })
  onTestFinished(() => db.close())
  const admin = await db.find(tables.users, {})
  await db.write(systemActor, tx =>
    tx.insert(tables.webhooks, {
      name: 'x',
      url: 'https://x.example/',
      secret: 'x',
      events: ['content.published'],
      is_active: true,
      author_id: admin?.user_id ?? '',
    }),
  )
  const { datatype_id } = await post(first, '/datatypes', { label: 'Page', type: 'content' })
  const ids: string[] = []
  for (let i = 0; i < pages; i++) {
    const { route_id } = await post(first, '/routes', { slug: `/p${i}`, title: 'x' })
    const { content_data_id } = await post(first, '/content', { datatype_id, route_id })
    ids.push(content_data_id ?? '')
  }
  // The first are due while the last are still being planned.
  const from = Date.now()
  for (const [i, id] of ids.entries())
    await post(first, '/content/schedule', {
      content_data_id: id,
      publish_at: new Date(Date.now() + 1500 + i * 60).toISOString(),
    })
  let instances = [first, await startProduct(settings)]
  const published = async () => db.count(tables.contentData, { status: 'published' })
  for (let kills = 0; (await published()) < pages && Date.now() - from < 240_000; kills++) {
    await sleep(300 + (kills % 4) * 350)
    const [gone, ...left] = kills % 2 ? instances.toReversed() : instances
    if (kills < 6) {
      await gone?.kill9()
      instances = [...left, await startProduct(settings)]
    }
  }
  expect(await published()).toBe(pages)
  for (const instance of instances) await instance.kill9()
  const entries = await db.findAll(tables.contentData)
  expect(entries.every(({ publish_at, published_at }) => publish_at === null && published_at !== null)).toBe(
    true,
  )
  const events = (await db.findAll(internalTables.webhookDeliveries)).map(
    ({ payload }) => JSON.parse(payload).data,
  )
  expect(events.map(({ content_data_id }) => content_data_id).sort()).toEqual(ids.toSorted())
  const versions = await db.findAll(tables.contentVersions)
  expect(versions.map(({ content_data_id, trigger }) => `${content_data_id} ${trigger}`).sort()).toEqual(
    ids.map(id => `${id} schedule`).sort(),
  )
})
