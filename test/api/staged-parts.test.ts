import { describe, expect, it } from 'vitest'
import { stagedSite } from '../support/staged.js'

const {
  app,
  api,
  post,
  done,
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
  kept,
} = await stagedSite()
const { call, services, clock } = app

describe('publishing a part', () => {
  it('shows that part and leaves the rest waiting', async () => {
    const { slug, root, a, b, deep } = await page()
    await set(root, 'root 2')
    await set(b, 'b 2')
    await set(deep, 'deep 2')
    const left = await traces(() => publish(a))
    expect(left.events).toEqual(['version.created', 'content.updated'])
    expect(await clean(slug)).toMatchObject({
      name: 'root',
      children: [{ name: 'a', children: [{ name: 'deep 2' }] }, { name: 'b' }],
    })
    expect(
      (await changes(root)).changes.map((one: { content_data_id: string }) => one.content_data_id),
    ).toEqual([root, b].sort())
    expect(await traces(() => publish(a))).toEqual({ events: [], changes: [] })
    await drop(b)
    expect(await working(slug)).toEqual(await clean(slug))
  })

  it('takes along what has left it, so that nothing is lost in a circle', async () => {
    const { slug, root, a, b } = await page()
    await done('POST', '/content/move', { content_data_id: b, parent_id: a })
    await publish(root)
    await done('POST', '/content/move', { content_data_id: b, parent_id: root })
    await done('POST', '/content/move', { content_data_id: a, parent_id: b })
    await publish(a)
    // b's new place waits no longer, for a is under it now.
    expect(await clean(slug)).toMatchObject({
      children: [{ name: 'b', children: [{ name: 'a', children: [{ name: 'deep' }] }] }],
    })
  })

  it('by status shows the entry alone, where it is', async () => {
    const { slug, root, a, b } = await page()
    await done('PUT', `/content?q=${a}`, { status: 'draft' })
    expect(await clean(slug)).toMatchObject({ children: [{ name: 'b' }] })
    await set(b, 'b 2')
    await done('PUT', `/content?q=${a}`, { fields: { name: 'a 2' }, parent_id: b })
    const left = await traces(() => done('PUT', `/content?q=${a}`, { status: 'published' }))
    expect(left.events).toEqual(['version.created', 'content.published'])
    expect(await clean(slug)).toMatchObject({
      name: 'root',
      children: [{ name: 'b', children: [{ name: 'a 2', children: [{ name: 'deep' }] }] }],
    })
    await publish(root)
    expect(await clean(slug)).toMatchObject({ children: [{ name: 'b 2', children: [{ name: 'a 2' }] }] })
  })
})

describe('taking back', () => {
  it('takes a part away at once, with what waits in it', async () => {
    const { slug, root, a } = await page()
    await set(root, 'root 2')
    await set(a, 'a 2')
    expect((await traces(() => unpublish(a))).events).toEqual(['content.unpublished'])
    expect(await clean(slug)).toEqual({
      type: 'page',
      title: slug,
      slug,
      name: 'root',
      children: [{ type: 'page', name: 'b' }],
    })
    await publish(a)
    expect(await clean(slug)).toMatchObject({ name: 'root', children: [{ name: 'a 2' }, { name: 'b' }] })
  })

  it('takes a page away at once, and it comes back as what it is then', async () => {
    const { slug, root, a } = await page()
    await set(a, 'a 2')
    await unpublish(root)
    expect((await call('GET', slug, { as: 'nobody' })).status).toBe(404)
    await set(root, 'root 2')
    expect((await traces(() => publish(root))).events).toEqual(['version.created', 'content.published'])
    expect(await clean(slug)).toMatchObject({ name: 'root 2', children: [{ name: 'a 2' }, { name: 'b' }] })
    expect(await kept(root)).toEqual([0, 0])
  })

  it('of the root alone takes all of it away, and it comes back as what it is then', async () => {
    const { slug, root, a } = await page()
    await set(a, 'a 2')
    await done('PUT', `/content?q=${root}`, { status: 'draft' })
    expect((await call('GET', slug, { as: 'nobody' })).status).toBe(404)
    await done('PUT', `/content?q=${root}`, { status: 'published', fields: { name: 'root 2' } })
    expect(await clean(slug)).toMatchObject({ name: 'root 2', children: [{ name: 'a 2' }, { name: 'b' }] })
    expect(await kept(root)).toEqual([0, 0])
  })
})

describe('what is not content does not wait', () => {
  it('routes: a new slug and title are public at once, and the page stays as it is', async () => {
    const { slug, route_id, root } = await page()
    await set(root, 'root 2')
    await done('PUT', `/routes?q=${route_id}`, { slug: `${slug}-new`, title: 'New' })
    expect((await call('GET', slug, { as: 'nobody' })).status).toBe(308)
    expect(await clean(`${slug}-new`)).toMatchObject({ title: 'New', name: 'root' })
    const target = (await post('/routes', { slug: `${slug}-third`, title: 'Third' })).route_id
    await done('PUT', `/content?q=${root}`, { route_id: target })
    expect((await call('GET', `${slug}-new`, { as: 'nobody' })).status).toBe(308)
    const raw = (await call('GET', `${slug}-third?format=raw`, { as: 'nobody' })).body
    expect(raw).toMatchObject({ route: { title: 'Third' }, root: { route_id: target } })
    expect(raw.root.fields[0]).toMatchObject({ field_value: 'root', route_id: target })
    await publish(root)
    expect(await kept(root)).toEqual([0, 0])
  })

  it('finished answers that were kept follow a new title, also one that came while the page was elsewhere', async () => {
    const { slug, route_id, root } = await page()
    const elsewhere = (await post('/routes', { slug: `${slug}-elsewhere`, title: 'Elsewhere' })).route_id
    await set(root, 'root 2')
    const title = async (address = slug) => {
      const { title, name } = await clean(address)
      await services.settle()
      expect(name).toBe('root')
      return title
    }
    const rename = (title: string) => done('PUT', `/routes?q=${route_id}`, { title })
    expect(await title()).toBe(slug)
    await rename('Second')
    expect(await title()).toBe('Second')
    await done('PUT', `/content?q=${root}`, { route_id: elsewhere })
    expect(await title(`${slug}-elsewhere`)).toBe('Elsewhere')
    await rename('Third')
    await done('PUT', `/content?q=${root}`, { route_id })
    expect(await title()).toBe('Third')
    await publish(root)
  })

  it('a deleted page is gone at once, with what waits in it', async () => {
    const { slug, root } = await page()
    await set(root, 'root 2')
    const left = await traces(() => api('DELETE', `/content?q=${root}&recursive=true`))
    expect(left.events).toEqual(['content.deleted'])
    expect((await call('GET', slug, { as: 'nobody' })).status).toBe(404)
    expect(await kept(root)).toEqual([0, 0])
  })
})

describe('a deletion that waits', () => {
  it('is told when the public no longer sees the entry, once for each subtree', async () => {
    const { slug, root, a, b } = await page()
    const draft = await entry({ parent_id: root }, 'never public')
    await api('DELETE', `/content?q=${a}&recursive=true`)
    await api('DELETE', `/content?q=${b}`)
    expect((await traces(() => api('DELETE', `/content?q=${draft}`))).events).toEqual(['content.deleted'])
    const before = (await app.deliveries()).length
    await publish(root)
    const told = (await app.deliveries())
      .slice(before)
      .map(({ event, payload }) => [event, JSON.parse(payload).data.content_data_id])
    expect(told).toEqual([
      ['version.created', root],
      ['content.deleted', a],
      ['content.deleted', b],
      ['content.updated', root],
    ])
    expect(await clean(slug)).toMatchObject({ children: [] })
  })
})

describe('between trees', () => {
  it('an entry stays where the public sees it until the page that it is on is published', async () => {
    const [one, two] = [await page(), await page()]
    await done('POST', '/content/move', { content_data_id: one.a, parent_id: two.root })
    expect((await clean(one.slug)).children).toHaveLength(2)
    expect((await clean(two.slug)).children).toHaveLength(2)
    for (const root of [one.root, two.root])
      expect((await api('POST', '/content/changes/drop', { content_data_id: root })).status).toBe(409)
    expect((await traces(() => publish(two.root))).events).toEqual(['version.created', 'content.updated'])
    const told = JSON.parse((await app.deliveries()).at(-1)?.payload ?? '').data
    expect(told.slugs).toEqual([one.slug, two.slug].sort())
    expect((await clean(one.slug)).children).toHaveLength(1)
    expect((await clean(two.slug)).children).toHaveLength(3)
    expect((await traces(() => publish(one.root))).events).toEqual([])
    for (const root of [one.root, two.root]) expect(await kept(root)).toEqual([0, 0])
  })

  it('a page that is made of a part waits to be published', async () => {
    const { slug, root, a } = await page()
    await set(a, 'a 2')
    const own = `${slug}-own`
    const { route_id } = await post('/routes', { slug: own, title: own })
    await done('PUT', `/content?q=${a}`, { route_id, parent_id: null })
    expect((await call('GET', own, { as: 'nobody' })).status).toBe(404)
    expect(await clean(slug)).toMatchObject({ children: [{ name: 'a' }, { name: 'b' }] })
    await publish(a)
    expect(await clean(own)).toMatchObject({ name: 'a 2', children: [{ name: 'deep' }] })
    await publish(root)
    expect(await clean(slug)).toMatchObject({ children: [{ name: 'b' }] })
    expect(await kept(root)).toEqual([0, 0])
  })
})

describe('a plan', () => {
  it('makes public what waits at its time', async () => {
    const { slug, root } = await page()
    const publish_at = new Date(clock.now() + 60_000).toISOString()
    await set(root, 'root 2')
    await done('POST', '/content/schedule', { content_data_id: root, publish_at })
    await set(root, 'root 3')
    await services.space.publishing.runDue()
    expect((await clean(slug)).name).toBe('root')
    clock.advance(60_000)
    const left = await traces(() => services.space.publishing.runDue())
    expect(left.events).toEqual(['version.created', 'content.updated'])
    expect((await clean(slug)).name).toBe('root 3')
  })
})
