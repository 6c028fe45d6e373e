import { expect, it, onTestFinished } from 'vitest'
import { callerOf, healthOf, made } from '../support/calls.js'
import { engine, freshDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'

/** Wide, against hangs only: by JavaScript's own expressions the shortest of the values would take years. */
const patience = 20_000
const patterns = ['^(a+)+$', '^(a|a)*$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y']

it.runIf(engine === 'sqlite')(
  'a pattern that tries again from each place holds nobody up, whatever the value',
  { timeout: 120_000 },
  async () => {
    const { address, drop } = await freshDatabase()
    onTestFinished(drop)
    const product = await startProduct(address)
    const call = await callerOf(product)
    const post = (path: string, body: object) => made(call('POST', path, body))
    const { datatype_id } = await post('/datatypes', { label: 'Page', type: '_global' })
    const names: string[] = []
    for (const [i, pattern] of patterns.entries()) {
      const field = { field_type: 'text', parent_id: datatype_id, data: { pattern } }
      names.push((await post('/fields', { ...field, label: `Text ${i}` })).name)
    }
    for (const length of [40, 100_000, 900_000]) {
      const value = `${'a'.repeat(length)}!`
      for (const name of names) {
        const [answer, health] = await Promise.all([
          call('POST', '/content', { datatype_id, status: 'published', fields: { [name]: value } }),
          healthOf(product, patience),
        ])
        const problem = /: must (match the pattern|have at most \d+ characters)/
        expect([name, length, answer.status, answer.body.error]).toEqual([
          name,
          length,
          400,
          expect.stringMatching(problem),
        ])
        expect([name, length, health]).toEqual([name, length, 200])
      }
    }
    // All of them in one entry, which is refused for each.
    const fields = Object.fromEntries(names.map(name => [name, `${'a'.repeat(2000)}!`]))
    const { content_data_id } = await post('/content', { datatype_id, fields })
    const refused = await call('POST', '/content/publish', { content_data_id })
    expect([refused.status, refused.body.errors]).toMatchObject([400, { length: names.length }])
  },
)
