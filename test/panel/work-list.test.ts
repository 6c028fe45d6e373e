import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'
import { picture, uploader } from '../support/media.js'
import { panelForms } from '../support/panel-forms.js'
import { testStorage } from '../support/storage.js'

const app = await testApp({ publish_mode: 'staged' })
const { call, services } = app
const { datatype, field, route, entry } = factories(app)
const { post } = panelForms(app)
const { callerWith } = callersOf(app)

const post_ = await datatype('Post')
await field(post_.datatype_id, 'Heading', 'text')
await field(post_.datatype_id, 'Text', 'richtext')
const must = await datatype('Strict')
await field(must.datatype_id, 'Must', 'text', { required: true })
const menu = await datatype('Menu', { type: '_global' })
await field(menu.datatype_id, 'Name', 'text')

async function page(slug: string, title: string, datatype_id = post_.datatype_id, fields: object = {}) {
  const { route_id } = await route(slug, title)
  const made = await entry(datatype_id, { route_id }, { fields })
  return made.content_data_id as string
}

const wordsOf = (html: string) =>
  html
    .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

async function shown(query: string, as: 'admin' | 'editor' | 'viewer' = 'admin') {
  const { status, text } = await call('GET', `/admin/content${query}`, { as })
  return { status, text, words: wordsOf(text), titles: titlesIn(text) }
}
const titlesIn = (html: string) =>
  [...html.matchAll(/<th scope="row"><a [^>]*>([^<]*)</g)].map(([, title]) => title)

const statusOf = async (id: string) => (await services.space.content.get(id)).status
type What = 'publish' | 'unpublish' | 'schedule' | 'duplicate' | 'move' | 'delete'
const send = (
  what: What | 'steal',
  ids: readonly string[],
  more: Record<string, string> = {},
  as = 'admin',
) =>
  post(
    '/admin/content-work',
    [['what', what], ...ids.map(id => ['ids', id]), ...Object.entries(more)] as never,
    {
      as: as as 'admin',
    },
  )

describe('the list of content', () => {
  it('says what to begin with while there is nothing', async () => {
    const { words } = await shown('')
    expect(words).toContain('No pages yet. New page')
  })

  it('finds drafts by title, address and text, in any part of the tree, and says when nothing is found', async () => {
    const chain = await page('/winter', 'A chain through the cold', undefined, {
      text: '<p>Oil and Salt</p>',
    })
    await entry(post_.datatype_id, { parent_id: chain }, { fields: { heading: 'Grease, 50% off' } })
    await page('/bells', 'Bells')
    await entry(menu.datatype_id, {}, { fields: { name: 'Footer' } })
    for (const q of ['chain', 'COLD chain', 'winter', 'salt', 'grease', '50%'])
      expect([q, (await shown(`?q=${encodeURIComponent(q)}`)).titles]).toEqual([
        q,
        ['A chain through the cold'],
      ])
    expect((await shown('?q=foot')).titles).toEqual(['Footer'])
    expect((await shown('?q=100%25')).words).toContain('No results for “100%”.')
    expect((await shown(`?q=salt&datatype_id=${menu.datatype_id}`)).words).toContain('No results for “salt”.')
    expect((await shown('?q=%00')).status).toBe(400)
    for (const odd of ['a'.repeat(5000), "'%20or%201=1", '%F0%9F%9A%B2'])
      expect([odd.slice(0, 20), (await shown(`?q=${odd}`)).status]).toEqual([odd.slice(0, 20), 200])
    expect((await shown('?q=salt', 'viewer')).status).toBe(403)
  })

  it('is sorted by title or change, either way, and by who made it', async () => {
    app.clock.advance(60_000)
    const { datatype_id } = post_
    const [last] = (await services.space.workList.list({ datatype_id }, byChange(false), {
      limit: 1,
      offset: 0,
      total: 3,
    })) as [string]
    await call('PUT', `/api/v1/content?q=${last}`, { body: { fields: { heading: 'Now' } } })
    expect((await shown('')).titles[0]).toBe('A chain through the cold')
    expect((await shown('?sort=changed')).titles.at(-1)).toBe('A chain through the cold')
    expect((await shown('?sort=title')).titles).toEqual(['A chain through the cold', 'Bells', 'Footer'])
    expect((await shown('?sort=-title')).titles).toEqual(['Footer', 'Bells', 'A chain through the cold'])
    expect((await shown('?sort=title')).text).toMatch(/aria-sort="ascending"><a href="[^"]*sort=-title"/)
    const { editor, admin } = app.users
    expect((await shown(`?author=${editor}`)).words).toContain('No entry matches these filters.')
    expect((await shown(`?author=${admin}`)).titles).toHaveLength(3)
    // Whoever may not see people is offered oneself alone.
    expect((await shown('', 'editor')).words).toContain('Author Anyone Me')
  })

  it('shows the first picture of each page, without a statement for each', async () => {
    const storage = await testStorage()
    const own = await testApp(storage.config)
    const made = factories(own)
    const upload = uploader(own)
    const { datatype_id } = await made.datatype('Photo')
    await made.field(datatype_id, 'Plan', 'media')
    await made.field(datatype_id, 'Cover', 'media', { data: { cardinality: 'many' } })
    const files: string[] = []
    for (const name of ['a', 'b']) {
      const { body } = await upload(`${name}.png`, await picture(320, 200).png().toBuffer(), {
        fields: { alt_text: name },
      })
      files.push(body.media_id)
    }
    const text = await upload('plan.txt', Buffer.from('a plan'), {})
    const add = async (n: number, fields: object) => {
      const { route_id } = await made.route(`/photo-${n}`)
      await made.entry(datatype_id, { route_id }, { fields })
    }
    const list = async () => {
      const before = own.db.statementCounts.read
      const answer = await own.call('GET', '/admin/content?sort=address')
      const cells = [...answer.text.matchAll(/<td class="row-picture">(?:<img src="([^"]*)")?/g)]
      return { shown: cells.map(([, src]) => src), statements: own.db.statementCounts.read - before }
    }
    await add(1, {})
    expect((await list()).shown).toEqual([])
    await add(2, { plan: text.body.media_id, cover: files.toReversed() })
    const few = await list()
    for (let n = 3; n < 33; n++) await add(n, n % 2 ? { plan: files[0], cover: files } : {})
    const many = await list()
    // A file that is no picture is passed over.
    expect(few.shown).toEqual([undefined, expect.stringContaining(files[1] as string)])
    expect(many.shown.filter(src => src?.includes(files[0] as string))).toHaveLength(15)
    expect([many.shown.length, many.shown.filter(Boolean).length]).toEqual([32, 16])
    // Long lists of ids are read in pieces.
    expect(many.statements).toBeLessThan(few.statements + 6)
  })

  it('lists addresses that show nothing yet apart', async () => {
    await route('/soon', 'Soon')
    const { words } = await shown('')
    expect(words).toContain('Addresses without a page Soon /soon')
    expect((await shown('?status=draft')).words).not.toContain('/soon')
  })

  it('is sorted by each column, either way, and by state as it is shown', async () => {
    const soon = new Date(app.clock.now() + 86_400_000).toISOString()
    const ids = await Promise.all(['d', 's', 'p', 'c'].map(one => page(`/order/${one}`, `Order ${one}`)))
    const [, scheduled, published, changed] = ids
    await call('POST', '/api/v1/content/schedule', { body: { content_data_id: scheduled, publish_at: soon } })
    await call('PUT', `/api/v1/content?q=${published}`, { body: { author_id: app.users.editor } })
    for (const id of [published, changed])
      await call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
    await call('PUT', `/api/v1/content?q=${changed}`, { body: { fields: { heading: 'Later' } } })
    const order = async (sort: string) => {
      const { text, titles } = await shown(`?q=order&sort=${sort}`)
      expect(text).toContain(`aria-sort="${sort.startsWith('-') ? 'de' : 'a'}scending"`)
      return titles.map(title => title?.at(-1)).join('')
    }
    expect([await order('state'), await order('-state')]).toEqual(['dscp', 'pcsd'])
    expect([await order('address'), await order('-address')]).toEqual(['cdps', 'spdc'])
    expect((await shown('?sort=address')).titles[0]).toBe('Footer')
    expect((await order('author')).at(-1)).toBe('p')
    expect((await order('-author'))[0]).toBe('p')
    const kinds = async (sort: string) =>
      [...(await shown(`?sort=${sort}`)).text.matchAll(/<td class="kind">([^<]*)</g)].map(([, kind]) => kind)
    expect(await kinds('datatype')).toEqual((await kinds('datatype')).toSorted())
    expect(await kinds('-datatype')).toEqual((await kinds('datatype')).toReversed())
    expect((await kinds('datatype'))[0]).toBe('Menu')
    for (const odd of ['', '-', '--title', 'author_id', 'x'.repeat(5000), "state'--"])
      expect((await shown(`?q=order&sort=${encodeURIComponent(odd)}`)).text).toContain(
        'aria-sort="descending"',
      )
    for (const id of ids) await call('DELETE', `/api/v1/content?q=${id}`)
  })
})

const byChange = (descending: boolean) => ({ by: 'changed' as const, descending, titleFields: [] })

describe('several trees of the list at once', () => {
  it('D8: are published and unpublished, and the list says how many and keeps its filters', async () => {
    const ids = [await page('/b1', 'One'), await page('/b2', 'Two')]
    const done = await send('publish', ids, { back: '?status=draft&sort=title' })
    expect([done.status, done.location]).toEqual([
      303,
      '/admin/content?status=draft&sort=title&done=publish.2',
    ])
    expect(await Promise.all(ids.map(statusOf))).toEqual(['published', 'published'])
    expect((await shown('?done=publish.2')).words).toContain('2 entries published.')
    expect((await shown('?done=burnt.2')).words).not.toContain('burnt')
    expect((await send('unpublish', ids)).location).toBe('/admin/content?done=unpublish.2')
    expect((await send('publish', ids, { back: '//evil.example/?x=1' })).location).toMatch(
      /^\/admin\/content\?/,
    )
  })

  it('names what was refused and why, and does the others', async () => {
    const [good, bad] = [await page('/ok', 'Fine'), await page('/not', 'Lacking', must.datatype_id)]
    const gone = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    const { status, text } = await send('publish', [good, bad, gone])
    const words = wordsOf(text)
    expect([status, words.includes('1 of 3 entries published')]).toEqual([409, true])
    expect(words).toMatch(/Lacking .*required/)
    expect(words).toContain(`${gone} No entry has this id.`)
    expect([await statusOf(good), await statusOf(bad)]).toEqual(['published', 'draft'])
  })

  it('are scheduled after the times were asked for', async () => {
    const id = await page('/later', 'Later')
    const asked = await send('schedule', [id])
    expect([asked.status, wordsOf(asked.text).includes('Schedule 1 entry')]).toEqual([200, true])
    const at = new Date(app.clock.now() + 86_400_000).toISOString().slice(0, 16)
    const done = await send('schedule', [id], { sure: 'yes', publish_at: at, unpublish_at: '' })
    expect(done.location).toBe('/admin/content?done=schedule.1')
    expect((await services.space.content.get(id)).publish_at).toContain(at)
    const past = await send('schedule', [id], {
      sure: 'yes',
      publish_at: '2001-01-01T00:00',
      unpublish_at: '',
    })
    expect([past.status, wordsOf(past.text).includes('0 of 1 entry scheduled')]).toEqual([409, true])
    expect((await send('schedule', [id], { sure: 'yes', publish_at: 'soon' })).status).toBe(400)
    await send('schedule', [id], { sure: 'yes' })
    expect((await services.space.content.get(id)).publish_at).toBeNull()
  })

  it('are deleted after a question that counts what goes', async () => {
    const ids = [await page('/d1', 'First'), await page('/d2', 'Second')]
    await entry(post_.datatype_id, { parent_id: ids[0] })
    const asked = wordsOf((await send('delete', ids)).text)
    expect(asked).toContain('Delete 2 entries?')
    expect(asked).toContain('This deletes 2 entries and 1 entry under them')
    expect(await services.space.content.count({ content_data_id: ids })).toBe(2)
    expect((await send('delete', ids, { sure: 'yes' })).location).toMatch(
      /^\/admin\/content\?done=delete\.2&deleted=\w{26}\.\w{26}$/,
    )
    expect(await services.space.content.count({ content_data_id: ids })).toBe(0)
  })

  it('are duplicated as drafts, pages at free addresses, and each refusal is named', async () => {
    const { content_data_id: shared } = await entry(menu.datatype_id, {}, { fields: { name: 'To copy' } })
    const copied = await page('/copy', 'Copy me', undefined, { heading: 'Words' })
    await call('POST', '/api/v1/content/publish', { body: { content_data_id: copied } })
    const before = (await app.audits()).length
    const done = await send('duplicate', [copied, shared])
    expect([done.status, done.location]).toEqual([303, '/admin/content?done=duplicate.2'])
    expect((await shown('?done=duplicate.2')).words).toContain('2 entries duplicated.')
    const events = (await app.audits()).slice(before)
    expect(events.filter(({ operation }) => operation !== 'INSERT')).toEqual([])
    const copies = await shown('?q=copy')
    expect(copies.titles.toSorted()).toEqual(['Copy me', 'Copy me (copy)', 'To copy', 'To copy'])
    expect(copies.words).toMatch(/Copy me \(copy\) Post \/copy-\S+ Draft/)
    const part = await send('duplicate', ['01ARZ3NDEKTSV4RRFFQ69G5FAV', shared])
    expect([part.status, part.text.includes('1 of 2 entries duplicated')]).toEqual([409, true])
    const writer = await callerWith('content:update', 'content:create')
    const refused = await writer.post('/admin/content-work', { what: 'duplicate', ids: copied })
    expect([refused.status, refused.text.includes('routes:create')]).toEqual([409, true])
    expect((await send('duplicate', [copied], {}, 'viewer')).status).toBe(403)
  })

  it('are moved under an address after it was asked for, and redirects lead there', async () => {
    const one = await page('/move/one', 'Move one')
    const two = await page('/two', 'Move two')
    const taken = await page('/new/place/two', 'Taken')
    await call('POST', '/api/v1/content/publish', { body: { content_data_id: one } })
    const slugOf = async (id: string) =>
      (await services.space.routes.get((await services.space.content.get(id)).route_id ?? '')).slug
    const asked = await send('move', [one, two])
    expect([asked.status, asked.text.includes('Move 2 pages')]).toEqual([200, true])
    expect([await slugOf(one), await slugOf(two)]).toEqual(['/move/one', '/two'])
    const { content_data_id: shared } = await entry(menu.datatype_id, {}, { fields: { name: 'No page' } })
    const moved = await send('move', [one, two, shared], { sure: 'yes', under: ' new/place/ '.trim() })
    expect([moved.status, moved.text.includes('1 of 3 pages moved')]).toEqual([409, true])
    expect(moved.text).toContain('only a page has an address')
    expect([await slugOf(one), await slugOf(two), await slugOf(taken)]).toEqual([
      ...['/new/place/one', '/two', '/new/place/two'],
    ])
    const old = await call('GET', '/move/one', { as: 'nobody' })
    expect([old.status, old.headers.get('location')]).toEqual([308, '/new/place/one'])
    expect((await send('move', [two], { sure: 'yes', under: 'a b' })).status).toBe(409)
    expect((await send('move', [two], { sure: 'yes', under: 'x'.repeat(600) })).status).toBe(400)
    expect((await send('move', [two], { sure: 'yes', under: '/admin' })).status).toBe(409)
    expect((await send('move', [two], { sure: 'yes', under: '' })).location).toContain('done=move.1')
    expect(await slugOf(two)).toBe('/two')
    const writer = await callerWith('content:update', 'content:publish')
    expect((await writer.post('/admin/content-work', { what: 'move', ids: two, sure: 'yes' })).status).toBe(
      403,
    )
  })

  it('are refused to who may not, and when the form is malformed or names too many', async () => {
    const id = await page('/mine', 'Mine')
    expect((await send('publish', [id], {}, 'viewer')).status).toBe(403)
    const editor = await send('publish', [id], {}, 'editor')
    expect([editor.status, editor.text.includes('content:publish')]).toEqual([403, true])
    const many = Array.from({ length: 201 }, (_, i) => `01ARZ3NDEKTSV4RRFFQ69G5${String(i).padStart(3, '0')}`)
    for (const refused of [
      await send('publish', []),
      await send('steal', [id]),
      await send('publish', ['a b']),
      await send('publish', many),
    ])
      expect(refused.status).toBe(400)
    const nobody = await app.send('POST', '/admin/content-work', {
      as: 'nobody',
      body: `what=publish&ids=${id}`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    })
    expect(nobody.status).not.toBe(200)
    expect(await statusOf(id)).toBe('draft')
  })

  it('are those of the space of the form, by the rights in that space', async () => {
    const id = await page('/public', 'Public')
    const inAdmin = await post('/admin/space/content-work', { what: 'publish', ids: id })
    expect([inAdmin.status, wordsOf(inAdmin.text).includes('0 of 1 entry published')]).toEqual([409, true])
    const outside = await callerWith('content:delete', 'content:update', 'admin_tree:update')
    const refused = await outside.post('/admin/space/content-work', { what: 'delete', ids: id })
    expect([refused.status, refused.text.includes('admin_tree:delete')]).toEqual([403, true])
    expect(await statusOf(id)).toBe('draft')
  })
})

describe.skipIf(chromiumMissing)(
  `the list in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('D8: chooses a range with Shift, searches while one types, and keeps what is chosen', async () => {
      for (let n = 1; n <= 12; n++) await page(`/sail-${n}`, `Sail ${n}`)
      const admin = await panel({ as: 'admin' })
      const { page: tab, open } = admin
      await open('/content?sort=title&q=sail')
      const box = (n: number) => tab.locator('.pick input[name=ids]').nth(n)
      await box(1).click()
      await box(4).click({ modifiers: ['Shift'] })
      await tab.locator('.work-bar', { hasText: '4 selected' }).waitFor()
      await tab.getByRole('searchbox', { name: 'Search' }).fill('sail 1')
      await expect.poll(() => tab.url()).toContain('q=sail+1')
      expect(await tab.locator('#content-q').evaluate(one => one === document.activeElement)).toBe(true)
      await tab.getByRole('button', { name: 'Clear' }).click()
      expect(await tab.locator('.work-bar').isVisible()).toBe(false)
      expect(admin.problems).toEqual([])
    })

    it('works without a script', async () => {
      const { page: tab, open } = await panel({ as: 'admin', javaScriptEnabled: false })
      await open('/content')
      await tab.getByLabel('Search').fill('Bells')
      await tab.getByRole('button', { name: 'Filter' }).click()
      await tab.getByRole('checkbox', { name: 'Select Bells' }).check()
      await tab.getByRole('button', { name: 'Delete…' }).click()
      await tab.getByRole('heading', { name: 'Delete 1 entry?' }).waitFor()
      await tab.getByRole('link', { name: 'Cancel' }).click()
      expect(tab.url()).toContain('q=Bells')
    })

    it('D21: fits a small phone, with the title in most of the width', async () => {
      const admin = await panel({ as: 'admin', ...looks.phone, viewport: { width: 360, height: 780 } })
      const long = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen and its friends'
      await page(`/${'long-'.repeat(20)}`, long)
      for (const path of ['/content', '']) {
        await admin.open(path)
        expect([path, await admin.page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 360])
        await expectClean(admin)
      }
      await admin.open('/content')
      const box = await admin.page.locator('.work-list tbody th').first().boundingBox()
      expect(box?.width).toBeGreaterThan(240)
    })
  },
)
