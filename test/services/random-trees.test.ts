import { expect, it } from 'vitest'
import type { EntryRow, ValueRow } from '../../src/db/tables.js'
import { fieldTypes } from '../../src/services/content/field-types.js'
import type { Schema } from '../../src/services/delivery/content-model.js'
import { type FormatName, formatNames } from '../../src/services/delivery/formats/index.js'
import { buildTrees } from '../../src/services/delivery/tree.js'
import { atOnce } from '../../src/turns.js'
import { amount } from '../support/effort.js'
import { formatNamed } from '../support/formats.js'

const trees = amount(150, 500)
const time = '2026-11-21T12:00:00.000Z'
const common = { author_id: 'user', date_created: time, date_modified: time, sort_order: 0 }

/** The same trees on every run. */
function random(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  const shuffle = <T>(list: readonly T[]): T[] =>
    list
      .map(value => ({ value, key: next() }))
      .sort((a, b) => a.key - b.key)
      .map(({ value }) => value)
  return { next, below, shuffle }
}

const types = Object.keys(fieldTypes)
const datatype = {
  ...common,
  datatype_id: 'type',
  label: 'Thing',
  name: 'thing',
  type: 'content',
  parent_id: null,
  visibility: 'linked',
}
const fields = ['marker', ...types].map((name, i) => ({
  ...common,
  field_id: `field-${i}`,
  label: name,
  name: i === 0 ? 'marker' : `${name}Value`,
  field_type: i === 0 ? 'text' : name,
  parent_id: 'type',
  data: {},
  ui_config: {},
  required: false,
  translatable: false,
}))
const schema: Schema = {
  datatypes: new Map([['type', datatype]]),
  fields: new Map(fields.map(field => [field.field_id, field])),
  order: field => fields.findIndex(({ field_id }) => field_id === field.field_id),
  hasRichText: true,
  hasRelations: true,
  hasMedia: true,
  locales: new Map(),
}

const sampleOf: Readonly<Record<string, (r: ReturnType<typeof random>) => string>> = {
  text: r => ['', 'Grüße 👩‍👩‍👧 "x" \\ </script>', 'e\u0301', '\u2028'][r.below(4)] ?? '',
  textarea: () => 'a\r\nb\n\tc',
  number: r => ['0', '-1.5', '1e3', ''][r.below(4)] ?? '',
  date: () => '2024-02-29',
  datetime: () => '2026-01-01T01:00:00+01:00',
  boolean: r => (r.below(2) ? 'true' : 'false'),
  select: () => 'red',
  media: () => '',
  relation: () => '',
  json: r => ['{"a":[1,{"b":null}]}', '[]', 'null', '"x"'][r.below(4)] ?? '',
  richtext: () => '<p>Hello <b>you</b></p><script>x</script>',
  slug: () => 'a/b',
  email: () => 'a@example.com',
  url: () => 'https://example.com/?a=1&b=2',
}

/** A tree of up to 200 levels or 200 children, some of its entries drafts. */
function tree(seed: number) {
  const r = random(seed)
  const size = 1 + r.below(200)
  // From a chain over bushes to a fan.
  const reach = [1, 3, size][seed % 3] ?? 1
  const entries: EntryRow[] = []
  const values: ValueRow[] = []
  for (let i = 0; i < size; i++) {
    const content_data_id = `e${seed}x${i}e`
    const parent = i === 0 ? null : (entries[Math.max(0, i - 1 - r.below(reach))]?.content_data_id ?? null)
    entries.push({
      ...common,
      content_data_id,
      numeric_id: seed * 1000 + i + 1,
      datatype_id: 'type',
      route_id: i === 0 ? 'route' : null,
      parent_id: reach === size && i > 0 ? `e${seed}x0e` : parent,
      root_id: `e${seed}x0e`,
      sort_order: r.below(5),
      status: i > 0 && r.below(8) === 0 ? 'draft' : 'published',
      published_at: time,
      published_by: null,
      publish_at: null,
      unpublish_at: null,
      revision: 1,
    })
    const add = (field_id: string, field_value: string) =>
      values.push({
        ...common,
        content_field_id: `v${content_data_id}${field_id}`,
        content_data_id,
        field_id,
        locale: '',
        field_value,
        route_id: null,
      })
    add('field-0', content_data_id)
    for (const [n, type] of types.entries())
      if (r.below(3) === 0) add(`field-${n + 1}`, sampleOf[type]?.(r) ?? '')
  }
  const parents = new Map(entries.map(entry => [entry.content_data_id, entry]))
  const isSeen = (entry: EntryRow): boolean => {
    for (let at: EntryRow | undefined = entry; at; at = at.parent_id ? parents.get(at.parent_id) : undefined)
      if (at.status !== 'published') return false
    return true
  }
  const seen = entries.filter(isSeen).map(({ content_data_id }) => content_data_id)
  return { entries: r.shuffle(entries), values: r.shuffle(values), seen }
}

// biome-ignore lint/suspicious/noExplicitAny: each format has its own shape
type Any = any
const below = (node: Any, marker: (node: Any) => string): string[] => {
  const found: string[] = []
  const stack = [node]
  for (let at = stack.pop(); at; at = stack.pop()) {
    found.push(marker(at))
    stack.push(...(at.children ?? []))
  }
  return found
}
/** Which entries an answer contains, each as often as it does. */
const entriesIn: Readonly<Record<(typeof formatNames)[number], (body: Any) => string[]>> = {
  native: body => below(body, node => node.fields.marker),
  clean: body => below(body, node => node.marker),
  raw: body => below(body.root, node => node.content_data_id),
  contentful: body => [...body.items, ...(body.includes?.Entry ?? [])].map(({ sys }: Any) => sys.id),
  sanity: body => below(body, node => node.marker),
  strapi: body => below(body.data, node => node.marker),
  wordpress: body => below(body.acf, node => node.marker),
  markdown: body => body.match(/e\d+x\d+e/g) ?? [],
}

it(`writes each published entry of ${trees} random trees once, and no draft, in every format`, () => {
  const route = { ...common, route_id: 'route', slug: '/a', title: 'A', status: 1, translations: {} }
  for (let seed = 1; seed <= trees; seed++) {
    const { entries, values, seen } = tree(seed)
    const write = (name: FormatName, order: typeof entries) => {
      const { roots } = atOnce(buildTrees(order, values, schema, ({ entry }) => entry.status === 'published'))
      const [root] = roots
      if (!root) throw new Error('the tree has no root')
      const context = {
        locale: '',
        chain: [],
        linked: new Map(),
        media: new Map(),
        origin: '',
        stored: { route, media: () => new Map() },
      }
      return atOnce(formatNamed(name).write({ route, root }, context))
    }
    const bodies: Record<string, Any> = {}
    for (const name of formatNames) {
      const text = write(name, entries)
      // The order in which a database gives rows is nobody's business.
      expect([seed, name, write(name, entries.toReversed()) === text]).toEqual([seed, name, true])
      bodies[name] = name === 'markdown' ? text : JSON.parse(text)
      expect([seed, name, entriesIn[name](bodies[name]).sort()]).toEqual([seed, name, seen.toSorted()])
    }
    const texts = (node: Any): Any => ({
      marker: node.marker ?? node.fields.find(({ name }: Any) => name === 'marker').field_value,
      children: (node.children ?? []).map(texts),
    })
    expect([seed, texts(bodies.clean)]).toEqual([seed, texts(bodies.raw.root)])
  }
})
