import { expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call, db } = app
const make = factories(app)

/** The next transaction waits before its commit. */
let holding: { reached(): void; until: Promise<void> } | undefined
db.beforeCommit(async () => {
  const held = holding
  holding = undefined
  held?.reached()
  await held?.until
})

/**
 * Waits until no more statements of writers are sent: whoever is not done by then waits for a lock. On SQLite nobody
 * sends any while another writes.
 */
async function untilStill(): Promise<void> {
  const before = db.statementCounts.write
  let [last, same] = [before, 0]
  while (same < (last === before ? 1000 : 200)) {
    await db.find(tables.datatypes, { name: 'nothing' })
    const { write } = db.statementCounts
    same = write === last ? same + 1 : 0
    last = write
  }
}

type Answer = Awaited<ReturnType<typeof call>>

/** Runs the second while the first has done all but its commit. */
async function during(first: () => Promise<Answer>, second: () => Promise<Answer>): Promise<void> {
  let release = () => {}
  const until = new Promise<void>(resolve => {
    release = resolve
  })
  const reached = new Promise<void>(resolve => {
    holding = { reached: resolve, until }
  })
  const answers = [first()]
  await reached
  answers.push(second())
  await untilStill()
  release()
  for (const { status, text } of await Promise.all(answers))
    expect([text, status < 300]).toEqual([text, true])
}

const page = await make.datatype('Page', { type: '_global', visibility: 'public' })
let n = 0
/** A datatype that is about to be hidden, and the trees of pages that its entries may be in. */
async function scene() {
  const { datatype_id } = await make.datatype(`Note ${++n}`, { type: '_global', visibility: 'public' })
  const published = (type: string, place = {}) => make.entry(type, place, { status: 'published' })
  const [from, to] = [await published(page.datatype_id), await published(page.datatype_id)]
  const between = await published(page.datatype_id, { parent_id: from.content_data_id })
  const inside = await published(datatype_id, { parent_id: between.content_data_id })
  const hide = () => call('PUT', `/api/v1/datatypes/?q=${datatype_id}`, { body: { visibility: 'private' } })
  const create = (place: object) => () =>
    call('POST', '/api/v1/content', { body: { datatype_id, status: 'published', ...place } })
  return {
    hide,
    shown: () => db.findAll(tables.publicEntries, { datatype_id }),
    writes: {
      'a new tree': create({}),
      'a new entry in a tree': create({ parent_id: to.content_data_id }),
      'an entry that moves to another tree': () =>
        call('POST', '/api/v1/content/move', {
          body: { content_data_id: inside.content_data_id, parent_id: to.content_data_id },
        }),
      'an entry that moves to another tree with what it is in': () =>
        call('POST', '/api/v1/content/move', {
          body: { content_data_id: between.content_data_id, parent_id: to.content_data_id },
        }),
      'a copy': () =>
        call('POST', '/api/v1/content/duplicate', {
          body: { content_data_id: inside.content_data_id, parent_id: to.content_data_id },
        }),
    },
  }
}

const kinds = Object.keys((await scene()).writes) as (keyof Awaited<ReturnType<typeof scene>>['writes'])[]

it.each(kinds)(
  'the public book has nothing of a datatype that is hidden while there comes %s',
  async kind => {
    const { hide, shown, writes } = await scene()
    expect(await shown()).toHaveLength(1)
    await during(writes[kind], hide)
    expect(await shown()).toEqual([])
  },
)

it.each(kinds)(
  'the public book has nothing of a hidden datatype where meanwhile there comes %s',
  async kind => {
    const { hide, shown, writes } = await scene()
    await during(hide, writes[kind])
    expect(await shown()).toEqual([])
  },
)
