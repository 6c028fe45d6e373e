import { expect, it } from 'vitest'
import type { Io } from '../../src/cli/command.js'
import { showList } from '../../src/cli/table.js'

/** A list of 20 batches, each of which takes longer to be read than others should wait. */
async function* slowBatches() {
  for (let i = 0; i < 20; i++) {
    for (const until = performance.now() + 10; performance.now() < until; );
    yield [{ id: i }]
  }
}

it.each([{ limit: '0' }, { json: '' }])(
  'T3: a list lets others have their turn after each batch: %j',
  async options => {
    let written = ''
    const io = {
      write: (text: string) => {
        written += text
      },
      writeError: () => undefined,
      drained: async () => undefined,
    } as unknown as Io
    let turns = 0
    let isDone = false
    const count = () => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    await showList(io, options, { batches: slowBatches(), columns: ['id'] })
    isDone = true
    expect(turns).toBeGreaterThan(15)
    expect(written.match(/\d+/g)).toHaveLength(20)
  },
)
