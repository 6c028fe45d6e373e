import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp({ publish_mode: 'staged' })
const { call } = app
const { datatype, field, route, entry } = factories(app)

/** The words of a page as they are read, one blank between them. */
const wordsOf = (html: string) =>
  html
    .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

async function shown(path: string, as = 'admin') {
  const answer = await call('GET', path, { as: as as 'admin' })
  return { status: answer.status, html: answer.text, words: wordsOf(answer.text) }
}

const author = await datatype('Author', { type: '_global' })
await field(author.datatype_id, 'Name', 'text')
const menu = await datatype('Menu', { type: '_global' })
await field(menu.datatype_id, 'Name', 'text')
const post = await datatype('Post')
await field(post.datatype_id, 'Heading', 'text')
for (let n = 1; n <= 205; n++) await entry(author.datatype_id, {}, { fields: { name: `Author ${n}` } })
// More entries are before it than are looked at.
await entry(menu.datatype_id, {}, { fields: { name: 'Main menu' } })
const harbour = await route('/harbour', 'The harbour')
const page = await entry(
  post.datatype_id,
  { route_id: harbour.route_id },
  {
    fields: { heading: 'Boats' },
    children: [{ datatype_id: post.datatype_id, fields: { heading: 'A child' } }],
  },
)

describe('the list of content', () => {
  it('shows pages and shared content together, the newest change first, in pages of 100', async () => {
    const first = await shown('/admin/content')
    expect(first.words).toContain('The harbour Post /harbour Draft Administrator just now')
    expect(first.words).toContain('Main menu Menu Shared content Draft')
    expect(first.words).toContain('1–100 of 207')
    expect(first.words).toContain('Title Datatype Address State Author Changed')
    expect(first.words.indexOf('The harbour Post')).toBeLessThan(first.words.indexOf('Main menu Menu'))
    const last = await shown('/admin/content?page=3')
    expect(last.words).toContain('201–207 of 207 Previous 100')
    expect((await shown('/admin/content?page=4')).status).toBe(200)
    const shared = await shown('/admin/content?datatype_id=shared')
    expect([shared.words.includes('of 206'), shared.words.includes('The harbour')]).toEqual([true, false])
    expect((await shown('/admin/content?datatype_id=pages')).words).toContain('1 in all')
  })

  it('shows all of a datatype, newest first, in pages', async () => {
    const first = await shown(`/admin/content?datatype_id=${author.datatype_id}`)
    const numbers = (html: string) => [...html.matchAll(/>Author (\d+)</g)].map(([, n]) => Number(n))
    expect(numbers(first.html)).toEqual(Array.from({ length: 100 }, (_, i) => 205 - i))
    expect(first.words).toContain('1–100 of 205')
    expect(first.words).toContain('New Author')
    const [, next = ''] = /href="([^"]*page=2[^"]*)"/.exec(first.html) ?? []
    expect(numbers((await shown(next.replaceAll('&amp;', '&'))).html)).toEqual(
      Array.from({ length: 100 }, (_, i) => 105 - i),
    )
  })

  it('is reached from the page of a datatype', async () => {
    const { html } = await shown(`/admin/datatypes/${author.datatype_id}`)
    expect(html).toContain(`href="/admin/content?datatype_id=${author.datatype_id}"`)
    const part = await datatype('Part', { parent_id: post.datatype_id })
    expect((await shown(`/admin/datatypes/${part.datatype_id}`)).html).not.toContain('content?datatype_id')
  })

  it('shows pages of a kind with their addresses, and no entries inside of others', async () => {
    const { words, html } = await shown(`/admin/content?datatype_id=${post.datatype_id}`)
    expect(words).toContain('The harbour Post /harbour Draft')
    expect(words).toContain('1 in all')
    expect(html).toContain(`href="/admin/content/entry/${page.content_data_id}"`)
  })

  it('is narrowed to a state, also of all kinds', async () => {
    await call('POST', '/api/v1/content/publish', { body: { content_data_id: page.content_data_id } })
    const published = await shown('/admin/content?status=published')
    expect(published.words).toContain('The harbour Post /harbour Published')
    expect(published.words).toContain('1 in all')
    const drafts = await shown(`/admin/content?datatype_id=${post.datatype_id}&status=draft`)
    expect(drafts.words).toContain('No entry matches these filters.')
    await call('PUT', `/api/v1/content?q=${page.content_data_id}`, { body: { fields: { heading: 'Ships' } } })
    const changed = await shown(`/admin/content?datatype_id=${post.datatype_id}&status=`)
    expect(changed.words).toContain('/harbour Unpublished changes')
  })

  it.each(['datatype_id=01ARZ3NDEKTSV4RRFFQ69G5FAV', 'status=lost', 'datatype_id='])(
    'shows all pages for what means nothing: %s',
    async query => {
      const { status, words } = await shown(`/admin/content?${query}`)
      expect([status, words.includes('Main menu')]).toEqual([200, true])
    },
  )

  /** What the row of a page says, its time as it is in the address bar of nobody: to the millisecond. */
  const rowOf = (html: string, slug: string) => {
    const row = html.split('<tr>').find(one => one.includes(`<code>${slug}</code>`)) ?? ''
    return { words: wordsOf(row).trim(), changed: /datetime="([^"]*)"/.exec(row)?.[1] }
  }

  it('D3: says when a page was changed, and not when its address was', async () => {
    const { route_id } = await route('/lighthouse', 'The lighthouse')
    const heading = (text: string) => ({ datatype_id: post.datatype_id, fields: { heading: text } })
    const place = { route_id }
    const made = await entry(post.datatype_id, place, { ...heading('Tower'), children: [heading('Lamp')] })
    const changedIn = async (path: string) => rowOf((await shown(path)).html, '/lighthouse').changed
    const lists = ['/admin/content', `/admin/content?datatype_id=${post.datatype_id}`]
    const now = () => new Date(app.clock.now()).toISOString()
    const save = async (id: string) => {
      app.clock.advance(60_000)
      const body = { fields: { heading: `Saved at ${now()}` } }
      expect((await call('PUT', `/api/v1/content?q=${id}`, { body })).status).toBe(200)
    }
    for (const id of [made.content_data_id, made.children[0].content_data_id]) {
      await save(id)
      for (const path of lists) expect([path, await changedIn(path)]).toEqual([path, now()])
    }
    app.clock.advance(60_000)
    await call('PUT', `/api/v1/routes?q=${route_id}`, { body: { title: 'The old lighthouse' } })
    for (const path of lists) expect([path, await changedIn(path)]).toEqual([path, now()])
  })

  it('D5: shows what is scheduled as scheduled, and is narrowed to it and to unpublished changes', async () => {
    const { route_id } = await route('/regatta', 'The regatta')
    const made = await entry(post.datatype_id, { route_id }, { fields: { heading: 'Sails' } })
    const id: string = made.content_data_id
    const at = new Date(app.clock.now() + 86_400_000).toISOString()
    const stateIn = async (path: string) => rowOf((await shown(path)).html, '/regatta').words
    const schedule = (body: object) =>
      call('POST', '/api/v1/content/schedule', { body: { content_data_id: id, ...body } })
    expect(await stateIn('/admin/content')).toContain('/regatta Draft')
    expect((await schedule({ publish_at: at, unpublish_at: null })).status).toBe(200)
    expect(await stateIn('/admin/content')).toContain('/regatta Scheduled')
    expect(await stateIn('/admin/content?status=draft')).toContain('/regatta Scheduled')
    const scheduled = await shown('/admin/content?status=scheduled')
    expect(scheduled.words).toContain('The regatta Post /regatta Scheduled')
    expect(scheduled.words).toContain('1 in all')
    const others = await shown(`/admin/content?datatype_id=${author.datatype_id}&status=scheduled`)
    expect(others.words).toContain('No entry matches these filters.')

    await schedule({ publish_at: null, unpublish_at: null })
    await call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
    expect(await stateIn('/admin/content')).toContain('/regatta Published')
    await schedule({ publish_at: null, unpublish_at: at })
    expect(await stateIn('/admin/content')).toContain('/regatta Scheduled')
    await call('PUT', `/api/v1/content?q=${id}`, { body: { fields: { heading: 'Masts' } } })
    expect(await stateIn('/admin/content?status=changed')).toContain('/regatta Unpublished changes')
    expect(await stateIn('/admin/content?status=scheduled')).toContain('/regatta')
  })

  it('is for those who work on content', async () => {
    expect((await shown(`/admin/content?datatype_id=${author.datatype_id}`, 'viewer')).status).toBe(403)
    expect((await shown(`/admin/content?datatype_id=${author.datatype_id}`, 'editor')).status).toBe(200)
  })
})
