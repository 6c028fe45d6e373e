import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { engine, freshDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'
import { rowsOf } from './rows.js'

const kills = 3
const writers = 4

/** What the public sees here: everything, for all is published and nothing is pending. */
const values = `select content_data_id || ' ' || field_id || ' ' || field_value as row from content_fields
  join content_data using (content_data_id) where status = 'published' order by row`
const indexed = `select content_data_id || ' ' || field_id || ' ' || field_value as row
  from public_values where position = 0 order by row`
const named = `select field_value || ' ' || content_field_id as row from content_fields
  join fields using (field_id) where field_type = 'relation' order by row`
const references = `select target_id || ' ' || content_field_id as row from content_references order by row`
const words = `select content_data_id || ' y' || lower(datatype_id) || ' k0' || field_value as row from content_fields
  join content_data using (content_data_id) join fields using (field_id) where field_type = 'text' order by row`
const indexedWords = `select content_data_id || ' ' || words as row from public_search order by row`
const wrongKeys = `select field_value, text_key, number_key from public_values
  join fields using (field_id) where field_type = 'number' and position = 0
  and (text_key <> field_value or number_key is not cast(field_value as real))`
const entries = `select content_data_id as row from content_data where status = 'published' order by row`
const indexedEntries = 'select content_data_id as row from public_entries order by row'

it.runIf(engine === 'sqlite')(
  'the public book, the references and the full text have the values that are stored, whenever a write is killed',
  { timeout: 120_000 },
  async () => {
    const { address, drop } = await freshDatabase()
    onTestFinished(drop)
    let product = await startProduct(address)
    const cookie = await product.login()
    const send = async (method: string, path: string, body: object) => {
      const answer = await fetch(`${product.url}/api/v1${path}`, {
        method,
        headers: { Cookie: cookie, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path} gave ${answer.status} ${text}`)
      return JSON.parse(text)
    }
    const { datatype_id } = await send('POST', '/datatypes', {
      label: 'Item',
      type: '_global',
      visibility: 'public',
    })
    for (const label of ['Left', 'Right'])
      await send('POST', '/fields', { label, field_type: 'number', parent_id: datatype_id })
    await send('POST', '/fields', { label: 'Name', field_type: 'text', parent_id: datatype_id })
    await send('POST', '/fields', { label: 'Before', field_type: 'relation', parent_id: datatype_id })
    const { content_data_id: first } = await send('POST', '/content', { datatype_id, status: 'published' })

    for (let kill = 0; kill < kills; kill++) {
      const state = { killed: false, answered: 0 }
      const write = async () => {
        try {
          for (let n = 1; ; n++) {
            const fields = { left: n, right: n, before: first, name: `word${n}` }
            const made = await send('POST', '/content', { datatype_id, status: 'published', fields })
            await send('PUT', `/content/?q=${made.content_data_id}`, {
              fields: { left: n + 1, right: n + 1, before: made.content_data_id, name: `word${n + 1}` },
            })
            state.answered++
          }
        } catch (error) {
          // What the kill cut off is a TypeError of fetch; anything else is a failure.
          if (!state.killed || !(error instanceof TypeError)) throw error
        }
      }
      const work = Promise.all(Array.from({ length: writers }, write))
      for (let wait = 0; state.answered < 10 + kill && wait < 1000; wait++)
        await Promise.race([work, sleep(10)])
      expect(state.answered).toBeGreaterThanOrEqual(10)
      state.killed = true
      await product.kill9()
      await work
      product = await startProduct(address)
      const stored = await rowsOf(address, values)
      expect(stored.length).toBeGreaterThan(40 * (kill + 1) - 1)
      expect(await rowsOf(address, indexed)).toEqual(stored)
      expect(await rowsOf(address, indexedEntries)).toEqual(await rowsOf(address, entries))
      expect(await rowsOf(address, wrongKeys)).toEqual([])
      expect(await rowsOf(address, indexedWords)).toEqual(await rowsOf(address, words))
      expect(await rowsOf(address, references)).toEqual(await rowsOf(address, named))
      expect((await rowsOf(address, named)).length).toBeGreaterThan(0)
      const answer = await fetch(`${product.url}/api/v1/query/item?count=true&limit=1`)
      const { meta } = (await answer.json()) as { meta: { count: number } }
      expect(meta.count).toBe(stored.length / 4 + 1)
      const found = await fetch(`${product.url}/api/v1/search?q=word&count=true`)
      expect(((await found.json()) as { meta: { count: number } }).meta.count).toBe(stored.length / 4)
    }
    expect(await product.stop()).toBe(0)
  },
)
