import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { internalTables, tables } from '../../src/db/tables.js'
import type { Writer } from '../../src/db/writer.js'
import { timestamp } from '../../src/ids.js'
import { testApp } from '../support/app.js'

const { call, db, clock, users, audits } = await testApp()
const { leases } = internalTables
const { body: known } = await call('POST', '/api/v1/routes', { body: { slug: '/known', title: 'Known' } })
const id: string = known.route_id

const route = { slug: '/other', title: 'Other', author_id: users.admin }
const lease = { name: 'here', holder: 'a', expires_at: timestamp(clock.now()) }
/** What comes from outside the type system: a spread of a record of anything. */
const misspelt: object = { tittle: 'x' }

const changes: Record<string, (tx: Writer) => Promise<unknown>> = {
  insert: tx => tx.insert(tables.routes, { ...route, ...misspelt }),
  insertAll: tx => tx.insertAll(tables.routes, [route, { ...route, slug: '/third', ...misspelt }]),
  update: tx => tx.update(tables.routes, id, { title: 'Changed', ...misspelt }),
  setSilently: tx => tx.setSilently(tables.contentData, 'content_data_id', [id], { ...misspelt }),
  keep: tx => tx.insertInternal(leases, { ...lease, ...misspelt }),
  keepAll: tx => tx.insertAllInternal(leases, [lease, { ...lease, name: 'there', ...misspelt }]),
  revise: tx => tx.updateInternal(leases, ['here'], { holder: 'b', ...misspelt }),
}

it.each(Object.keys(changes))('%s throws on an unknown column and changes nothing', async name => {
  const before = [await db.get(tables.routes, id), await db.count(leases), (await audits()).length]
  await expect(db.write(systemActor, tx => (changes[name] as (typeof changes)[string])(tx))).rejects.toThrow(
    /^(routes|content_data|leases) has no column tittle$/,
  )
  expect([await db.get(tables.routes, id), await db.count(leases), (await audits()).length]).toEqual(before)
})

it('throws on a name that every object has, too', async () => {
  const inherited: object = { toString: 'x' }
  await expect(db.write(systemActor, tx => tx.update(tables.routes, id, { ...inherited }))).rejects.toThrow(
    'routes has no column toString',
  )
})

it('leaves a column as it is when its member of a patch is undefined', async () => {
  await db.write(systemActor, async tx => {
    const { after } = await tx.update(tables.routes, id, { slug: undefined, title: 'Changed' })
    expect(after).toMatchObject({ slug: '/known', title: 'Changed' })
    await tx.insertInternal(leases, lease)
    await tx.updateInternal(leases, ['here'], { holder: undefined })
    await tx.updateInternal(leases, ['here'], { holder: undefined, expires_at: tx.now })
  })
  expect(await db.get(leases, 'here')).toMatchObject({ holder: 'a' })
})
