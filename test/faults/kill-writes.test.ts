import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { engine, freshDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'

const rounds = 50
const writers = 8

interface Audit {
  operation: string
  table_name: string
  record_id: string
  new_values: string
}

/** What the audit events say a table holds, in their order. */
function replay(audits: readonly Audit[], table: string): Map<string, Record<string, unknown>> {
  const rows = new Map<string, Record<string, unknown>>()
  for (const { operation, table_name, record_id, new_values } of audits) {
    if (table_name !== table) continue
    if (operation === 'DELETE') rows.delete(record_id)
    else rows.set(record_id, { ...rows.get(record_id), ...JSON.parse(new_values) })
  }
  return rows
}

it.runIf(engine === 'sqlite')(
  'loses no acknowledged write to fifty kills',
  { timeout: 240_000 },
  async () => {
    const { address, drop } = await freshDatabase()
    /** The titles of each route that were acknowledged last, and those that were sent after them. */
    const acknowledged = new Map<string, string>()
    const sent = new Map<string, string[]>()

    for (let round = 0; round < rounds; round++) {
      const product = await startProduct(address)
      expect(product.readyAfter).toBeLessThan(5000)
      const headers = { Cookie: await product.login(), 'Content-Type': 'application/json' }
      const request = async (method: string, path: string, body: unknown) => {
        const answer = await fetch(`${product.url}/api/v1${path}`, {
          method,
          headers,
          body: JSON.stringify(body),
        })
        expect([200, 201]).toContain(answer.status)
        return answer.json() as Promise<{ route_id: string }>
      }
      let stop = false
      const write = async (writer: number) => {
        for (let i = 0; !stop; i++) {
          const slug = `/${round}-${writer}-${i}`
          const { route_id } = await request('POST', '/routes', { slug, title: 'new' })
          acknowledged.set(route_id, 'new')
          for (let change = 0; change < 3 && !stop; change++) {
            const title = `${slug} ${change}`
            sent.set(route_id, [...(sent.get(route_id) ?? []), title])
            await request('PUT', `/routes/?q=${route_id}`, { title })
            acknowledged.set(route_id, title)
            sent.set(route_id, [])
          }
        }
      }
      const ends = Array.from({ length: writers }, (_, writer) =>
        write(writer).catch(error => {
          // The kill cuts the connection; anything else is a failure.
          if (!(error instanceof TypeError)) throw error
        }),
      )
      await new Promise(resolve => setTimeout(resolve, 50 + ((round * 37) % 250)))
      await product.kill9()
      stop = true
      await Promise.all(ends)

      const db = new Database(address.db_url ?? '')
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
      expect(db.pragma('foreign_key_check')).toEqual([])
      const stored = new Map(
        (db.prepare('select route_id, title from routes').all() as { route_id: string; title: string }[]).map(
          ({ route_id, title }) => [route_id, title],
        ),
      )
      for (const [id, title] of acknowledged)
        expect([title, ...(sent.get(id) ?? [])]).toContain(stored.get(id))
      // What was sent and not acknowledged may have been stored; from here on it counts.
      for (const [id, title] of stored) acknowledged.set(id, title)
      sent.clear()
      db.close()
    }

    const db = new Database(address.db_url ?? '')
    const audits = db.prepare('select * from audit_events order by audit_event_id').all() as Audit[]
    const rows = db.prepare('select * from routes').all() as Record<string, unknown>[]
    const replayed = replay(audits, 'routes')
    expect(replayed.size).toBe(rows.length)
    for (const { date_modified, ...row } of rows)
      expect(replayed.get(String(row.route_id))).toMatchObject(row)
    expect(
      audits.filter(({ operation, table_name }) => `${operation} ${table_name}` === 'INSERT routes'),
    ).toHaveLength(rows.length)
    expect(rows.length).toBeGreaterThan(rounds * writers)
    db.close()
    await drop()
  },
)
