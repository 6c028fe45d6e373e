import { describe, expect, it } from 'vitest'
import { amount } from '../support/effort.js'
import { chooser } from '../support/random.js'
import { slowest } from '../support/slowest.js'
import { blog, crowd } from './sample.js'

const site = await blog()
const { call } = site.app
const marker = 'for-nobody'
for (let i = 0; i < 3; i++) {
  const { route_id } = await site.make.route(`/blog/${marker}-${i}`, marker)
  const fields = { excerpt: marker, price: i, categories: JSON.stringify([site.news.content_data_id]) }
  await site.make.entry(site.types.post.datatype_id, { route_id }, { status: 'draft', fields })
}
await site.make.entry(site.types.secret.datatype_id, {}, { status: 'published', fields: { title: marker } })
const records: { content_data_id: string; numeric_id: number; status: string }[] = (
  await call('GET', '/api/v1/content')
).body
const idOf = new Map(records.map(({ content_data_id, numeric_id }) => [numeric_id, content_data_id]))
const numberOf = new Map(records.map(({ content_data_id, numeric_id }) => [content_data_id, numeric_id]))

const queries = crowd > 0 ? amount(60, 2500) : amount(500, 5000)
const hostile = [
  ...[
    "' OR '1'='1",
    '"; DROP TABLE content_data; --',
    '%',
    '_',
    '\\',
    '🚲',
    '\u0001',
    '%00',
    '{"$gt":""}',
    '[]',
    '..',
  ],
  ...[
    '1e400',
    '-0',
    'NaN',
    'null',
    'undefined',
    '__proto__',
    'constructor',
    '$where',
    'x'.repeat(250),
    '<script>',
  ],
]
const timed = slowest(crowd > 0)
const ask = (root: string, parameters: readonly (readonly [string, string])[]) => {
  const search = new URLSearchParams(parameters.map(([name, value]) => [name, value]))
  const path = `${root}?${search}`
  return timed(path, () => call('GET', path, { as: 'nobody' }))
}
/** What the query service gives to everybody for the same question. */
async function native(parameters: readonly (readonly [string, string])[]) {
  const { status, body } = await ask('/api/v1/query/post', parameters)
  return status === 200 ? body.data.map(({ id }: { id: string }) => id) : status
}

type Parameters = [string, string][]
const { below, one } = chooser(18)
const some = <T>(list: readonly T[], most: number): T[] =>
  Array.from({ length: 1 + below(most) }, () => one(list))

/** A condition of both: the path and the operator there and here, and the value. */
type Leaf = { path: string[]; name: string; operator: [string, string]; value: string }
type Tree = Leaf | { word: 'and' | 'or'; parts: Tree[] }
const texts = ['Short 1', 'Short', 'Post 1', '1', 'News', 'x', ...hostile]
const fields: { path: string[]; name: string; operators: string[]; values: readonly string[] }[] = [
  {
    path: ['excerpt'],
    name: 'excerpt',
    operators: ['eq', 'ne', 'gt', 'lte', 'contains', 'startsWith'],
    values: texts,
  },
  {
    path: ['title'],
    name: 'title',
    operators: ['eq', 'ne', 'lt', 'gte', 'contains', 'startsWith'],
    values: texts,
  },
  {
    path: ['price'],
    name: 'price',
    operators: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'],
    values: ['3', '4.5', '12', ...hostile],
  },
  {
    path: ['date'],
    name: 'date',
    operators: ['eq', 'gt', 'lte'],
    values: ['2026-01-05', '2026-01-09', ...hostile],
  },
  { path: ['hot'], name: 'hot', operators: ['eq', 'ne'], values: ['true', 'false', ...hostile] },
  {
    path: ['categories', 'slug'],
    name: 'categories.slug',
    operators: ['eq', 'ne', 'contains'],
    values: ['news', 'tips', ...hostile],
  },
  {
    path: ['author', 'name'],
    name: 'author.name',
    operators: ['eq', 'startsWith'],
    values: ['Ann', 'Bob', ...hostile],
  },
  {
    path: ['publishedAt'],
    name: 'published_at',
    operators: ['gt', 'lte'],
    values: site.posts.map(post => post.published_at),
  },
]
const here: Record<string, string> = { startsWith: 'starts' }

function leaf(): Leaf {
  const { path, name, operators, values } = one(fields)
  const operator = one(operators)
  return { path, name, operator: [`$${operator}`, here[operator] ?? operator], value: one(values) }
}
const tree = (levels: number): Tree =>
  levels === 0 || below(3) === 0
    ? leaf()
    : { word: one(['and', 'or'] as const), parts: some([0, 1], 2).map(() => tree(levels - 1)) }

const strapiOf = (at: string, given: Tree): Parameters =>
  'parts' in given
    ? given.parts.flatMap((part, i) => strapiOf(`${at}[$${given.word}][${i}]`, part))
    : [[`${at}${given.path.map(name => `[${name}]`).join('')}[${given.operator[0]}]`, given.value]]
const nativeOf = (at: string, given: Tree): Parameters =>
  'parts' in given
    ? given.parts.flatMap((part, i) => nativeOf(`${at}[${given.word}][${i}]`, part))
    : [[`${at}[${given.name}][${given.operator[1]}]`, given.value]]

const idsIn = (body: { data: { documentId: string }[] }) => body.data.map(({ documentId }) => documentId)

describe('strapi', () => {
  it(`gives the entries of the query service in ${queries} random queries`, async () => {
    let answered = 0
    for (let i = 0; i < queries; i++) {
      const filters = tree(2)
      const [name, sort] = one([
        ['price', 'price'],
        ['title', 'title'],
        ['publishedAt', 'published_at'],
        ['createdAt', 'id'],
      ] as const)
      const [down, limit, start] = [below(2) === 0, 1 + below(12), below(8)]
      const theirs: Parameters = [
        ...strapiOf('filters[$and][0]', filters),
        ['sort', `${name}:${down ? 'desc' : 'asc'}`],
        ['pagination[start]', `${start}`],
        ['pagination[limit]', `${limit}`],
        ...one<Parameters>([
          [],
          [['populate', '*']],
          [['populate[author][fields][0]', 'name']],
          [['fields[0]', 'price']],
        ]),
      ]
      const ours: Parameters = [
        ...nativeOf('filter[and][0]', filters),
        ['sort', `${down ? '-' : ''}${sort}`],
        ['limit', `${limit}`],
        ['offset', `${start}`],
      ]
      const { status, body, text } = await ask('/compat/strapi/api/posts', theirs)
      expect([theirs, status === 200 ? idsIn(body) : status]).toEqual([theirs, await native(ours)])
      expect(text).not.toContain(marker)
      if (status === 200 && body.data.length > 0) answered++
    }
    expect(answered).toBeGreaterThan(queries / 10)
  })

  // Drafts are looked for among few.
  it.skipIf(crowd > 0)('compares drafts as the query service compares what is published', async () => {
    const isPublished = new Set(
      records.flatMap(({ content_data_id, status }) => (status === 'published' ? [content_data_id] : [])),
    )
    for (let i = 0; i < queries / 4; i++) {
      const filters = tree(2)
      // Whom everybody sees is not the same where a relation leads to a draft.
      if (JSON.stringify(filters).includes('Bob')) continue
      const [name, sort] = one([
        ['price', 'price'],
        ['title', 'title'],
        ['excerpt', 'excerpt'],
      ] as const)
      const search = new URLSearchParams([
        ...strapiOf('filters[$and][0]', filters),
        ['sort', `${name}:desc`],
        ['pagination[limit]', '100'],
        ['status', 'draft'],
      ])
      const { status, body } = await call('GET', `/compat/strapi/api/posts?${search}`, { as: 'key' })
      const found = status === 200 ? idsIn(body).filter(id => isPublished.has(id)) : status
      const ours: Parameters = [
        ...nativeOf('filter[and][0]', filters),
        ['sort', `-${sort}`],
        ['limit', '100'],
      ]
      expect([filters, found]).toEqual([filters, await native(ours)])
    }
  })

  it(`refuses or answers ${queries} queries of anything`, async () => {
    const words = [
      'filters',
      'populate',
      'sort',
      'pagination',
      'fields',
      'locale',
      'status',
      'publicationState',
      'title',
      'author',
    ]
    const inner = [
      '$eq',
      '$or',
      '$not',
      '$in',
      '$null',
      '$between',
      '$containsi',
      'on',
      'fields',
      'populate',
      '0',
      '',
      'page',
      'id',
    ]
    const values = [
      '*',
      'true',
      '1',
      '-1',
      'asc',
      'title:desc',
      'author.name',
      'draft',
      'published',
      'preview',
      'de',
      ...hostile,
    ]
    const paths = [
      'posts',
      'pages',
      'homepage',
      'secrets',
      'upload/files',
      'i18n/locales',
      `posts/${site.draft.content_data_id}`,
    ]
    for (let i = 0; i < queries; i++) {
      const parameters = some([0], 4).map((): [string, string] => {
        const brackets = Array.from({ length: below(4) }, () => `[${one([...inner, ...words, ...hostile])}]`)
        return [one(words) + brackets.join(''), one(values)]
      })
      const path = `/compat/strapi/api/${one(paths)}`
      const { status, body, text } = await ask(path, parameters)
      expect([path, parameters, [200, 400, 403, 404].includes(status)]).toEqual([path, parameters, true])
      if (status !== 200) expect(body).toMatchObject({ data: null, error: { status } })
      expect(text).not.toMatch(new RegExp(`"[^"]*":"(?:${marker}|Hidden)`))
    }
  })
})

const numbers = records.map(({ numeric_id }) => numeric_id)
const listed = (name: string, given: readonly number[]): Parameters =>
  below(2) === 0 ? [[name, given.join()]] : given.map(number => [`${name}[]`, String(number)])
/** What nobody sees is found by nobody, also where public entries name it. */
const seen = new Set(
  records.filter(({ status }) => status === 'published').map(({ numeric_id }) => numeric_id),
)
const ulids = (given: readonly number[]) =>
  given.map(number => (seen.has(number) ? idOf.get(number) : undefined) ?? '0'.repeat(26)).join()

/** A parameter of WordPress with the same of the query service. */
const wordpressParts: (() => { theirs: Parameters; ours: Parameters })[] = [
  () => {
    const wanted = some([site.news.numeric_id, site.tips.numeric_id, 7], 2)
    return { theirs: listed('categories', wanted), ours: [['filter[categories][in]', ulids(wanted)]] }
  },
  () => {
    const wanted = some([site.ann.numeric_id, site.bob.numeric_id], 2)
    return { theirs: listed('author', wanted), ours: [['filter[author][in]', ulids(wanted)]] }
  },
  () => {
    const wanted = [...new Set(some(numbers, 6))]
    return { theirs: listed('include', wanted), ours: [['filter[id][in]', ulids(wanted)]] }
  },
  () => {
    const unwanted = [...new Set(some(numbers, 4))]
    const ours = unwanted.map((number, i): [string, string] => [
      `filter[and][${i}][id][ne]`,
      idOf.get(number) ?? '',
    ])
    return { theirs: listed('exclude', unwanted), ours }
  },
  () => {
    const { published_at } = one(site.posts)
    return { theirs: [['before', published_at]], ours: [['filter[published_at][lt]', published_at]] }
  },
  () => {
    const { published_at } = one(site.posts)
    return { theirs: [['after', published_at]], ours: [['filter[published_at][gt]', published_at]] }
  },
  () => {
    const slugs = some(['post-1', 'post-5', 'post-11'], 3)
    return {
      theirs: [['slug', slugs.join()]],
      ours: [['filter[slug][in]', slugs.map(slug => `/blog/${slug}`).join()]],
    }
  },
]

describe('wordpress', () => {
  it(`gives the entries of the query service in ${queries} random queries`, async () => {
    let answered = 0
    for (let i = 0; i < queries; i++) {
      const chosen = new Set(some(wordpressParts, 3))
      const parts = [...chosen].map(part => part())
      const [orderby, sort] = one([
        ['date', 'published_at'],
        ['id', 'id'],
        ['title', 'title'],
        ['slug', 'slug'],
      ] as const)
      const [down, limit, offset] = [below(2) === 0, 1 + below(12), below(4)]
      const theirs: Parameters = [
        ...parts.flatMap(part => part.theirs),
        ...(
          [
            ['orderby', orderby],
            ['order', down ? 'desc' : 'asc'],
            ['per_page', `${limit}`],
            ['offset', `${offset}`],
          ] as const
        ).map(([name, value]): [string, string] => [name, value]),
        ...one<Parameters>([[], [['_embed', '']], [['_embed', 'author,wp:term']], [['_fields', 'id,title']]]),
      ]
      const ours: Parameters = [
        ...parts.flatMap(part => part.ours),
        ...[
          ['sort', `${down ? '-' : ''}${sort}`],
          ['limit', `${limit}`],
          ['offset', `${offset}`],
        ].map(([name = '', value = '']): [string, string] => [name, value]),
      ]
      const { status, body, text } = await ask('/compat/wordpress/wp-json/wp/v2/posts', theirs)
      const found: string[] = await native(ours)
      expect([theirs, status, status === 200 ? body.map(({ id }: { id: number }) => id) : body]).toEqual([
        ...[theirs, 200],
        found.map(id => numberOf.get(id)),
      ])
      expect(text).not.toContain(marker)
      if (found.length > 0) answered++
    }
    expect(answered).toBeGreaterThan(queries / 10)
  })

  it(`refuses or answers ${queries} queries of anything`, async () => {
    const words = [
      ...[
        'page',
        'per_page',
        'offset',
        'search',
        'slug',
        'include',
        'exclude',
        'parent',
        'categories',
        'tags',
        'author',
      ],
      ...[
        'before',
        'after',
        'orderby',
        'order',
        'status',
        '_embed',
        '_fields',
        'context',
        'post',
        'sticky',
        'hide_empty',
      ],
    ]
    const values = [
      '1',
      '0',
      '2',
      '100',
      '-1',
      'date',
      'title',
      'asc',
      'publish',
      'draft',
      'any',
      '2026-01-01',
      'rider',
      ...hostile,
    ]
    const draft = String(site.draft.numeric_id)
    const paths = [
      'posts',
      'pages',
      'categories',
      'tags',
      'users',
      'media',
      'types',
      'secrets',
      `posts/${draft}`,
      `media/${draft}`,
    ]
    for (let i = 0; i < queries; i++) {
      const parameters = some([0], 4).map((): [string, string] => [
        one(words) + one(['', '', '[]', '[0]', '[a][b]']),
        one([...values, draft, marker]),
      ])
      const path = `/compat/wordpress/wp-json/wp/v2/${one(paths)}`
      const { status, body, text } = await ask(path, parameters)
      expect([path, parameters, [200, 400, 401, 404].includes(status)]).toEqual([path, parameters, true])
      if (status !== 200) expect(body).toMatchObject({ code: expect.any(String), data: { status } })
      expect(text).not.toMatch(new RegExp(`"rendered":"[^"]*(?:${marker}|Hidden)`))
    }
  })
})

/** The address of a field in Contentful; undefined for what it has no operator for. */
function contentfulOf({ path, operator: [, operator], value }: Leaf): [string, string] | undefined {
  const operators: Record<string, string> = { eq: '', contains: '[match]', starts: '', published_at: '' }
  if (operator === 'starts' || path[0] === 'publishedAt') return undefined
  return [`fields.${path.join('.fields.')}${operators[operator] ?? `[${operator}]`}`, value]
}

describe('contentful', () => {
  const root = '/compat/contentful/spaces/site/environments/master'

  it(`gives the entries of the query service in ${queries} random queries`, async () => {
    let answered = 0
    for (let i = 0; i < queries; i++) {
      const leaves = new Map(
        some([0], 2).flatMap(() => {
          const made = leaf()
          const theirs = contentfulOf(made)
          return theirs ? [[theirs[0], { theirs, made }] as const] : []
        }),
      )
      const [order, down, limit] = [one(['price', 'excerpt', 'date']), below(2) === 0, 1 + below(12)]
      const theirs: Parameters = [
        ['content_type', 'post'],
        ...[...leaves.values()].map(one => one.theirs),
        ['order', `${down ? '-' : ''}fields.${order}`],
        ['limit', `${limit}`],
        ...one<Parameters>([[], [['include', '0']], [['include', '3']], [['select', 'fields.title,sys.id']]]),
      ]
      const ours: Parameters = [
        ...[...leaves.values()].flatMap(({ made }, n) => nativeOf(`filter[and][${n}]`, made)),
        ['sort', `${down ? '-' : ''}${order}`],
        ['limit', `${limit}`],
      ]
      const { status, body, text } = await ask(`${root}/entries`, theirs)
      const found = status === 200 ? body.items.map(({ sys }: { sys: { id: string } }) => sys.id) : status
      expect([theirs, found]).toEqual([theirs, await native(ours)])
      expect(text).not.toContain(marker)
      if (status === 200 && body.items.length > 0) answered++
    }
    expect(answered).toBeGreaterThan(queries / 10)
  })

  it(`refuses or answers ${queries} queries of anything`, async () => {
    const words = [
      ...[
        'content_type',
        'order',
        'skip',
        'limit',
        'include',
        'select',
        'locale',
        'query',
        'links_to_entry',
        'sys.id',
      ],
      ...[
        'sys.id[in]',
        'fields.title',
        'fields.price[gt]',
        'fields.author.sys.id',
        'fields.x',
        'cursor',
        'fields.hot[near]',
      ],
    ]
    const values = [
      'post',
      'page',
      'secret',
      '1',
      '-1',
      'sys.createdAt',
      '-fields.price',
      'de',
      '*',
      ...hostile,
    ]
    const paths = [
      'entries',
      'assets',
      'content_types',
      'locales',
      'tags',
      `entries/${site.draft.content_data_id}`,
      'sync',
    ]
    for (let i = 0; i < queries; i++) {
      const parameters = some([0], 4).map((): [string, string] => [
        one(words) + one(['', '', '[ne]', '[x]']),
        one([...values, site.draft.content_data_id, marker]),
      ])
      const path = `${root}/${one(paths)}`
      const { status, body, text } = await ask(path, [
        ...one<Parameters>([[], [['content_type', 'post']]]),
        ...parameters,
      ])
      expect([path, parameters, [200, 400, 401, 404].includes(status)]).toEqual([path, parameters, true])
      if (status !== 200) expect(body).toMatchObject({ sys: { type: 'Error' } })
      expect(text).not.toMatch(new RegExp(`"[^"]*":"(?:${marker}|Hidden)"`))
    }
  })
})
