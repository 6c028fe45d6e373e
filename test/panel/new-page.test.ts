import { describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { call, db } = app
const { datatype } = factories(app)
const { post } = panelForms(app)
const path = '/admin/content/new'

describe('a new page', () => {
  it('needs a datatype to start from', async () => {
    const { text } = await call('GET', path)
    expect([text.includes('no datatype'), text.includes('id="form"')]).toEqual([true, false])
  })

  it('is an address with an entry on it, which opens to be written', async () => {
    const { datatype_id } = await datatype('Article')
    await datatype('Menu', { type: '_global' })
    const content = await call('GET', '/admin/content')
    expect(content.text).toContain(`href="${path}"`)
    const form = await call('GET', path)
    expect(
      [...form.text.matchAll(/<option value="(\w{26})"[^>]*>([^<]*)/g)].map(([, ...one]) => one),
    ).toEqual([[datatype_id, 'Article']])
    const given = { title: 'About us', slug: '/about', datatype_id }
    const { status, location } = await post(path, given)
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/admin\/content\/entry\/\w{26}$/)])
    const entry = await db.get(tables.contentData, location.slice(-26))
    expect(entry).toMatchObject({ datatype_id, status: 'draft', parent_id: null })
    expect(await db.get(tables.routes, entry?.route_id ?? '')).toMatchObject({
      slug: '/about',
      title: 'About us',
    })
    const again = await post(path, given)
    expect([again.status, /id="e-slug">.*?slug already exists/s.test(again.text)]).toEqual([409, true])
    expect(again.text).toContain('value="About us"')
    const wrong = await post(path, { ...given, slug: 'about us' })
    expect([wrong.status, /id="e-slug">.*?must have no whitespace/s.test(wrong.text)]).toEqual([400, true])
    expect((await post(path, given, { as: 'viewer' })).status).toBe(403)
    expect(await db.countAll(tables.routes)).toBe(1)
  })

  it('takes the rights to make both', async () => {
    const listed = async (list: string) => (await call('GET', `/api/v1/${list}`)).body
    const idOf = async (list: string, id: string, label: string): Promise<string> =>
      (await listed(list)).find((one: { label: string }) => one.label === label)[id]
    const body = {
      role_id: await idOf('roles', 'role_id', 'viewer'),
      permission_id: await idOf('permissions', 'permission_id', 'content:create'),
    }
    expect((await call('POST', '/api/v1/role-permissions', { body })).status).toBe(201)
    const [datatype] = await listed('datatypes')
    const given = { title: 'No', slug: '/no', datatype_id: datatype.datatype_id }
    for (const answer of [
      await call('GET', path, { as: 'viewer' }),
      await post(path, given, { as: 'viewer' }),
    ])
      expect([answer.status, answer.text.includes('routes:create')]).toEqual([403, true])
    expect(await db.countAll(tables.routes)).toBe(1)
  })
})
