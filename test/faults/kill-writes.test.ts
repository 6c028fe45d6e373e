import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { DatabaseAddress } from '../../src/db/connect.js'
import { engine, migratedDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { type Product, startProduct } from '../support/process.js'
import { expectAuditedRows } from './audit-replay.js'
import { rowsOf } from './rows.js'

/** At least as many as there are different least numbers of answers. */
const rounds = amount(10, 50)
const writers = 8
/** How often each record is changed. A record's value is the number of its changes so far. */
const changes = 3

/** What was acknowledged last, and what may have been stored after it. */
interface Known {
  acknowledged: number
  sent: number
}

/** The answer, or undefined when the kill came first. */
type Send = (method: string, path: string, body: object) => Promise<Record<string, string> | undefined>

/** A record's number of changes. An entry has two values, which are changed together. */
const storedValues = `
  select route_id as id, title as value from routes
  union all select content_field_id, field_value from content_fields join fields using (field_id) where name = 'note'
  union all select content_data_id, min(field_value) from content_fields join fields using (field_id)
    where name in ('left', 'right') group by content_data_id`
const tornEntries = `
  select content_data_id from content_data left join content_fields using (content_data_id)
  left join fields on fields.field_id = content_fields.field_id and fields.name in ('left', 'right')
  group by content_data_id having count(fields.field_id) <> 2
    or count(distinct case when fields.field_id is not null then field_value end) <> 1`

interface History {
  table: string
  id: string
  changes: number
}

/** A request that changes a value raises the revision of its entry, and leaves no audit event of the entry. */
const valueEdits = (
  name: string,
) => `(select cast(field_value as integer) from content_fields v join fields using (field_id)
  where v.content_data_id = content_data.content_data_id and name = '${name}')`

/** How often each row was changed, by what it holds itself. */
const storedHistories = `
  select 'routes' as "table", route_id as id, cast(title as integer) as changes from routes
  union all select 'content_fields', content_field_id, cast(field_value as integer) from content_fields
  union all select 'content_data', content_data_id,
    revision - 1 - ${valueEdits('left')} - coalesce(1 + ${valueEdits('note')}, 0) from content_data`

/** Sends to the product until it is killed. */
function sender({ url }: Product, cookie: string) {
  const state = { killed: false, answered: 0, cut: 0 }
  const send: Send = async (method, path, body) => {
    try {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { Cookie: cookie, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path} gave ${answer.status} ${text}`)
      state.answered++
      return JSON.parse(text)
    } catch (error) {
      // What the kill cut off is a TypeError of fetch; anything else is a failure.
      if (!state.killed || !(error instanceof TypeError)) throw error
      state.cut++
      return undefined
    }
  }
  return { send, state }
}

async function makeDatatype(send: Send) {
  const { datatype_id } = (await send('POST', '/datatypes', { label: 'Page', type: 'content' })) ?? {}
  for (const label of ['Left', 'Right', 'Note'])
    await send('POST', '/fields', { label, field_type: 'text', parent_id: datatype_id })
  return datatype_id
}

it.runIf(engine === 'sqlite')(
  `loses no acknowledged write to ${rounds} kills`,
  // Each round starts the product: on a busy machine in some seconds.
  { timeout: 900_000 },
  async () => {
    const { address, drop } = await migratedDatabase()
    onTestFinished(drop)
    const known = new Map<string, Known>()
    let product = await startProduct(address)
    const cookie = await product.login()
    const datatype_id = await makeDatatype(sender(product, cookie).send)
    const [note] = await rowsOf(address, "select field_id from fields where name = 'note'")

    /** Makes a record and changes it. @returns its id, or undefined when the kill came first */
    async function record(
      send: Send,
      path: string,
      key: string,
      given: object,
      value: (n: number) => object,
    ) {
      const id = (await send('POST', path, { ...given, ...value(0) }))?.[key]
      if (!id) return undefined
      const state = { acknowledged: 0, sent: 0 }
      known.set(id, state)
      for (let n = 1; n <= changes; n++) {
        state.sent = n
        if (!(await send('PUT', `${path}/?q=${id}`, value(n)))) return undefined
        state.acknowledged = n
      }
      return id
    }

    async function write(send: Send, name: string): Promise<void> {
      for (let i = 0; i < 10_000; i++) {
        const route_id = await record(send, '/routes', 'route_id', { slug: `/${name}-${i}` }, n => ({
          title: String(n),
        }))
        const place = { datatype_id, route_id }
        const content_data_id =
          route_id &&
          (await record(send, '/content', 'content_data_id', place, n => ({ fields: { left: n, right: n } })))
        const value = { content_data_id, ...note }
        const last =
          content_data_id &&
          (await record(send, '/content-fields', 'content_field_id', value, n => ({ field_value: n })))
        if (!last) return
      }
    }

    /** Each record has its acknowledged value or one that was sent after it; from here on it is what is stored. */
    async function expectAcknowledged(from: DatabaseAddress): Promise<void> {
      expect(await rowsOf(from, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
      expect(await rowsOf(from, 'pragma foreign_key_check')).toEqual([])
      expect(await rowsOf(from, tornEntries)).toEqual([])
      const stored = new Map(
        (await rowsOf<{ id: string; value: string }>(from, storedValues)).map(row => [row.id, row.value]),
      )
      const lost = [...known].filter(
        ([id, { acknowledged, sent }]) => ![`${acknowledged}`, `${sent}`].includes(stored.get(id) ?? ''),
      )
      expect(lost).toEqual([])
      for (const [id, value] of stored) known.set(id, { acknowledged: Number(value), sent: Number(value) })
    }

    let cut = 0
    for (let round = 0; round < rounds; round++) {
      const { send, state } = sender(product, cookie)
      const work = Promise.all(Array.from({ length: writers }, (_, i) => write(send, `${round}-${i}`)))
      await Promise.race([work, sleep(50 + ((round * 37) % 251))])
      // A busy machine takes longer to get so far that a writer has made its route, its entry and its note.
      const least = writers * (1 + (round % 9)) + 1
      for (let wait = 0; state.answered < least && wait < 10_000; wait++)
        await Promise.race([work, sleep(10)])
      expect(state.answered).toBeGreaterThanOrEqual(least)
      state.killed = true
      await product.kill9()
      await work
      cut += state.cut
      // The next start, not this test, brings the log back into the file.
      expect(existsSync(`${address.db_url}-wal`)).toBe(true)
      await expectAcknowledged(address)
      product = await startProduct(address)
    }
    expect(cut).toBe(rounds * writers)
    expect(await product.stop()).toBe(0)
    await expectAcknowledged(address)

    const audited = await expectAuditedRows(address)
    const histories = await rowsOf<History>(address, storedHistories)
    for (const table of ['routes', 'content_data', 'content_fields'])
      expect(audited.get(table)?.size).toBe(histories.filter(row => row.table === table).length)
    expect(histories.filter(row => audited.get(row.table)?.get(row.id)?.updates !== row.changes)).toEqual([])
    const [notes] = await rowsOf(
      address,
      `select count(*) > 5 as some from content_fields
      join fields using (field_id) where name = 'note'`,
    )
    expect(notes).toEqual({ some: 1 })
  },
)
