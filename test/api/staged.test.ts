import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { open } from '../../src/server.js'
import { pageRequest } from '../../src/services/delivery/page-request.js'
import { stagedSite } from '../support/staged.js'

const {
  app,
  api,
  done,
  type,
  other,
  name,
  entry,
  page,
  publish,
  set,
  changes,
  drop,
  clean,
  working,
  seen,
  traces,
  kept,
  value,
} = await stagedSite()
const { call, db, config, parts } = app

describe('an edit of a published page', () => {
  const edits: Record<string, (one: Awaited<ReturnType<typeof page>>) => Promise<unknown>> = {
    'a value': ({ a }) => set(a, 'other'),
    'a value of a locale': ({ a }) =>
      done('PUT', `/content?q=${a}`, { fields: { name: 'anders' }, locale: 'de' }),
    'a value by its own address': async ({ b }) =>
      done('PUT', `/content-fields?q=${await value(b)}`, { field_value: 'other' }),
    'a value that is new': ({ root }) =>
      done('POST', '/content-fields', {
        content_data_id: root,
        field_id: name,
        locale: 'de',
        field_value: 'neu',
      }),
    'a value that goes': async ({ deep }) => api('DELETE', `/content-fields?q=${await value(deep)}`),
    'a published child': ({ root }) => entry({ parent_id: root }, 'late', { status: 'published' }),
    'a deleted child': ({ b }) => api('DELETE', `/content?q=${b}`),
    'a deleted subtree': ({ a }) => api('DELETE', `/content?q=${a}&recursive=true`),
    'an order': ({ root, a, b }) =>
      done('POST', '/content/reorder', { parent_id: root, content_data_ids: [b, a] }),
    'a move': ({ a, b }) => done('POST', '/content/move', { content_data_id: a, parent_id: b, position: 0 }),
    'entries under it, by one request': ({ root, a }) =>
      done('PUT', `/content?q=${root}`, {
        children: [
          { content_data_id: a, fields: { name: 'anders' } },
          { datatype_id: type, status: 'published', fields: { name: 'neu' } },
        ],
      }),
    'a move by update': ({ deep, root }) => done('PUT', `/content?q=${deep}`, { parent_id: root }),
    'a copy': ({ deep, root }) =>
      done('POST', '/content/duplicate', { content_data_id: deep, parent_id: root }),
    'an author': ({ root }) => done('PUT', `/content?q=${root}`, { author_id: app.users.editor }),
    'a kind': async ({ b }) => {
      await api('DELETE', `/content-fields?q=${await value(b)}`)
      await done('PUT', `/content?q=${b}`, { datatype_id: other })
    },
  }

  it.each(Object.keys(edits))('waits for the next publish: %s', async name => {
    const one = await page()
    const before = await seen(one.slug)
    const left = await traces(() => edits[name]?.(one) ?? Promise.resolve())
    expect(left.events).toEqual([])
    expect(left.changes.length).toBeGreaterThan(0)
    expect(await seen(one.slug)).toEqual(before)
    const { changes: waiting } = await changes(one.root)
    expect(waiting.length).toBeGreaterThan(0)
    const told = await traces(() => publish(one.root))
    expect(told.events.filter(event => event !== 'content.deleted')).toEqual([
      'version.created',
      'content.updated',
    ])
    expect((await seen(one.slug))['raw&locale=de']).not.toBe(before['raw&locale=de'])
    expect(await clean(one.slug)).toEqual(await working(one.slug))
    expect(await changes(one.root)).toEqual({ content_data_id: one.root, waiting_since: null, changes: [] })
    expect(await traces(() => publish(one.root))).toEqual({ events: [], changes: [] })
    expect(await kept(one.root)).toEqual([0, 0])
  })

  it.each(Object.keys(edits))('is dropped: %s', async name => {
    const one = await page()
    const before = await seen(one.slug)
    const texts = await working(one.slug)
    await edits[name]?.(one)
    const left = await traces(() => drop(one.root))
    expect(left.events).toEqual(['version.created'])
    expect(await working(one.slug)).toEqual(texts)
    const after = await seen(one.slug)
    expect(after.clean).toBe(before.clean)
    expect(after['clean&locale=de']).toBe(before['clean&locale=de'])
    expect(await changes(one.root)).toMatchObject({ changes: [] })
    expect(await kept(one.root)).toEqual([0, 0])
    expect(await traces(() => drop(one.root))).toEqual({ events: [], changes: [] })
  })
})

describe('the mode', () => {
  const instance = (publish_mode: 'live' | 'staged') =>
    open({ config: { ...config, publish_mode }, ports: parts.ports, variables: {} })
  const own = (slug: string) => pageRequest({ slug, format: 'clean', audience: 'public', locale: '' })
  const textOf = async ({ services }: Pick<typeof app, 'services'>, slug: string) =>
    new TextDecoder().decode((await services.space.pages.page(own(slug))).body)

  it('live at a start makes public what waits, and tells it; staged again hides nothing of it', async () => {
    const { slug, root, b } = await page()
    await set(root, 'root 2')
    await api('DELETE', `/content?q=${b}`)
    const still = await instance('staged')
    expect(await textOf(still, slug)).toContain('"name":"root"')
    await still.db.close()
    for (const tree of await db.findAll(tables.contentTrees))
      if (tree.pending_since !== null && tree.root_id !== root) await publish(tree.root_id)
    let live: Awaited<ReturnType<typeof instance>> | undefined
    const left = await traces(async () => {
      live = await instance('live')
    })
    expect(left.events).toEqual(['content.deleted', 'content.updated'])
    expect(await kept(root)).toEqual([0, 0])
    expect(await textOf(live as never, slug)).toContain('"name":"root 2"')
    await live?.services.space.content.update(systemActor, root, { fields: { name: 'root 3' } })
    expect(await textOf(live as never, slug)).toContain('"name":"root 3"')
    await live?.db.close()
    const again = await instance('staged')
    expect(await textOf(again, slug)).toContain('"name":"root 3"')
    await again.services.space.content.update(systemActor, root, { fields: { name: 'root 4' } })
    expect(await textOf(again, slug)).toContain('"name":"root 3"')
    await again.db.close()
    await publish(root)
  })

  it('that another instance still has shows nothing that waits', async () => {
    const live = await instance('live')
    const { slug, root, a } = await page()
    await set(root, 'root 2')
    expect(await textOf(live, slug)).toContain('"name":"root"')
    await live.services.space.content.update(systemActor, a, { fields: { name: 'a 2' } })
    for (const each of [live, app]) expect(await textOf(each, slug)).not.toMatch(/root 2|a 2/)
    await live.services.space.publishing.publish(systemActor, { content_data_id: root })
    await live.db.close()
    await db.externalChangesNow()
    expect((await clean(slug)).children[0].name).toBe('a 2')
  })
})

it('shows a whole state of a page at any moment, however many edit and publish it', async () => {
  const { slug, root, a, b } = await page()
  const source = await page({ next: root })
  const states = new Set<string>()
  let going = true
  const numbersIn = (text: string) => new Set(text.match(/(?<="(?:root|a|b) )\d+/g)).size
  const readers = ['clean', 'contentful'].map(async format => {
    while (going) {
      const { text } = await call('GET', `${format === 'clean' ? slug : source.slug}?format=${format}`, {
        as: 'nobody',
      })
      states.add(text)
      // Never two publications in one answer.
      expect(numbersIn(text)).toBeLessThan(2)
      // What is in memory is answered without waiting, and SQLite too: each leaves the other a turn.
      await new Promise(setImmediate)
    }
  })
  for (let i = 1; i <= 15; i++) {
    await Promise.all([root, a, b].map((id, j) => set(id, `${['root', 'a', 'b'][j]} ${i}`)))
    await new Promise(setImmediate)
    await publish(root)
    await new Promise(setImmediate)
  }
  going = false
  await Promise.all(readers)
  expect(await kept(root)).toEqual([0, 0])
  expect(states.size).toBeGreaterThan(4)
  expect([...states].filter(text => numbersIn(text) === 1).length).toBeGreaterThan(4)
})

it('costs no more statements than another page, and keeps its finished answers while edits wait', async () => {
  const one = await page()
  const source = await page({ next: one.a })
  await set(one.a, 'other')
  const statements: unknown[] = []
  const query = db.query.bind(db)
  db.query = (what, values) => {
    statements.push(what)
    return query(what, values)
  }
  const cost = async (slug: string) => {
    statements.length = 0
    await clean(slug)
    return statements.length
  }
  expect(await cost(one.slug)).toBeLessThanOrEqual(3)
  expect(await cost(one.slug)).toBe(0)
  await set(one.b, 'another')
  expect(await cost(one.slug)).toBe(0)
  expect(await cost(source.slug)).toBeLessThanOrEqual(3)
  db.query = query
})

it('a field whose values only the public sees still belongs to their datatype', async () => {
  const fresh = { label: 'Old', field_type: 'text', parent_id: type }
  const { field_id } = await done('POST', '/fields', fresh)
  const { root } = await page({ old: 'was here' })
  const moved = () => api('PUT', `/fields?q=${field_id}`, { parent_id: other })
  const [stored] = await db.findAll(tables.contentFields, { field_id })
  await done('DELETE', `/content-fields?q=${stored?.content_field_id}`)
  expect((await moved()).status).toBe(409)
  await publish(root)
  expect((await moved()).status).toBe(200)
})
