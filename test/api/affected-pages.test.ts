import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { testApp } from '../support/app.js'
import { updated } from '../support/events.js'

describe.each(['live', 'staged'] as const)('in %s mode an event', async publish_mode => {
  const app = await testApp({ publish_mode, webhook_enabled: true, i18n_enabled: true })
  const { call, db, services } = app
  await app.subscribe()
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
    expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text])
    return answer.body
  }
  const type = (await done('POST', '/datatypes', { label: 'Page', type: 'content' })).datatype_id
  const menu = (await done('POST', '/datatypes', { label: 'Menu', type: '_global' })).datatype_id
  const field = (label: string, field_type: string, more: object = {}) =>
    done('POST', '/fields', { label, field_type, parent_id: type, ...more })
  await field('Name', 'text')
  await field('Next', 'relation')
  await field('Also', 'relation', { data: { cardinality: 'many' } })
  await done('POST', '/locales', { code: 'de', label: 'Deutsch' })

  let pages = 0
  async function page(fields: object = {}) {
    const slug = `/${publish_mode}-${++pages}`
    const { route_id } = await done('POST', '/routes', { slug, title: slug })
    const entry = async (place: object, fields: object) =>
      (await done('POST', '/content', { datatype_id: type, ...place, fields })).content_data_id as string
    const root = await entry({ route_id }, { name: 'root', ...fields })
    const child = await entry({ parent_id: root }, { name: 'child' })
    await publish(root)
    return { slug, route_id: route_id as string, root, child }
  }
  const publish = (id: string) => done('POST', '/content/publish', { content_data_id: id })
  const rename = (id: string) => done('PUT', `/content?q=${id}`, { fields: { name: `${++pages}` } })
  const answers = async (slugs: string[]) =>
    Promise.all(
      slugs.map(async slug => {
        const { status, text } = await call('GET', `${slug}?format=contentful`, { as: 'nobody' })
        return `${status} ${text}`
      }),
    )

  /** What the content events of `work` say of pages, and whether exactly those pages answer otherwise now. */
  async function told(work: () => Promise<unknown>, watched: string[]) {
    const known = new Set((await app.deliveries()).map(({ delivery_id }) => delivery_id))
    const before = await answers(watched)
    await work()
    const after = await answers(watched)
    const events = (await app.deliveries())
      .filter(
        ({ delivery_id, event }) => !known.has(delivery_id) && /^(content|locale\.published)/.test(event),
      )
      .map(({ event, payload }) => ({ event, ...JSON.parse(payload).data }))
    const changed = watched.filter((_, i) => before[i] !== after[i])
    return {
      events: events.map(({ event, slug }) => `${event} ${slug}`),
      slugs: [...new Set(events.flatMap(({ slugs }) => slugs))].sort(),
      changed: changed.sort(),
    }
  }

  it('names the page and those that show the entry, and these have changed', async () => {
    const one = await page()
    const byNext = await page({ next: one.child })
    const byAlso = await page({ also: JSON.stringify([byNext.root, one.child]) })
    const toRoot = await page({ next: one.root })
    const unrelated = await page()
    const all = [one, byNext, byAlso, toRoot, unrelated].map(({ slug }) => slug)
    const three = [one.slug, byNext.slug, byAlso.slug].sort()

    const edit = await told(() => rename(one.child), all)
    const later = await told(() => publish(one.root), all)
    const [first, second] = publish_mode === 'live' ? [edit, later] : [later, edit]
    expect(second).toEqual({ events: [], slugs: [], changed: [] })
    expect([first.slugs, first.changed]).toEqual([three, three])

    const back = await told(() => done('POST', '/content/unpublish', { content_data_id: one.root }), all)
    expect(back.events).toEqual([`content.unpublished ${one.slug}`])
    const four = [...three, toRoot.slug].sort()
    expect([back.slugs, back.changed]).toEqual([four, four])

    const again = await told(() => publish(one.root), all)
    expect(again.events).toEqual([`content.published ${one.slug}`])
    expect([again.slugs, again.changed]).toEqual([four, four])

    const gone = await told(async () => {
      await done('DELETE', `/content?q=${one.child}`)
      await publish(one.root)
    }, all)
    expect(gone.events[0]).toBe(`content.deleted ${one.slug}`)
    expect([gone.slugs, gone.changed]).toEqual([three, three])
    const rest = await told(() => done('DELETE', `/content?q=${one.root}&recursive=true`), all)
    expect(rest).toEqual({
      events: [`content.deleted ${one.slug}`],
      slugs: [one.slug, toRoot.slug].sort(),
      changed: [one.slug, toRoot.slug].sort(),
    })
  })

  it('names the old address and the new one, at once', async () => {
    const one = await page()
    const source = await page({ next: one.root })
    const slug = `${one.slug}-new`
    const moved = await told(
      () => done('PUT', `/routes?q=${one.route_id}`, { slug }),
      [one.slug, slug, source.slug],
    )
    expect(moved).toEqual({
      events: [`content.updated ${slug}`],
      slugs: [one.slug, slug, source.slug].sort(),
      changed: [one.slug, slug, source.slug].sort(),
    })
    const silent = await told(() => done('PUT', `/routes?q=${one.route_id}`, { status: 2 }), [slug])
    expect(silent.events).toEqual([])
  })

  it('of a move names both pages', async () => {
    const [from, to] = [await page(), await page()]
    const all = [from.slug, to.slug].sort()
    const moved = await told(async () => {
      await done('POST', '/content/move', { content_data_id: from.child, parent_id: to.root })
      await publish(from.root)
      await publish(to.root)
    }, all)
    expect([moved.slugs, moved.changed]).toEqual([all, all])
  })

  it('names no page where the public sees nothing of it', async () => {
    const one = await page()
    const draft = await done('POST', '/content', { datatype_id: type, parent_id: one.root })
    const removed = await told(() => done('DELETE', `/content?q=${draft.content_data_id}`), [one.slug])
    expect(removed).toEqual({ events: [`content.deleted ${one.slug}`], slugs: [], changed: [] })
    const plan = { content_data_id: one.root, unpublish_at: '2030-01-01T00:00:00Z' }
    const planned = await told(() => done('POST', '/content/schedule', plan), [])
    expect(planned).toEqual({ events: [`content.scheduled ${one.slug}`], slugs: [], changed: [] })
    const ready = { content_data_id: one.root, locale: 'de' }
    const language = await told(() => done('POST', '/content/publish', ready), [one.slug])
    expect(language).toEqual({ events: [`locale.published ${one.slug}`], slugs: [], changed: [] })
    const global = () => done('POST', '/content', { datatype_id: menu, status: 'published' })
    expect(await told(global, [])).toEqual({ events: ['content.published null'], slugs: [], changed: [] })
  })

  it('asks the database for pages only when somebody is told', async () => {
    const quiet = await testApp({ publish_mode, webhook_enabled: true })
    let asked = 0
    await quiet.db.write(systemActor, async tx => {
      await tx.emit('content.updated', async () => {
        asked++
        return updated()()
      })
    })
    expect(asked).toBe(0)
    expect(await quiet.deliveries()).toEqual([])
  })

  it('is stored with the change, so that who reads back finds it', async () => {
    const one = await page()
    await services.settle()
    await rename(one.root)
    if (publish_mode === 'staged') await publish(one.root)
    const { payload } = (await app.deliveries()).at(-1) as { payload: string }
    expect(JSON.parse(payload).data.slugs).toEqual([one.slug])
    expect((await db.ping()) && (await answers([one.slug]))[0]).toContain(`${pages}`)
  })
})
