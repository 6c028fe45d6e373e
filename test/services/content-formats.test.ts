import { describe, expect, it } from 'vitest'
import { type FormatName, formatNames } from '../../src/services/delivery/formats/index.js'
import type { ContentTree, Node } from '../../src/services/delivery/tree.js'
import { atOnce } from '../../src/turns.js'
import { formatNamed } from '../support/formats.js'

const time = '2026-11-21T12:00:00.000Z'
const common = { author_id: 'user', date_created: time, date_modified: time, sort_order: 0 }
const context = {
  locale: '',
  chain: [],
  linked: new Map(),
  media: new Map(),
  origin: 'https://cms.example',
}

let n = 0
const id = (kind: string) => `${kind}-${++n}`

/** A node of one datatype; each field is `[name, type, value, settings?]`. */
function node(
  type: string,
  fields: readonly (readonly [string, string, string, Record<string, unknown>?])[] = [],
  children: Node[] = [],
): Node {
  const content_data_id = id('entry')
  const datatype_id = id('datatype')
  return {
    entry: {
      ...common,
      content_data_id,
      datatype_id,
      numeric_id: n,
      route_id: null,
      parent_id: null,
      root_id: content_data_id,
      status: 'published',
      published_at: time,
      published_by: 'user',
      publish_at: null,
      unpublish_at: null,
      revision: 1,
    },
    datatype: {
      ...common,
      datatype_id,
      label: type,
      name: type,
      type: 'content',
      parent_id: null,
      visibility: 'linked',
    },
    values: fields.map(([name, field_type, field_value, data = {}]) => {
      const field_id = id('field')
      return {
        field: {
          ...common,
          field_id,
          label: name,
          name,
          field_type,
          parent_id: datatype_id,
          data,
          ui_config: {},
          required: false,
          translatable: false,
        },
        value: {
          ...common,
          content_field_id: id('value'),
          content_data_id,
          field_id,
          locale: '',
          field_value,
          route_id: null,
        },
      }
    }),
    children,
  }
}

const onRoute = (root: Node, slug = '/blog/first'): ContentTree => ({
  route: { ...common, route_id: id('route'), slug, title: 'First <post>', status: 1, translations: {} },
  root,
})
const write = (name: FormatName, tree: ContentTree): string =>
  atOnce(
    formatNamed(name).write(tree, {
      ...context,
      stored: { route: tree.route, media: () => context.media },
    }),
  )
const read = (name: FormatName, tree: ContentTree) => JSON.parse(write(name, tree))

const typed = [
  ['text', 'text', 'Grüße 👋'],
  ['count', 'number', '7.50'],
  ['open', 'boolean', 'false'],
  ['day', 'date', '2026-01-31'],
  ['options', 'json', '{"a":[1]}'],
  ['empty', 'text', ''],
] as const

describe('clean', () => {
  it('is what the document says, byte for byte', () => {
    const tree = onRoute(node('post', typed, [node('card', [['text', 'text', 'x']], [node('link')])]))
    expect(write('clean', tree)).toBe(
      '{"type":"post","title":"First <post>","slug":"/blog/first","text":"Grüße 👋","count":"7.50","open":"false",' +
        '"day":"2026-01-31","options":"{\\"a\\":[1]}","empty":"","children":[{"type":"card","text":"x",' +
        '"children":[{"type":"link"}]}]}',
    )
  })
  it('hides no field behind its own members', () => {
    const fields = ['type', 'title', 'slug', 'children', '_title'].map(
      name => [name, 'text', `own ${name}`] as const,
    )
    expect(read('clean', onRoute(node('post', fields)))).toEqual({
      type: 'post',
      title: 'First <post>',
      slug: '/blog/first',
      _type: 'own type',
      _title: 'own title',
      _slug: 'own slug',
      _children: 'own children',
      __title: 'own _title',
      children: [],
    })
  })
})

describe('every format', () => {
  it.each(formatNames)('%s holds each entry once and every text', name => {
    const texts = ['one', 'two', 'three'].map(text => `${text} \u2028 "quoted" <b>`)
    const children = texts.map(text => node('card', [['body', 'json', JSON.stringify(text)]]))
    const text = write(name, onRoute(node('post', [], children)))
    for (const value of texts) {
      const found = text.split(JSON.stringify(value).slice(1, -1)).length - 1
      expect([
        value,
        found >= 1 || text.includes(JSON.stringify(JSON.stringify(value)).slice(1, -1)),
      ]).toEqual([value, true])
    }
  })
  it.each(formatNames)('%s goes 10,000 levels deep', name => {
    let tree = node('leaf', [['t', 'text', 'leaf']])
    for (let i = 0; i < 10_000; i++) tree = node('level', [['t', 'text', 'x']], [tree])
    const text = write(name, onRoute(tree))
    expect(text.split('leaf').length).toBeGreaterThan(1)
    if (name === 'markdown') expect(text.endsWith('\n###### leaf\n')).toBe(true)
    else expect(JSON.parse(text)).toBeTypeOf('object')
  })
})

describe('values', () => {
  const shown = (name: FormatName, type: string, value: string) => {
    const body = read(name, onRoute(node('post', [['v', type, value]])))
    return name === 'contentful' ? body.items[0].fields.v : name === 'strapi' ? body.data.v : body.v
  }
  it.each(['contentful', 'sanity', 'strapi'] as const)(
    '%s shows what does not fit its type as it is',
    name => {
      expect(shown(name, 'number', 'many')).toBe('many')
      expect(shown(name, 'boolean', 'perhaps')).toBe('perhaps')
      expect(shown(name, 'json', '{')).toBe('{')
      const lookalike = { kind: 'media', ids: ['x'] }
      expect(shown(name, 'json', JSON.stringify(lookalike))).toEqual(lookalike)
      const deep = '['.repeat(20_000) + ']'.repeat(20_000)
      expect(shown(name, 'json', deep)).toBe(deep)
    },
  )
})

describe('contentful', () => {
  it('links children and includes them, and leaves empty values out', () => {
    const child = node('card', [['text', 'text', 'x']])
    const root = node(
      'post',
      [
        ...typed,
        ['see', 'relation', child.entry.content_data_id.replace(/.*/, '01ARZ3NDEKTSV4RRFFQ69G5FAV')],
      ],
      [child],
    )
    const body = read('contentful', onRoute(root))
    expect(body).toMatchObject({ sys: { type: 'Array' }, total: 1, skip: 0, limit: 100 })
    expect(body.items[0].fields).toEqual({
      title: 'First <post>',
      slug: '/blog/first',
      text: 'Grüße 👋',
      count: 7.5,
      open: false,
      day: '2026-01-31',
      options: { a: [1] },
      children: [{ sys: { type: 'Link', linkType: 'Entry', id: child.entry.content_data_id } }],
    })
    expect(body.includes.Entry).toHaveLength(1)
    expect(body.includes.Entry[0]).toMatchObject({
      sys: { id: child.entry.content_data_id, contentType: { sys: { id: 'card' } } },
    })
    expect(read('contentful', onRoute(node('post'))).includes).toBeUndefined()
  })
})

describe('sanity', () => {
  it('is a document with keyed children', () => {
    const child = node('card', [
      ['text', 'text', 'x'],
      ['link', 'slug', 'a-b'],
    ])
    const root = node('post', typed, [child])
    expect(read('sanity', onRoute(root))).toEqual({
      _id: root.entry.content_data_id,
      _type: 'post',
      _rev: '2-8-2-20261121120000000',
      _createdAt: time,
      _updatedAt: time,
      title: 'First <post>',
      slug: { _type: 'slug', current: '/blog/first' },
      text: 'Grüße 👋',
      count: 7.5,
      open: false,
      day: '2026-01-31',
      options: { a: [1] },
      children: [
        {
          _key: child.entry.content_data_id,
          _type: 'card',
          text: 'x',
          link: { _type: 'slug', current: 'a-b' },
        },
      ],
    })
  })
})

describe('strapi', () => {
  it('is flat, with null for what is empty and a dynamic zone', () => {
    const child = node('card', [['text', 'text', 'x']])
    const root = node('post', typed, [child])
    expect(read('strapi', onRoute(root))).toEqual({
      data: {
        id: root.entry.numeric_id,
        documentId: root.entry.content_data_id,
        title: 'First <post>',
        slug: '/blog/first',
        createdAt: time,
        updatedAt: time,
        publishedAt: time,
        locale: null,
        text: 'Grüße 👋',
        count: 7.5,
        open: false,
        day: '2026-01-31',
        options: { a: [1] },
        empty: null,
        children: [{ __component: 'blocks.card', id: child.entry.numeric_id, text: 'x', children: [] }],
      },
      meta: {},
    })
  })
})

describe('wordpress', () => {
  it('is one page object whose texts are safe as HTML', () => {
    const root = node(
      'post',
      [
        ['text', 'text', '<script>x</script>'],
        ['empty', 'number', ''],
      ],
      [node('card', [['text', 'text', 'a & b']])],
    )
    const body = read('wordpress', onRoute(root))
    expect(body).toMatchObject({
      id: root.entry.numeric_id,
      date_gmt: '2026-11-21T12:00:00',
      slug: 'first',
      status: 'publish',
      type: 'post',
      link: 'https://cms.example/blog/first',
      title: { rendered: 'First &lt;post&gt;' },
      content: { rendered: '<p>&lt;script&gt;x&lt;/script&gt;</p>\n<p>a &amp; b</p>\n', protected: false },
      excerpt: { rendered: '<p>&lt;script&gt;x&lt;/script&gt;</p>\n' },
      acf: { text: '<script>x</script>', empty: '', children: [{ type: 'card', text: 'a & b' }] },
    })
  })
})
