import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { call, clock } = app
const { datatype, field, route, entry } = factories(app)
const { post, seen } = panelForms(app)

const { datatype_id } = await datatype('Note')
for (const label of ['Title', 'Text', 'More']) await field(datatype_id, label, 'textarea')

async function note(slug: string, fields = {}): Promise<{ id: string; path: string }> {
  const { route_id } = await route(slug)
  const { content_data_id: id } = await entry(datatype_id, { route_id }, { fields })
  return { id, path: `/admin/content/entry/${id}` }
}

const stored = async (id: string) =>
  (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body
    .map((one: { field_value: string }) => one.field_value)
    .toSorted() as string[]

async function theirs(id: string, fields: object): Promise<void> {
  clock.advance(1000)
  await call('PUT', `/api/v1/content?q=${id}`, { as: 'editor', body: { fields } })
}

describe('a save of an entry that somebody else has saved', () => {
  it('is compared in its transaction: of two at once one is refused, and neither is lost', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, path } = await note(`/at-once-${round}`, { title: 'old' })
      const mark = await seen(path)
      const answers = await Promise.all(
        (['admin', 'editor'] as const).map(async as => ({
          as,
          ...(await post(path, { 'fields.title': `of ${as}`, seen: mark }, { as })),
        })),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 412])
      const [first, second] = answers.toSorted((a, b) => a.status - b.status)
      expect(await stored(id)).toEqual([`of ${first?.as}`])
      expect(second?.text).toContain(`of ${second?.as}</textarea>`)
      expect(second?.text).toContain(`of <mark>${first?.as}</mark>`)
    }
  })

  it('is one of another field only, where the script has said what was typed into', async () => {
    const { id, path } = await note('/apart', { title: 'old', text: 'old', more: 'old' })
    const mark = await seen(path)
    await theirs(id, { text: 'theirs' })
    const values = { 'fields.title': 'mine', 'fields.text': 'old', 'fields.more': 'old', seen: mark }
    const told = await post(path, { ...values, form_touched: '["fields.title"]' })
    expect([told.status, told.text.includes('data-conflict=')]).toEqual([412, false])
    expect(told.text).toContain('Changed only by others: Text.')
    expect(told.text).toContain('\ntheirs</textarea>')
    expect(told.text).toContain('\nmine</textarea>')
    // Without the script nobody knows that the text was not typed: both are shown.
    const untold = await post(path, values)
    expect(untold.text.match(/data-conflict="[^"]*"/g)).toEqual(['data-conflict="fields.text"'])
    for (const form_touched of ['no list', '{}', '[1]', '["seen"]'])
      expect((await post(path, { ...values, form_touched })).status).toBe(412)
    expect(await stored(id)).toEqual(['old', 'old', 'theirs'])
  })

  it('is told of the mark that was first shown, also after a refusal for another reason', async () => {
    const { route_id } = await route('/marked')
    const at = `/admin/routes/${route_id}`
    const mark = await seen(at)
    await call('PUT', `/api/v1/routes?q=${route_id}`, { as: 'admin', body: { title: 'Theirs' } })
    const wrong = await post(at, { title: '', slug: '/marked', seen: mark })
    expect([wrong.status, wrong.text.includes(`name="seen" value="${mark}"`)]).toEqual([400, true])
    const late = await post(at, { title: 'Mine', slug: '/marked', seen: mark })
    expect(late.status).toBe(412)
    expect(late.text).toContain('<b>Administrator saved this while you were writing</b>')
  })
})

/** The mark that a form on a page has. */
async function markIn(path: string, action: string): Promise<string> {
  const { text } = await call('GET', path)
  const form = text.slice(text.indexOf(`action="${action}"`))
  return /name="seen" value="([^"]*)"/.exec(form)?.[1] ?? ''
}

describe('a form beside the one of its record', () => {
  it('of a schedule takes nothing back that somebody else has planned', async () => {
    const { id, path } = await note('/planned')
    const at = `${path}/schedule`
    const plan = async () => (await call('GET', `/api/v1/content/${id}`)).body
    const mark = await markIn(path, at)
    const body = { content_data_id: id, unpublish_at: '2031-01-01T00:00:00.000Z' }
    expect((await call('POST', '/api/v1/content/schedule', { body })).status).toBe(200)
    const mine = { publish_at: '2030-01-01T08:00', unpublish_at: '' }
    const late = await post(at, { ...mine, seen: mark })
    expect(late.status).toBe(412)
    expect(late.text).toContain('saved this while you were writing')
    expect(late.text).toContain('value="2030-01-01T08:00"')
    expect(late.text).toContain('data-conflict="unpublish_at"')
    expect(await plan()).toMatchObject({ publish_at: null, unpublish_at: '2031-01-01T00:00:00.000Z' })
    // The form that tells of it has the mark of now.
    const now = /name="seen" value="([^"]*)"/.exec(late.text.slice(late.text.indexOf(`action="${at}"`)))?.[1]
    expect((await post(at, { ...mine, seen: now ?? '' })).status).toBe(303)
    expect(await plan()).toMatchObject({ publish_at: '2030-01-01T08:00:00Z', unpublish_at: null })
    // An edit of the values is none of the plan.
    const after = await markIn(path, at)
    await theirs(id, { title: 'theirs' })
    expect((await post(at, { publish_at: '', unpublish_at: '', seen: after })).status).toBe(303)
  })

  it('of the permissions of a role takes none away that somebody else has given', async () => {
    const { role_id } = (await call('POST', '/api/v1/roles', { body: { label: 'Translator' } })).body
    const all = (await call('GET', '/api/v1/permissions')).body as { label: string; permission_id: string }[]
    const idOf = (label: string) => all.find(one => one.label === label)?.permission_id ?? ''
    const held = async () =>
      (await app.services.rolePermissions.ofRole(role_id)).map(({ label }) => label).toSorted()
    const path = `/admin/roles/${role_id}`
    const at = `${path}/permissions`
    const save = (seen: string, ...labels: string[]) =>
      post(at, [
        ['seen', seen],
        ['permission_id', ''],
        ...labels.map((label): [string, string] => ['permission_id', idOf(label)]),
      ])
    const mark = await markIn(path, at)
    const given = { role_id, permission_id: idOf('media:read') }
    expect((await call('POST', '/api/v1/role-permissions', { body: given })).status).toBe(201)
    const late = await save(mark, 'content:read')
    expect([late.status, late.text.includes('saved this while you were writing')]).toEqual([412, true])
    expect(late.text).toContain('data-conflict="permission_id"')
    const isTicked = (label: string) => new RegExp(`value="${idOf(label)}"[^>]* checked`).test(late.text)
    expect([isTicked('content:read'), isTicked('media:read')]).toEqual([true, false])
    expect(await held()).toEqual(['media:read'])
    const now = /name="seen" value="([^"]*)"/.exec(late.text)?.[1] ?? ''
    expect((await save(now, 'content:read', 'media:read')).status).toBe(303)
    expect(await held()).toEqual(['content:read', 'media:read'])
    // What is refused for another reason loses no tick either.
    const unknown = await post(at, [
      ['seen', await markIn(path, at)],
      ['permission_id', idOf('content:read')],
      ['permission_id', '01JZ8M4Q7R6T5V3W2X1Y0ZABCD'],
    ])
    expect([
      unknown.status,
      /value="\w+"[^>]* checked[^>]*aria-label="content:read"/.test(unknown.text),
    ]).toEqual([400, true])
  })

  it('of the permissions of a role keeps those that somebody has made, whatever they are called', async () => {
    const { role_id } = (await call('POST', '/api/v1/roles', { body: { label: 'Reporter' } })).body
    const own = (await call('POST', '/api/v1/permissions', { body: { label: 'reports:export' } })).body
    await call('POST', '/api/v1/role-permissions', { body: { role_id, permission_id: own.permission_id } })
    const page = await call('GET', `/admin/roles/${role_id}`)
    const boxes = [...page.text.matchAll(/<input[^>]*type="checkbox"[^>]*>/g)].map(([box]) => box)
    const ticked = boxes.filter(box => box.includes(' checked')).map(box => /value="(\w+)"/.exec(box)?.[1])
    expect(ticked).toEqual([own.permission_id])
    const at = `/admin/roles/${role_id}/permissions`
    const sent = ticked.map((id): [string, string] => ['permission_id', id ?? ''])
    expect((await post(at, [['seen', await markIn(`/admin/roles/${role_id}`, at)], ...sent])).status).toBe(
      303,
    )
    expect((await app.services.rolePermissions.ofRole(role_id)).map(({ label }) => label)).toEqual([
      'reports:export',
    ])
  })
})

describe.skipIf(chromiumMissing)(
  `two texts of one field${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('are shown with who saved, when, and the words that differ; what was not typed into is theirs', async () => {
      const { id } = await note('/words', {
        title: 'A house by the sea',
        text: 'As it was',
        more: 'Kept',
      })
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      await open(`/content/entry/${id}`)
      await page.locator('[id="f-fields.title"]').fill('A white house by the sea')
      await theirs(id, { title: 'A house by the lake', text: 'As it is now' })
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: 'somebody else saved' }).waitFor()
      const head = page.locator('[data-conflicts] > p').first()
      expect(await head.innerText()).toMatch(/^editor saved this while you were writing, .+\. Your text/)
      expect(await page.locator('[data-conflicts] mark').allTextContents()).toEqual(['white ', 'sea', 'lake'])
      expect(await page.locator('[data-conflict]').count()).toBe(1)
      expect(await page.locator('[id="f-fields.text"]').inputValue()).toBe('As it is now')
      await expectClean(admin)
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: /^Saved/ }).waitFor()
      expect(await stored(id)).toEqual(['A white house by the sea', 'As it is now', 'Kept'])
    })
  },
)
