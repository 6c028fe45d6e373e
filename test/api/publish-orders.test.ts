import { describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { formatNames } from '../../src/services/delivery/formats/index.js'
import { testApp } from '../support/app.js'
import { engine } from '../support/database.js'
import { amount } from '../support/effort.js'

type Act = 'publish' | 'unpublish' | 'restore' | 'drop'
interface Step {
  act: Act
  of: number
}
const steps = (['publish', 'unpublish', 'restore', 'drop'] as const).flatMap(act =>
  [0, 1, 2].map((of): Step => ({ act, of })),
)
const orders = [0, 1, 2].flatMap(a => [0, 1, 2].flatMap(b => [0, 1, 2].map(c => [a, b, c])))
/** A run that is not thorough asks in one format after each step, in the next after the next. */
const formatsAfter = (step: number) =>
  Array.from(
    { length: amount(1, formatNames.length) },
    (_, i) => formatNames[(step + i) % formatNames.length] ?? '',
  )
const permutations = orders.filter(order => new Set(order).size === 3)

/** The shortest round in which every sequence of so many steps occurs (de Bruijn), by Lyndon words. */
function everySequence(length: number, of: readonly Step[] = steps): Step[] {
  const round: number[] = []
  let word = [-1]
  while (word.length > 0) {
    word[word.length - 1] = (word.at(-1) ?? 0) + 1
    if (length % word.length === 0) round.push(...word)
    const period = word.length
    while (word.length < length) word.push(word[word.length - period] ?? 0)
    const last = word.findLastIndex(at => at < of.length - 1)
    word = word.slice(0, last + 1)
  }
  return [...round, ...round.slice(0, length - 1)].map(at => of[at] as Step)
}

it('is every sequence once', () => {
  const round = everySequence(2).map(step => steps.indexOf(step))
  const pairs = new Set(round.slice(1).map((at, i) => `${round[i]} ${at}`))
  expect([round.length, pairs.size]).toEqual([145, 144])
})

describe.each(['live', 'staged'] as const)('in %s mode every relation stays in place', async publish_mode => {
  const app = await testApp({ publish_mode, version_max_per_content: 3 })
  const { call, db, services } = app
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
    expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text])
    return answer.body
  }
  const type = (await done('POST', '/datatypes', { label: 'Page', type: 'content' })).datatype_id
  const field = async (label: string, field_type: string, more: object = {}) =>
    (await done('POST', '/fields', { label, field_type, parent_id: type, ...more })).field_id as string
  await field('Name', 'text')
  const next = await field('Next', 'relation')
  const also = await field('Also', 'relation', { data: { cardinality: 'many' } })

  interface Page {
    id: string
    number: number
    slug: string
  }
  let made = 0
  /** Three drafts: each refers to the one after it, and to both others. */
  async function three(): Promise<Page[]> {
    const pages: Page[] = []
    for (let i = 0; i < 3; i++) {
      const slug = `/page-${++made}`
      const { route_id } = await done('POST', '/routes', { slug, title: slug })
      const entry = await done('POST', '/content', { datatype_id: type, route_id, fields: { name: 'x' } })
      pages.push({ id: entry.content_data_id, number: entry.numeric_id, slug })
    }
    for (const [i, { id }] of pages.entries())
      await done('PUT', `/content?q=${id}`, {
        fields: { next: pages[(i + 1) % 3]?.id, also: JSON.stringify(othersOf(pages, i).map(one => one.id)) },
      })
    return pages
  }
  const othersOf = (pages: Page[], i: number) => pages.filter((_, j) => j !== i)

  /** Stored relations are what they were, and each format shows those of them that lead to something public. */
  async function check(
    pages: Page[],
    isPublic: readonly boolean[],
    after: string,
    formats: readonly string[],
  ) {
    const ids = pages.map(({ id }) => id)
    const values = await db.findIn(tables.contentFields, 'content_data_id', ids)
    const storedOf = (id: string, field_id: string) =>
      values.find(value => value.content_data_id === id && value.field_id === field_id)?.field_value
    for (const [i, { id, slug }] of pages.entries()) {
      const others = othersOf(pages, i)
      const stored = [storedOf(id, next), storedOf(id, also)]
      expect([after, ...stored]).toEqual([
        after,
        pages[(i + 1) % 3]?.id,
        JSON.stringify(others.map(one => one.id)),
      ])
      for (const format of formats) {
        const { status, text } = await call('GET', `${slug}?format=${format}`, { as: 'nobody' })
        expect([after, slug, status]).toEqual([after, slug, isPublic[i] ? 200 : 404])
        if (!isPublic[i]) continue
        for (const other of others) {
          // Markdown names pages by their addresses.
          const isNamed = new RegExp(`${other.slug}(?!\\d)`).test(text)
          const shown =
            format === 'markdown' ? isNamed : text.includes(other.id) || text.includes(String(other.number))
          expect([after, format, slug, other.slug, shown]).toEqual([
            after,
            format,
            slug,
            other.slug,
            isPublic[pages.indexOf(other)],
          ])
        }
      }
    }
  }

  async function play(
    round: readonly Step[],
    formatsOf: (step: number) => readonly string[],
  ): Promise<number> {
    const pages = await three()
    const isPublic = [false, false, false]
    const versions: string[] = []
    const keep = async ({ id }: Page) =>
      (await done('POST', '/content/versions', { content_data_id: id })).content_version_id as string
    for (const page of pages) versions.push(await keep(page))
    for (const [n, { act, of }] of round.entries()) {
      const { id } = pages[of] as Page
      // Something waits, or is to be undone, before each step.
      await done('PUT', `/content?q=${id}`, { fields: { name: `step ${n}` } })
      if (act === 'drop') await done('POST', '/content/changes/drop', { content_data_id: id })
      else if (act === 'restore') {
        const given = versions[of] as string
        const { kept_version_id } = await done('POST', '/content/restore', { content_version_id: given })
        versions[of] = kept_version_id
      } else {
        // The version to restore next must not be pushed out by those that publishing keeps.
        await done('POST', `/content/${act}`, { content_data_id: id })
        versions[of] = await keep(pages[of] as Page)
        isPublic[of] = act === 'publish'
      }
      await check(pages, isPublic, `${n}: ${act} ${of}`, formatsOf(n))
    }
    await services.settle()
    return round.length
  }

  it.each(permutations)(
    'when they are published in the order %i %i %i, and taken back in others',
    async (...order) => {
      const at = permutations.findIndex(permutation => String(permutation) === String(order))
      for (let n = 0; n < amount(2, permutations.length); n++) {
        const back = permutations[(at + n) % permutations.length] ?? []
        const pages = await three()
        const isPublic = [false, false, false]
        for (const act of ['publish', 'unpublish', 'publish'] as const)
          for (const of of act === 'unpublish' ? back : order) {
            await done('POST', `/content/${act}`, { content_data_id: pages[of]?.id })
            isPublic[of] = act === 'publish'
          }
        await check(pages, isPublic, `${order} ${back}`, formatsAfter(at + n))
      }
    },
  )

  it('after every two steps, in every format', async () => {
    expect(await play(everySequence(2), formatsAfter)).toBe(145)
  })

  const pagesOfThreeSteps = amount(2, 3)
  it.runIf(publish_mode === 'staged' && engine === 'sqlite')(
    `after every three steps with ${pagesOfThreeSteps} of the pages`,
    async () => {
      const some = steps.filter(({ of }) => of < pagesOfThreeSteps)
      expect(await play(everySequence(3, some), () => ['clean'])).toBe(some.length ** 3 + 2)
    },
    240_000,
  )
})
