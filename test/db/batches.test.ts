import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import type { Slice } from '../../src/db/reader.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'

const { db, call, users } = await testApp()
const maxBytes = 256 * 1024

/** How long the values are, in order: many short ones, long ones among them, one that is a batch alone, a short end. */
const lengths = [
  ...Array.from({ length: 520 }, (_, i) => (i % 40 === 39 ? 50_000 : 10)),
  ...Array.from({ length: 20 }, () => 100_000),
  400_000,
  ...Array.from({ length: 5 }, () => 10),
]

await db.write(systemActor, async tx => {
  const { datatype_id } = await tx.insert(tables.datatypes, {
    label: 'x',
    name: 'x',
    type: 'content',
    author_id: users.admin,
  })
  for (const [i, length] of lengths.entries())
    await tx.insert(tables.fields, {
      label: `${i}`,
      name: `f${i}`,
      field_type: 'text',
      parent_id: datatype_id,
      data: { text: 'x'.repeat(length) },
      author_id: users.admin,
    })
})
const all = (await db.findAll(tables.fields)).map(({ label }) => label)

async function streamed(slice?: Slice) {
  const batches: { labels: string[]; bytes: number }[] = []
  for await (const rows of db.stream(tables.fields, {}, slice))
    batches.push({
      labels: rows.map(({ label }) => label),
      bytes: rows.reduce((sum, { data, ui_config }) => sum + JSON.stringify([data, ui_config]).length - 3, 0),
    })
  return batches
}

it('a batch has bounded bytes, or one row', async () => {
  const batches = await streamed()
  expect(batches.flatMap(({ labels }) => labels)).toEqual(all)
  for (const { labels, bytes } of batches) if (labels.length > 1) expect(bytes).toBeLessThanOrEqual(maxBytes)
  expect(batches.some(({ labels, bytes }) => labels.length === 1 && bytes > maxBytes)).toBe(true)
  expect(batches.length).toBeLessThan(60)
})

it('gives the rows of every slice, in order and no more', async () => {
  const [third] = await db.findAll(tables.fields, {}, { limit: 1, offset: 3 })
  const after = third?.field_id
  const slices: [Slice, string[]][] = [
    [{ limit: 1 }, all.slice(0, 1)],
    [{ limit: 12 }, all.slice(0, 12)],
    [{ limit: 500 }, all.slice(0, 500)],
    [{ limit: 530, offset: 7 }, all.slice(7, 537)],
    [{ offset: 540 }, all.slice(540)],
    [{ limit: 10, offset: 540 }, all.slice(540)],
    [{ after }, all.slice(4)],
    [{ after, limit: 501 }, all.slice(4, 505)],
    [{ after, limit: 3, offset: 520 }, all.slice(524, 527)],
    [{ limit: 10, offset: 540, newestFirst: true }, all.toReversed().slice(540, 550)],
    [{ offset: all.length }, []],
    [{ offset: 1000 }, []],
  ]
  for (const [slice, labels] of slices)
    expect(
      (await streamed(slice)).flatMap(batch => batch.labels),
      JSON.stringify(slice),
    ).toEqual(labels)
})

it('a list is the same JSON, however many batches it has', async () => {
  const { body, headers } = await call('GET', '/api/v1/fields')
  expect(headers.get('x-total-count')).toBe(String(all.length))
  expect(body.map(({ label }: { label: string }) => label)).toEqual(all)
})
