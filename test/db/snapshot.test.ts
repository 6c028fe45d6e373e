import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import type { Reader } from '../../src/db/reader.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'

const { db, users } = await testApp()
const add = (slug: string) =>
  db.write(systemActor, tx => tx.insert(tables.routes, { slug, title: 'x', author_id: users.admin }))
const slugs = async (read: Reader) => (await read.findAll(tables.routes)).map(({ slug }) => slug)
const never = new Promise<never>(() => {})

it('shows one moment to all reads of a snapshot, while others read and write', async () => {
  await add('/before')
  await db.snapshot(async read => {
    // Written before the first read, but after the moment at which the work began.
    await add('/first')
    expect(await slugs(read)).toEqual(['/before'])
    const { route_id } = await add('/second')
    expect(await slugs(read)).toEqual(['/before'])
    expect(await read.get(tables.routes, route_id)).toBeUndefined()
    expect(await db.get(tables.routes, route_id)).toMatchObject({ slug: '/second' })
    await db.write(systemActor, tx => tx.remove(tables.routes, route_id))
    expect(await slugs(db)).toEqual(['/before', '/first'])
    expect(await read.count(tables.routes)).toBe(1)
  })
  expect(await db.snapshot(slugs)).toEqual(['/before', '/first'])
})

it('takes any number of snapshots, each of its own moment', async () => {
  const before = await db.count(tables.routes)
  const counted = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      db.snapshot(async read => {
        const first = await read.count(tables.routes)
        await add(`/many-${i}`)
        return [first, await read.count(tables.routes)]
      }),
    ),
  )
  for (const [first, second] of counted) expect(second).toBe(first)
  expect(await db.snapshot(read => read.count(tables.routes))).toBe(before + 20)
})

it('releases what a failed snapshot held', async () => {
  for (let i = 0; i < 12; i++) {
    const failed = db.snapshot(async read => {
      await read.count(tables.routes)
      throw new Error(`at ${i}`)
    })
    await expect(failed).rejects.toThrow(`at ${i}`)
  }
  const broken = db.snapshot(read =>
    read.query({ values: [], build: knex => knex('nowhere'), rows: () => [] }, {}),
  )
  await expect(broken).rejects.toThrow('nowhere')
  expect(await db.snapshot(async () => 'again')).toBe('again')
  expect((await add('/after-failures')).slug).toBe('/after-failures')
})

it('ends a snapshot that takes too long, and lets nobody read by one that has ended', async () => {
  const readers: Reader[] = []
  const hanging = Array.from({ length: 12 }, () =>
    db.snapshot(
      read => {
        readers.push(read)
        return never
      },
      { maxMs: 1 },
    ),
  )
  const ended = await Promise.allSettled(hanging)
  for (const result of ended) expect(result).toMatchObject({ status: 'rejected', reason: { status: 503 } })
  await db.snapshot(async read => readers.push(read))
  expect(readers).toHaveLength(13)
  for (const read of readers)
    await expect(read.count(tables.routes)).rejects.toThrow(/took too long|has ended/)
})
