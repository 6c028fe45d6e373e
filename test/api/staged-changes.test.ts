import { describe, expect, it } from 'vitest'
import { stagedSite } from '../support/staged.js'

const {
  app,
  api,
  post,
  done,
  global,
  name,
  entry,
  page,
  publish,
  unpublish,
  set,
  changes,
  drop,
  clean,
  working,
  traces,
} = await stagedSite()
const { call, clock } = app
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

describe('relations', () => {
  const shows = async (slug: string) => {
    const { body, text } = await call('GET', `${slug}?format=contentful`, { as: 'nobody' })
    const entries = (body.includes?.Entry ?? []) as { sys: { id: string }; fields: { name?: string } }[]
    return { names: new Map(entries.map(({ sys, fields }) => [sys.id, fields.name])), text }
  }

  it('show what the public sees of the other page, never what waits there', async () => {
    const target = await page()
    const source = await page({ next: target.a })
    const before = (await shows(source.slug)).text
    await set(target.a, 'secret')
    expect((await shows(source.slug)).text).toBe(before)
    await done('POST', '/content/move', { content_data_id: target.a, parent_id: target.b })
    expect((await shows(source.slug)).text).toBe(before)
    await unpublish(target.root)
    expect((await shows(source.slug)).names.has(target.a)).toBe(false)
    expect((await clean(source.slug)).next).toBe('')
    await publish(target.root)
    expect((await shows(source.slug)).names.get(target.a)).toBe('secret')
  })

  it('keep an entry that is deleted, until its page is published', async () => {
    const target = await page()
    const source = await page({ next: target.a })
    const before = (await shows(source.slug)).text
    await api('DELETE', `/content?q=${target.a}&recursive=true`)
    expect((await shows(source.slug)).text).toBe(before)
    await drop(target.root)
    expect((await shows(source.slug)).names.get(target.a)).toBe('a')
    await api('DELETE', `/content?q=${target.a}&recursive=true`)
    await publish(target.root)
    expect((await clean(source.slug)).next).toBe('')
  })

  it('follow an entry into another tree when the public does', async () => {
    const [from, to] = [await page(), await page()]
    const source = await page({ next: from.a })
    await done('POST', '/content/move', { content_data_id: from.a, parent_id: to.root })
    expect((await shows(source.slug)).names.get(from.a)).toBe('a')
    await publish(from.root)
    expect((await shows(source.slug)).names.has(from.a)).toBe(false)
    await set(from.a, 'a 2')
    await publish(to.root)
    expect((await shows(source.slug)).names.get(from.a)).toBe('a 2')
  })

  it('of the page itself wait as every value does', async () => {
    const [one, two] = [await page(), await page()]
    const source = await page({ next: one.root })
    await done('PUT', `/content?q=${source.root}`, { fields: { next: two.root } })
    expect((await clean(source.slug)).next).toBe(one.root)
    expect((await changes(source.root)).changes[0].fields).toMatchObject([
      { name: 'next', locale: '', public: one.root, working: two.root },
    ])
    await drop(source.root)
    expect((await working(source.slug)).next).toBe(one.root)
  })
})

describe('global trees', () => {
  it('wait too', async () => {
    const menu = await done('POST', '/content', { datatype_id: global, fields: { name: 'menu' } })
    const id = menu.content_data_id
    const publicly = async () =>
      (await api('GET', '/globals?format=clean&status=published')).body.map(
        (one: { name: string }) => one.name,
      )
    const own = async () =>
      (await api('GET', '/globals?format=clean')).body.map((one: { name: string }) => one.name)
    expect(await publicly()).toEqual([])
    await publish(id)
    await set(id, 'menu 2')
    await post('/content', { datatype_id: global, status: 'published', fields: { name: 'second' } })
    expect([await publicly(), await own()]).toEqual([
      ['menu', 'second'],
      ['menu 2', 'second'],
    ])
    await publish(id)
    expect(await publicly()).toEqual(['menu 2', 'second'])
  })
})

describe('the changes of a tree', () => {
  it('are told entry by entry, with places and values', async () => {
    const { root, a, b, deep } = await page()
    await set(a, 'a 2')
    await api('DELETE', `/content?q=${deep}`)
    const fresh = await entry({ parent_id: a }, 'fresh')
    await done('POST', '/content/move', { content_data_id: b, parent_id: a })
    const told = await changes(deep).catch(() => changes(a))
    expect(told.content_data_id).toBe(root)
    expect(told.waiting_since).toBe(new Date(clock.now()).toISOString())
    const field = { field_id: name, name: 'name', locale: '' }
    const place = (parent_id: string) => ({ parent_id, sort_order: expect.any(Number) })
    expect(told.changes).toEqual([
      {
        content_data_id: a,
        change: 'updated',
        status: 'published',
        place: { public: place(root), working: place(root) },
        fields: [{ ...field, public: 'a', working: 'a 2' }],
      },
      {
        content_data_id: b,
        change: 'moved',
        status: 'published',
        place: { public: place(root), working: place(a) },
        fields: [],
      },
      {
        content_data_id: deep,
        change: 'deleted',
        status: 'published',
        place: { public: place(a), working: null },
        fields: [{ ...field, public: 'deep', working: null }],
      },
      {
        content_data_id: fresh,
        change: 'created',
        status: 'draft',
        place: { public: null, working: place(a) },
        fields: [{ ...field, public: null, working: 'fresh' }],
      },
    ])
    const left = await traces(() => drop(root))
    expect(left.events).toEqual(['version.created'])
    expect(left.changes.sort()).toEqual([
      'DELETE content_data',
      'DELETE content_fields',
      'INSERT content_data',
      'INSERT content_fields',
      'INSERT content_versions',
      'UPDATE content_data',
      'UPDATE content_fields',
    ])
  })

  it('come back from the version that was kept when they were dropped', async () => {
    const { slug, root } = await page()
    await set(root, 'root 2')
    const { kept_version_id, dropped } = await drop(root)
    expect([dropped, (await working(slug)).name]).toEqual([1, 'root'])
    await done('POST', '/content/restore', { content_version_id: kept_version_id })
    expect([(await clean(slug)).name, (await working(slug)).name]).toEqual(['root', 'root 2'])
    await publish(root)
    expect((await clean(slug)).name).toBe('root 2')
  })

  it('are refused to nobody, and for nothing', async () => {
    const { root } = await page()
    for (const [as, list, undo] of [
      ['nobody', 403, 403],
      ['viewer', 403, 403],
      ['editor', 200, 200],
    ] as const) {
      expect((await api('GET', `/content/changes?q=${root}`, undefined, as)).status).toBe(list)
      expect((await api('POST', '/content/changes/drop', { content_data_id: root }, as)).status).toBe(undo)
    }
    expect((await api('GET', `/content/changes?q=${missing}`)).status).toBe(404)
    expect((await api('GET', '/content/changes')).status).toBe(400)
    expect((await api('POST', '/content/changes/drop', { content_data_id: missing })).status).toBe(404)
    expect((await api('POST', '/content/changes/drop', {})).status).toBe(400)
  })

  it('wait in the admin space too', async () => {
    const kind = (await post('/admin/datatypes', { label: 'Note', type: '_global' })).datatype_id
    await post('/admin/fields', { label: 'Text', field_type: 'text', parent_id: kind })
    const body = { datatype_id: kind, status: 'published', fields: { text: 'one' } }
    const id = (await done('POST', '/admin/content', body)).content_data_id
    const left = await traces(() => done('PUT', `/admin/content?q=${id}`, { fields: { text: 'two' } }))
    expect(left.events).toEqual([])
    expect((await done('GET', `/admin/content/changes?q=${id}`)).changes).toHaveLength(1)
    const told = await traces(() => done('POST', '/admin/content/publish', { content_data_id: id }))
    expect(told.events).toEqual(['admin.content.updated'])
  })
})
