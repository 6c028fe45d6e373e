import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { viewQuery } from '../../src/panel/saved-views.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { callersOf } from '../support/callers.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { call, db, users } = app
const { post } = panelForms(app)
const { callerWith, callerIn } = callersOf(app)
const table = tables.userPreferences

const stored = () => db.findAll(table, {})
const shown = async (path: string, as: 'admin' | 'editor' = 'admin') => {
  const { text } = await call('GET', path, { as })
  const [nav = ''] = /<nav class="views".*?<\/nav>/s.exec(text) ?? []
  return [...nav.matchAll(/<a class="view" href="([^"]*)"( aria-current="page")?>([^<]*)</g)].map(
    ([, href = '', current, label]) => [label, href.replaceAll('&amp;', '&'), current !== undefined],
  )
}

const drafts = { list: '/content', label: ' My drafts ', query: 'status=draft&sort=title&q=' }

describe('saved views', () => {
  it('are saved, opened, renamed and deleted, each with one audit event', async () => {
    expect(await shown('/admin/content')).toEqual([])
    const before = (await app.audits()).length
    const saved = await post('/admin/views', drafts)
    expect([saved.status, saved.location]).toEqual([303, '/admin/content?status=draft&sort=title&q='])
    const [row] = await stored()
    expect(row).toMatchObject({ user_id: users.admin, kind: '/content', label: 'My drafts' })
    expect(await shown('/admin/content')).toEqual([
      ['All', '/admin/content', true],
      ['My drafts', '/admin/content?status=draft&sort=title&q=', false],
    ])
    // The place in the list, and the order of the members, are no part of a view.
    expect((await shown('/admin/content?sort=title&status=draft&page=2')).map(([, , is]) => is)).toEqual([
      false,
      true,
    ])
    const id = row?.user_preference_id
    expect((await post(`/admin/views/${id}`, { label: 'Drafts' })).status).toBe(303)
    expect((await stored()).map(({ label, value }) => [label, value])).toEqual([
      ['Drafts', 'status=draft&sort=title&q='],
    ])
    expect((await post(`/admin/views/${id}/delete`, {})).location).toBe('/admin/content')
    expect(await stored()).toEqual([])
    const events = (await app.audits()).slice(before)
    expect(events.map(({ operation, table_name }) => `${operation} ${table_name}`)).toEqual(
      ['INSERT', 'UPDATE', 'DELETE'].map(what => `${what} user_preferences`),
    )
    const { text } = await call('GET', '/admin/audit?of=people')
    expect(text).toContain('Preference created')
  })

  it('belong to one account and one list', async () => {
    await post('/admin/views', { list: '/media', label: 'Logos', query: 'text=logo' })
    await post('/admin/views', { list: '/audit', label: 'Deletions', query: 'operation=DELETE' })
    await post('/admin/views', { list: '/space/content', label: 'Parts', query: 'status=draft' })
    expect((await shown('/admin/media?folder=&text=logo')).at(-1)).toEqual([
      'Logos',
      '/admin/media?text=logo',
      true,
    ])
    expect((await shown('/admin/audit?operation=DELETE&before=')).at(-1)?.[2]).toBe(true)
    expect((await shown('/admin/space/content')).at(-1)?.[1]).toBe('/admin/space/content?status=draft')
    expect(await shown('/admin/content')).toEqual([])
    expect(await shown('/admin/media', 'editor')).toEqual([])
    for (const { user_preference_id: id, label } of await stored()) {
      expect((await post(`/admin/views/${id}`, { label: 'Mine' }, { as: 'editor' })).status).toBe(404)
      expect((await post(`/admin/views/${id}/delete`, {}, { as: 'editor' })).status).toBe(404)
      expect((await db.get(table, id))?.label).toBe(label)
    }
  })

  it('are refused without a name or filter, by a taken or hostile name, and for other lists', async () => {
    const before = await stored()
    const view = { ...drafts, list: '/audit' }
    for (const [values, status] of [
      [{ ...view, label: '  ' }, 400],
      [{ ...view, label: 'x'.repeat(81) }, 400],
      [{ ...view, label: 'a\u202eb' }, 400],
      [{ ...view, query: '' }, 400],
      [{ ...view, query: 'q='.padEnd(2001, 'x') }, 400],
      [{ ...view, query: 'q='.padEnd(1000, 'ü') }, 400],
      [{ ...view, list: '//example.com' }, 400],
      [{ ...view, list: 'calendar' }, 400],
      [{ label: 'x' }, 400],
      [{ ...view, label: 'dELETIONS' }, 409],
    ] as const)
      expect([values, (await post('/admin/views', values as Record<string, string>)).status]).toEqual([
        values,
        status,
      ])
    const refused = await post('/admin/views', { ...view, label: 'Deletions' })
    expect(refused.text).toContain('has this name already')
    expect(refused.text).toContain('name="query" value="status=draft')
    expect((await post('/admin/views', view, { token: 'of another site' })).status).toBe(403)
    expect((await post('/admin/views/01ARZ3NDEKTSV4RRFFQ69G5FAV', { label: 'x' })).status).toBe(404)
    expect((await post('/admin/views/01ARZ3NDEKTSV4RRFFQ69G5FAV/delete', {})).status).toBe(404)
    const [media] = before.filter(({ kind }) => kind === '/media')
    await post('/admin/views', { list: '/media', label: 'Photos', query: 'text=photo' })
    const id = media?.user_preference_id
    expect((await post(`/admin/views/${id}`, { label: 'photos' })).status).toBe(409)
    expect((await post(`/admin/views/${id}`, { label: 'LOGOS' })).status).toBe(303)
    // Nobody saves one for somebody else.
    await post('/admin/views', { ...view, label: 'For you', user_id: users.editor })
    expect((await db.find(table, { label: 'For you' }))?.user_id).toBe(users.admin)
    expect(await stored()).toHaveLength(before.length + 2)
  })

  it('are at most 50 of a list, also when many are saved at once', async () => {
    const caller = await callerWith('content:update')
    const all = Array.from({ length: 54 }, (_, n) =>
      caller.post('/admin/views', { list: '/content', label: `View ${n}`, query: `q=${n}` }),
    )
    const answers = (await Promise.all(all)).map(({ status }) => status)
    expect(answers.filter(status => status === 303)).toHaveLength(50)
    expect(answers.filter(status => status === 409)).toHaveLength(4)
    expect(await db.count(table, { user_id: caller.user_id })).toBe(50)
  })

  it('are deleted with their account', async () => {
    const caller = await callerIn(await app.services.access.systemRole('editor'))
    await caller.post('/admin/views', drafts)
    expect(await db.count(table, { user_id: caller.user_id })).toBe(1)
    expect((await call('DELETE', `/api/v1/users?q=${caller.user_id}`)).status).toBe(204)
    expect(await db.count(table, { user_id: caller.user_id })).toBe(0)
  })

  it('do not stop an older instance, which does not know them, from deleting the account', async () => {
    const user = await db.write(systemActor, async tx => {
      const role = await app.services.access.systemRole('viewer')
      const one = await tx.insert(tables.users, { username: 'old', name: '', email: 'old@example.com', role })
      await tx.insert(table, { user_id: one.user_id, kind: '/media', label: 'x', value: 'text=x' })
      return one
    })
    await db.write(systemActor, tx => tx.removeAll(tables.users, [user]))
    expect(await db.count(table, { user_id: user.user_id })).toBe(0)
  })
})

it('a view is its query without empty members, marks and places, in one order', () => {
  expect(viewQuery({ q: 'b c', a: '', page: '3', done: 'delete.1', after: 'x', author: 'y' })).toBe(
    'author=y&q=b+c',
  )
})

describe.skipIf(chromiumMissing)('saved views in a browser', async () => {
  const { panel } = await browserOf(app)

  it('are saved and opened with and without scripts, also on a narrow phone', async () => {
    for (const [i, look] of [
      looks.light,
      { ...looks.dark, javaScriptEnabled: false },
      { ...looks.phone, viewport: { width: 360, height: 740 } },
    ].entries()) {
      const seen = await panel({ ...look, as: 'editor' })
      const { page: tab, open } = seen
      const label = `A view with a rather long name, number ${i}`
      await open(`/content?status=draft&q=word${i}`)
      await tab.getByText('Save view').first().click()
      await tab.getByLabel('Name of the view').fill(label)
      await tab.getByRole('button', { name: 'Save view' }).click()
      const link = tab.getByRole('link', { name: label })
      await link.waitFor()
      expect(await link.getAttribute('aria-current')).toBe('page')
      if (i !== 1) await expectClean(seen)
      expect(await tab.getByLabel('Search').first().inputValue()).toBe(`word${i}`)
      await tab.getByText('Change view').click()
      await tab.getByLabel('Name of the view').fill(`Short ${i}`)
      await tab.getByRole('button', { name: 'Rename' }).click()
      await tab.getByRole('link', { name: `Short ${i}` }).waitFor()
      if (i !== 1) expect(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await tab.getByRole('link', { name: 'All', exact: true }).click()
      await tab.waitForURL('**/admin/content')
    }
    expect(await db.count(table, { user_id: users.editor })).toBe(3)
  })
})
