import { beforeEach, describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { formatNames } from '../../src/services/delivery/formats/index.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp({
  client_site: 'site.example',
  sitemap_enabled: true,
  readers_see_drafts: false,
  app_secret: 'a secret of the test, long enough',
})
const { call, db } = app
const make = factories(app)
const levels = ['private', 'linked', 'public'] as const
type Level = (typeof levels)[number]
type As = 'nobody' | 'viewer' | 'editor' | 'admin'

const put = (id: string, body: object) => call('PUT', `/api/v1/datatypes/?q=${id}`, { body })
const get = (path: string, as: As = 'nobody') => call('GET', path, { as })

/** A note refers to a second one, and that to a third; a report refers to the first. Each datatype has its own level. */
const noteTypes = [
  await make.datatype('First note', { type: '_global', name: 'first' }),
  await make.datatype('Second note', { type: '_global', name: 'second' }),
  await make.datatype('Third note', { type: '_global', name: 'third' }),
]
const [first = '', second = '', third = ''] = noteTypes.map(({ datatype_id }) => datatype_id as string)
for (const [i, id] of [first, second, third].entries()) {
  await make.field(id, 'Title', 'text')
  await make.field(id, 'Code', 'text')
  if (i < 2) await make.field(id, 'Next', 'relation', { data: { target: ['second', 'third'][i] } })
}
const report = (await make.datatype('Report', { visibility: 'public' })).datatype_id
await make.field(report, 'Title', 'text')
await make.field(report, 'Next', 'relation', { data: { target: 'first' } })
await make.field(report, 'Anything', 'relation')

const published = (type: string, fields: object, place = {}) =>
  make.entry(type, place, { status: 'published', fields })
const deep = await published(third, { title: 'third', code: 'code-3' })
const middle = await published(second, { title: 'second', code: 'code-2', next: deep.content_data_id })
const near = await published(first, { title: 'first', code: 'code-1', next: middle.content_data_id })
const draft = await make.entry(first, {}, { status: 'draft', fields: { title: 'draft', code: 'code-0' } })
const { route_id } = await make.route('/report', 'Report')
await published(report, { title: 'of first', next: near.content_data_id }, { route_id })
const other = await make.route('/other', 'Other')
const ofDraft = await published(
  report,
  { title: 'of a draft', next: draft.content_data_id, anything: near.content_data_id },
  { route_id: other.route_id },
)
const ids = [near, middle, deep].map(({ content_data_id }) => content_data_id as string)

async function setLevels(...given: readonly Level[]) {
  for (const [i, visibility] of given.entries())
    expect((await put([first, second, third][i] ?? '', { visibility })).status).toBe(200)
}
beforeEach(() => setLevels('linked', 'linked', 'linked'))

const query = (search: string, as: As = 'nobody', type = 'report') =>
  get(`/api/v1/query/${type}?${search.replaceAll('+', '%2B')}`, as)
const titles = async (search: string, as: As = 'nobody') => {
  const { status, body } = await query(search, as)
  return status === 200
    ? body.data.map(({ fields }: { fields: { title: string } }) => fields.title).sort()
    : [status, body.error]
}

describe('the visibility of a datatype', () => {
  it('is linked unless it is given, and one of three', async () => {
    const { visibility, is_public } = await make.datatype('Usual')
    expect([visibility, is_public]).toEqual(['linked', undefined])
    for (const path of ['/api/v1/datatypes', '/api/v1/admin/datatypes']) {
      const body = { label: 'Odd', type: 'content', visibility: 'secret' }
      const { status, body: refused } = await call('POST', path, { body })
      expect([path, status, refused.member]).toEqual([path, 400, 'visibility'])
    }
  })

  it('is what is_public was, and an old body is told so', async () => {
    const body = { label: 'Old', type: 'content', is_public: true }
    for (const [method, path] of [
      ['POST', '/api/v1/datatypes'],
      ['POST', '/api/v1/admin/datatypes'],
      ['PUT', `/api/v1/datatypes/?q=${first}`],
    ] as const) {
      const { status, body: refused } = await call(method, path, { body })
      expect([status, refused]).toEqual([
        400,
        {
          error: 'is_public: unknown member. Did you mean visibility?',
          code: 'unknown_member',
          member: 'is_public',
        },
      ])
    }
  })

  it('changes with one audit event and one event of its own', async () => {
    await app.subscribe(['datatype.updated', 'content.updated', 'content.published', 'content.unpublished'])
    const before = [(await app.audits()).length, (await app.deliveries()).length] as const
    expect((await put(first, { visibility: 'private' })).body.visibility).toBe('private')
    const [audited] = (await app.audits()).slice(before[0])
    expect(await app.audits()).toHaveLength(before[0] + 1)
    expect(audited).toMatchObject({
      table_name: 'datatypes',
      record_id: first,
      old_values: { visibility: 'linked' },
      new_values: { visibility: 'private' },
    })
    const sent = (await app.deliveries()).slice(before[1])
    expect(sent.map(({ event }) => event)).toEqual(sent.length === 0 ? [] : ['datatype.updated'])
  })
})

describe('entries of a private datatype', () => {
  /** What the public is told of the notes on every way that shows entries of others. */
  async function told(as: As = 'nobody') {
    const paths = [
      ...formatNames.map(format => `/report?format=${format}`),
      '/report?format=native&expand=next',
      '/report?format=native&expand=next.next',
      '/report?format=native&expand=next.next.next',
      ...['next', 'next.next', 'next.next.next'].map(path => `/api/v1/query/report?expand=${path}`),
    ]
    const found: string[] = []
    for (const path of paths) {
      const { status, text } = await get(path, as)
      expect([path, status]).toEqual([path, 200])
      found.push(...ids.filter(id => text.includes(id)), ...(text.match(/code-\d/g) ?? []))
    }
    return [...new Set(found)].sort()
  }
  const codes = (...depths: readonly number[]) => depths.map(n => `code-${n}`)
  const some = (...depths: readonly number[]) => depths.map(n => ids[n - 1] ?? '')

  it.each<[Level[], number[]]>([
    [['private', 'public', 'public'], []],
    [['linked', 'private', 'public'], [1]],
    [
      ['public', 'linked', 'private'],
      [1, 2],
    ],
    [
      ['linked', 'linked', 'linked'],
      [1, 2, 3],
    ],
    [
      ['public', 'public', 'public'],
      [1, 2, 3],
    ],
  ])('are shown in no format and at no depth: %j', async (given, shown) => {
    await setLevels(...given)
    expect(await told()).toEqual([...codes(...shown), ...some(...shown)].sort())
    expect(await told('viewer')).toEqual([...codes(...shown), ...some(...shown)].sort())
  })

  it('leave every answer at once, the remembered ones too, and come back', async () => {
    const paths = ['/report?format=native&expand=next', '/report?format=raw', '/api/v1/query/report']
    const shows = async () => {
      const answers = await Promise.all(paths.map(path => get(path)))
      return answers.map(({ text }) => text.includes(ids[0] ?? ''))
    }
    expect(await shows()).toEqual([true, true, true])
    expect(await shows()).toEqual([true, true, true])
    await setLevels('private')
    expect(await shows()).toEqual([false, false, false])
    await setLevels('linked')
    expect(await shows()).toEqual([true, true, true])
  })

  it('are neither listed nor searched, whoever asks', async () => {
    await setLevels('private')
    expect((await query('', 'nobody', 'first')).status).toBe(403)
    for (const as of ['viewer', 'editor'] as const) {
      for (const path of [
        '/api/v1/query/first',
        `/api/v1/query/first/${ids[0]}`,
        '/api/v1/search?q=first&type=first',
      ]) {
        const { status, body } = await get(path, as)
        expect([path, status, body.error]).toEqual([path, 403, expect.stringContaining('"first" is private')])
      }
      const { body } = await get('/api/v1/search?q=first', as)
      expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(ids[0])
    }
    await setLevels('public')
    const { body } = await get('/api/v1/search?q=first')
    expect(body.data.map(({ id }: { id: string }) => id)).toContain(ids[0])
  })

  it('are in the lists of management for who works on content, and for nobody else', async () => {
    await setLevels('private')
    const field = `/api/v1/content-fields/?content_data_id=${ids[0]}`
    const seen = async (as: As) => [
      (await get(`/api/v1/content/?q=${ids[0]}`, as)).status,
      (await get('/api/v1/content', as)).text.includes(ids[0] ?? ''),
      (await get(field, as)).body.length,
      // What refers to it names it no more.
      (await get('/api/v1/content-fields', as)).text.includes(ids[0] ?? ''),
    ]
    expect(await seen('viewer')).toEqual([404, false, 0, false])
    expect(await seen('editor')).toEqual([200, true, 3, true])
  })
})

describe('a private datatype in pages', () => {
  const setUp = async (slug: string, root: Level, block: Level) => {
    const page = (await make.datatype(`Page ${slug}`, { visibility: root })).datatype_id
    const card = (await make.datatype(`Card ${slug}`, { visibility: block })).datatype_id
    await make.field(page, 'Title', 'text')
    await make.field(card, 'Heading', 'text')
    const { route_id } = await make.route(`/${slug}`, slug)
    const top = await published(page, { title: 'top' }, { route_id })
    const hidden = await published(card, { heading: 'hidden-card' }, { parent_id: top.content_data_id })
    await published(page, { title: 'below-card' }, { parent_id: hidden.content_data_id })
    await published(page, { title: 'beside-card' }, { parent_id: top.content_data_id })
    return { page, card, id: top.content_data_id as string, slug: `/${slug}` }
  }
  const marks = ['hidden-card', 'below-card', 'beside-card']
  const shownIn = async (path: string, as: As = 'nobody') => {
    const { status, text } = await get(path, as)
    return [status, ...marks.filter(mark => text.includes(mark))]
  }

  it('leaves out a block with everything below it, in every format, in queries and in previews', async () => {
    const { id, slug, page } = await setUp('blocks', 'public', 'private')
    for (const format of formatNames)
      expect([format, ...(await shownIn(`${slug}?format=${format}`))]).toEqual([format, 200, 'beside-card'])
    expect(await shownIn(`/api/v1/page${slug}?format=clean`, 'viewer')).toEqual([200, 'beside-card'])
    expect(await shownIn(`/api/v1/page${slug}?format=clean`, 'editor')).toEqual([200, ...marks])
    const { name } = (await get(`/api/v1/datatypes/?q=${page}`, 'admin')).body
    const found = await get(`/api/v1/query/${name}?children=3`)
    expect(marks.filter(mark => found.text.includes(mark))).toEqual(['beside-card'])
    // What is below is found by nobody, and comes back with the block.
    expect(found.text).not.toContain('below-card')
    const link = await call('POST', '/api/v1/content/preview-links', { body: { content_data_id: id } })
    expect(await shownIn(`/api/v1/preview?token=${link.body.token}&format=clean`)).toEqual([
      200,
      'beside-card',
    ])
  })

  it('shows no page whose root it is, and lists none', async () => {
    const { id, slug, page } = await setUp('rooted', 'linked', 'linked')
    const listed = async () => [
      (await get(slug)).status,
      (await get('/sitemap.xml')).text.includes(slug),
      (await get('/api/v1/routes/published')).text.includes(id),
      (await get('/api/v1/routes', 'viewer')).text.includes(slug),
    ]
    expect(await listed()).toEqual([200, true, true, true])
    expect((await put(page, { visibility: 'private' })).status).toBe(200)
    expect(await listed()).toEqual([404, false, false, false])
    expect((await get(`/api/v1/page${slug}`, 'editor')).status).toBe(200)
    const link = await call('POST', '/api/v1/content/preview-links', { body: { content_data_id: id } })
    expect((await get(`/api/v1/preview?token=${link.body.token}`)).status).toBe(404)
    expect((await put(page, { visibility: 'public' })).status).toBe(200)
    expect(await listed()).toEqual([200, true, true, true])
  })

  it('leaves the index with everything below it, and comes back to it', async () => {
    const { card, id } = await setUp('indexed', 'public', 'linked')
    const inIndex = async () => db.count(tables.publicEntries, { root_id: id })
    const stored = async () => (await db.findAll(tables.publicEntries, { root_id: id })).length
    expect([await inIndex(), await stored()]).toEqual([4, 4])
    await put(card, { visibility: 'private' })
    expect([await inIndex(), await stored()]).toEqual([2, 2])
    // A change of the tree does not bring it back.
    await published(card, { heading: 'more' }, { parent_id: id })
    expect(await inIndex()).toBe(2)
    await put(card, { visibility: 'linked' })
    expect(await inIndex()).toBe(5)
  })

  it('is no global tree for the public', async () => {
    await setLevels('private')
    const titlesOf = async (as: As) => (await get('/api/v1/globals?format=clean&status=published', as)).text
    expect(await titlesOf('viewer')).not.toContain('code-1')
    expect((await get('/api/v1/globals/first?format=clean', 'viewer')).status).toBe(404)
    expect((await get('/api/v1/globals/first?format=clean', 'editor')).text).toContain('code-1')
  })
})

describe('conditions one relation away', () => {
  const refused = (path: string, name: string, field: string) => [
    400,
    `${path}: the public entries in ${name} have no field "${field}": without an API key, conditions look only into datatypes whose visibility is "public"`,
  ]

  it('look for a stranger only into what is public, and say the same of what there is not', async () => {
    for (const operator of ['starts', 'eq', 'ne', 'gt', 'exists', 'contains'])
      for (const field of ['code', 'none']) {
        const path = `filter[next.${field}][${operator}]`
        const value = operator === 'exists' ? 'true' : 'code-1'
        expect(await titles(`${path}=${value}`)).toEqual(refused(path, 'next', field))
      }
    const path = 'filter[or][1][next.code][eq]'
    expect(await titles(`filter[or][0][title]=x&${path}=code-1`)).toEqual(refused(path, 'next', 'code'))
    for (const column of ['id', 'slug', 'title', 'published_at']) {
      const path = `filter[next.${column}][exists]`
      const answer = await titles(`${path}=true`)
      // A field goes before a column of the same name.
      expect([column, ...answer]).toEqual([column, ...refused(path, 'next', column)])
    }
    await setLevels('public')
    expect(await titles('filter[next.code][starts]=code-')).toEqual(['of first'])
    await setLevels('private')
    expect(await titles('filter[next.code][starts]=code-')).toEqual(
      refused('filter[next.code][starts]', 'next', 'code'),
    )
  })

  it('look with a key into what is linked, and never into what is private', async () => {
    expect(await titles('filter[next.code]=code-1', 'viewer')).toEqual(['of first'])
    // The answer that somebody got with a key is for nobody without one.
    expect(await titles('filter[next.code]=code-1')).toEqual(refused('filter[next.code]', 'next', 'code'))
    expect((await query('filter[next.code]=code-1', 'viewer')).headers.get('cache-control')).toContain(
      'private',
    )
    await setLevels('private')
    for (const as of ['viewer', 'editor'] as const)
      expect(await titles('filter[next.code]=code-1', as)).toEqual([
        400,
        'filter[next.code]: the entries in next have no field "code"',
      ])
  })

  it('look, where a relation may name anything, into what the caller may list of it', async () => {
    // Reports have a title, and are public.
    expect(await titles('filter[anything.title][eq]=first')).toEqual([])
    expect(await titles('filter[anything.title][eq]=first', 'viewer')).toEqual(['of a draft'])
    expect(await titles('filter[anything.published_at][exists]=true')).toEqual([])
    expect(await titles('filter[anything.published_at][exists]=true', 'viewer')).toEqual(['of a draft'])
    await setLevels('public')
    expect(await titles('filter[anything.title][eq]=first')).toEqual(['of a draft'])
    expect(await titles('filter[anything.published_at][exists]=true')).toEqual(['of a draft'])
  })

  it('have no order there', async () => {
    for (const as of ['nobody', 'viewer'] as const)
      expect((await query('sort=next.code', as)).body.member).toBe('sort')
  })
})

describe('a condition on a relation', () => {
  it('does not tell whether a published entry refers to a draft', async () => {
    const id = draft.content_data_id
    const known = near.content_data_id
    for (const as of ['nobody', 'viewer'] as const) {
      expect(await titles(`filter[next][eq]=${id}`, as)).toEqual([])
      expect(await titles(`filter[next][in]=${id},${known}`, as)).toEqual(['of first'])
      expect(await titles(`filter[next][ne]=${id}`, as)).toEqual(['of a draft', 'of first'])
      expect(await titles('filter[next][exists]=true', as)).toEqual(['of first'])
      expect(await titles('filter[next][exists]=false', as)).toEqual(['of a draft'])
      expect(await titles(`filter[or][0][next]=${id}&filter[or][1][title]=none`, as)).toEqual([])
    }
    const { body } = await query(`filter[next]=${id}&count=true`)
    expect(body.meta.count).toBe(0)
    await call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
    expect(await titles(`filter[next][eq]=${id}`)).toEqual(['of a draft'])
    await call('POST', '/api/v1/content/unpublish', { body: { content_data_id: id } })
    expect(await titles(`filter[next][eq]=${id}`)).toEqual([])
  })

  it('does not tell whether one refers to what is private', async () => {
    expect(await titles(`filter[next]=${ids[0]}`)).toEqual(['of first'])
    await setLevels('private')
    expect(await titles(`filter[next]=${ids[0]}`)).toEqual([])
    expect(await titles('filter[next][exists]=true')).toEqual([])
  })

  it('takes what is no id for the id of nothing', async () => {
    for (const value of ['x', 'ä', '%25', '01']) expect(await titles(`filter[next]=${value}`)).toEqual([])
    expect(ofDraft.content_data_id).toHaveLength(26)
  })
})
