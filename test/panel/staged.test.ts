import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp({ publish_mode: 'staged' })
const { call } = app
const { datatype, field, route, entry } = factories(app)
const { post } = panelForms(app)

const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

it('says which changes a publish of each entry makes public, shows them, and drops them', async () => {
  const { datatype_id } = await datatype('Card')
  await field(datatype_id, 'Title', 'text')
  const { route_id } = await route('/cards', 'Cards')
  const children = ['One', 'Two'].map(title => ({ datatype_id, fields: { title } }))
  const root = await entry(datatype_id, { route_id }, { status: 'published', children })
  const [one, two] = root.children.map(({ content_data_id }: { content_data_id: string }) => content_data_id)
  const page = async (id: string) => textOf((await call('GET', `/admin/content/entry/${id}`)).text)
  const isNext = async (id: string) =>
    (await call('GET', `/admin/content/entry/${id}`)).text.includes('value="publish"')
  expect(await isNext(root.content_data_id)).toBe(false)
  expect((await post(`/admin/content/entry/${one}`, { 'fields.title': 'First' })).status).toBe(303)
  expect(await page(root.content_data_id)).toContain('Publish 1 change')
  const pages = async () => textOf((await call('GET', '/admin/content')).text)
  expect(await pages()).toContain('/cards Unpublished changes')
  expect(await page(one)).toContain('Publish 1 change')
  expect(await isNext(two)).toBe(false)
  expect(await page(one)).toContain('Unpublished changes')
  const changes = await call('GET', `/admin/content/entry/${two}/changes`)
  expect(changes.text).toContain('<del>One</del><ins>First</ins>')
  expect((await post(`/admin/content/entry/${one}/changes/drop`, {}, { as: 'viewer' })).status).toBe(403)
  expect((await post(`/admin/content/entry/${one}/changes/drop`, {})).status).toBe(303)
  expect(await page(one)).toContain('One')
  expect(await pages()).toContain('/cards Published')
  expect(await isNext(root.content_data_id)).toBe(false)
})
