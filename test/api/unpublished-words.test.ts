import { expect, it } from 'vitest'
import { foundRoots } from '../../src/resources/views/work-list.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp({ publish_mode: 'staged' })
const { call, services } = app
const { datatype, field, route, entry } = factories(app)

const note = await datatype('Note', { visibility: 'public' })
const text = await field(note.datatype_id, 'Text', 'text')
const secret = await datatype('Secret', { visibility: 'private' })
await field(secret.datatype_id, 'Text', 'text')

async function page(slug: string, words: string, of = note) {
  const { route_id } = await route(slug)
  const { content_data_id } = await entry(of.datatype_id, { route_id }, { fields: { text: words } })
  return content_data_id as string
}
async function publish(content_data_id: string) {
  const { status, text } = await call('POST', '/api/v1/content/publish', { body: { content_data_id } })
  expect([status, text]).toEqual([200, text])
}
const found = (words: string) => foundRoots(words, 50, app)
const called = (words: string) => services.space.matchingEntries(words, [text.field_id], 20)

const shown = await page('/shown', 'mountain bicycles')
await publish(shown)
const draft = await page('/draft', 'racing bicycles')
const edited = await page('/edited', 'old tandems')
await publish(edited)
const holding = await page('/holding', 'a shed')
await publish(holding)
const child = await entry(note.datatype_id, { parent_id: holding }, { fields: { text: 'unicycles' } })
const kept = await page('/kept', 'stolen bicycles', secret)
await publish(kept)

it('finds what is public by its words, and the last one by its beginning', async () => {
  expect(await found('mountain bicy')).toEqual([shown])
  expect(await found('bicycles mountain')).toEqual([shown])
  expect(await called('mountain')).toEqual([])
})

it('finds drafts and entries of private datatypes also by parts of words', async () => {
  expect(new Set(await found('bicycles'))).toEqual(new Set([shown, draft, kept]))
  expect(await found('acing cycles')).toEqual([draft])
  expect(await called('acing')).toEqual([draft])
  expect(await found('tolen')).toEqual([kept])
})

it('finds a public tree by the words of a draft in it', async () => {
  expect(await found('unicycles')).toEqual([holding])
  expect(await called('unicycles')).toEqual([child.content_data_id])
})

it('finds a tree by the words of its unpublished changes', async () => {
  expect(await found('recumbents')).toEqual([])
  const { status } = await call('PUT', '/api/v1/content', {
    body: { content_data_id: edited, fields: { text: 'new recumbents' } },
  })
  expect(status).toBe(200)
  expect(await found('recumbents')).toEqual([edited])
  expect(await called('recumbents')).toEqual([edited])
  await publish(edited)
  expect(await found('recumbents')).toEqual([edited])
  expect([await found('tandems'), await called('recumbents')]).toEqual([[], []])
})

it('finds nothing for words that no text can have', async () => {
  for (const words of ['', '  ', '%', '_', '!', '\u{d800}', 'x'.repeat(1000), 'a b c d e f g h i j k l m n'])
    expect([words, await found(words)]).toEqual([words, []])
})
