import { expect, it } from 'vitest'
import { addLongPosts, comparesUnderEdits, readsOf } from './memory.js'
import { blog } from './sample.js'

const site = await blog()
const { call } = site.app
let asked = 0
const ask = async (query: string) => {
  // Blanks make another query of the same meaning.
  const text = encodeURIComponent(query + ' '.repeat(++asked))
  const answer = await call('GET', `/compat/sanity/v1/data/query/site?query=${text}`, { as: 'nobody' })
  return { query, status: answer.status, result: answer.body.result }
}
const list = async (text: string) => {
  const { query, status, result } = await ask(text)
  expect([query, status]).toEqual([query, 200])
  return result
}

it.each(['', '{..., author->}', '{title, "by": author->name}'])(
  'shows documents that another list has found without reading them (%s)',
  async shown => {
    const reads = (order: string) =>
      readsOf(site, async () =>
        expect(await list(`*[_type == "post"] | order(${order}) [0...50] ${shown}`)).toHaveLength(12),
      )
    const first = await reads('publishedAt asc')
    expect(first - (await reads('publishedAt desc'))).toBeGreaterThanOrEqual(2)
  },
)

const shown = [
  '_id, title, body, excerpt, categories',
  '_id, _rev, _updatedAt, cover, "by": author->{name, photo}',
  '"sections": sections, title, "all": author->, "in": categories[]->name',
]

it.each([1, 2])(
  'shows what reading them anew shows, whatever is changed (%i)',
  seed =>
    comparesUnderEdits(site, seed, async one => {
      const members = one(shown)
      const of = (more: string) => list(`*[_type == "post"] | order(_id) [0...50] {${members}${more}}`)
      // What is chosen in other words is remembered apart.
      const anew = await of(`, "none": none${asked}`)
      for (const document of anew) delete document.none
      return { found: await of(''), anew }
    }),
  60_000,
)

it('refuses a list that is too large, whatever is remembered of it', async () => {
  await addLongPosts(site)
  const statusOf = async (from: number, to: number) =>
    (await ask(`*[_type == "post"] | order(_id) [${from}...${to}]`)).status
  expect([await statusOf(12, 14), await statusOf(14, 16), await statusOf(12, 32)]).toEqual([200, 200, 400])
})
