import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp({ publish_mode: 'staged' })
const { call, services, users } = app
const { datatype, field, route, entry } = factories(app)
const { post } = panelForms(app)
const editor = { as: 'editor' } as const

const kind = (await datatype('Page')).datatype_id
const heading = (await field(kind, 'Heading', 'text', { required: true })).field_id
await field(kind, 'Text', 'richtext')
const pages = { n: 0 }
async function newPage(fields: object = { heading: 'x' }) {
  const { route_id } = await route(`/p${++pages.n}`, `Page ${pages.n}`)
  return (await entry(kind, { route_id }, { fields })).content_data_id as string
}
const at = (id: string) => `/admin/content/entry/${id}`
const show = async (id: string, as: 'admin' | 'editor' = 'admin') => (await call('GET', at(id), { as })).text
const needs = async (as: 'admin' | 'editor') => (await call('GET', '/admin', { as })).text
const requestOf = (id: string) => services.reviewRequests.newestOf(id)

describe('a review in the panel', () => {
  it('D28: is asked for from the bar, which saves the form first', async () => {
    const id = await newPage()
    const page = await show(id, 'editor')
    expect(page).toContain('value="review" class="button next">Request review')
    expect(await show(id)).not.toContain('Request review')
    const answer = await post(at(id), { next: 'review', 'fields.heading': 'Typed now' }, editor)
    expect(answer.status).toBe(303)
    const [value] = (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body
    expect(value.field_value).toBe('Typed now')
    expect(await requestOf(id)).toMatchObject({ status: 'open', author_id: users.editor })
    const after = await show(id, 'editor')
    expect(after).toContain('You requested a review')
    expect(after).not.toContain('Request review')
    expect(after).not.toContain('Approve and publish')
    expect(await needs('admin')).toContain(`Page ${pages.n} needs your review`)
    expect(await needs('editor')).not.toContain('needs your review')
  })

  it('is approved, which publishes the page', async () => {
    const id = await newPage()
    await post(`${at(id)}/review`, { note: 'The <first> one' }, editor)
    const page = await show(id)
    expect(page).toContain('The &lt;first&gt; one')
    const [action = ''] = /[^"]*\/approve/.exec(page) ?? []
    expect((await post(action, {}, editor)).status).toBe(403)
    expect((await post(action, {})).status).toBe(303)
    expect((await services.space.content.get(id)).status).toBe('published')
    expect(await show(id)).not.toContain('requested a review')
    expect((await post(action, {})).status).toBe(409)
  })

  it('that the rules of a field refuse says which, and stays open', async () => {
    const id = await newPage({})
    await post(`${at(id)}/review`, { note: '' }, editor)
    const [action = ''] = /[^"]*\/approve/.exec(await show(id)) ?? []
    const { status, text } = await post(action, {})
    expect(status).toBe(400)
    expect(text).toContain('<a href="#f-fields.heading">Heading is required</a>')
    expect(await requestOf(id)).toMatchObject({ status: 'open' })
  })

  it('is sent back with a note, which its author finds, and is asked for again', async () => {
    const id = await newPage()
    await post(`${at(id)}/review`, { note: '' }, editor)
    const [action = ''] = /[^"]*\/return/.exec(await show(id)) ?? []
    const empty = await post(action, { note: ' ' })
    expect([empty.status, empty.text.includes('id="e-note"')]).toEqual([400, true])
    expect((await post(action, { note: 'The price\nis wrong' })).status).toBe(303)
    expect(await needs('editor')).toContain(`Page ${pages.n} was sent back to you`)
    expect(await show(id)).not.toContain('The price')
    const page = await show(id, 'editor')
    expect(page).toContain('The price\nis wrong')
    expect(page).toContain('Request review')
    await post(`${at(id)}/review`, { note: 'Better' }, editor)
    expect(await needs('editor')).not.toContain('was sent back to you')
    const [withdraw = ''] = /[^"]*\/withdraw/.exec(await show(id, 'editor')) ?? []
    expect((await post(withdraw, {})).status).toBe(403)
    expect((await post(withdraw, {}, editor)).status).toBe(303)
    expect(await needs('admin')).not.toContain(`Page ${pages.n} waits`)
  })

  it('is compared by what waits for the publish', async () => {
    const id = await newPage()
    await call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
    expect(await show(id, 'editor')).not.toContain('Request review')
    await post(at(id), { next: 'review', 'fields.heading': 'Changed' }, editor)
    expect(await show(id)).toContain(`href="${at(id)}/changes">Compare`)
  })
})

describe('comments in the panel', () => {
  it('are written, marked beside their field, settled and opened again', async () => {
    const id = await newPage()
    expect(await show(id)).toContain('<span class="hidden-text">Comment on Heading</span>')
    const added = await post(`${at(id)}/comments`, { field_id: heading, body: 'Too <long>?' }, editor)
    expect([added.status, added.location]).toEqual([303, `${at(id)}#comments`])
    await post(`${at(id)}/comments`, { field_id: '', body: 'All good' })
    const page = await show(id)
    expect(page).toContain('Too &lt;long&gt;?')
    expect(page).toContain('Comments on Heading: 1 open</span>')
    expect(page).toContain('2 open')
    const [resolve = ''] = /[^"]*\/resolve/.exec(page) ?? []
    expect((await post(resolve, {}, editor)).status).toBe(303)
    const settled = await show(id)
    expect(settled).toContain('1 resolved')
    const [reopen = ''] = /[^"]*\/reopen/.exec(settled) ?? []
    await post(reopen, {})
    expect(await show(id)).toContain('2 open')
  })

  it('are changed and deleted by their authors', async () => {
    const id = await newPage()
    await post(`${at(id)}/comments`, { body: 'Mine' }, editor)
    const [one] = (await call('GET', `/api/v1/comments?content_data_id=${id}`)).body
    const action = `${at(id)}/comments/${one.comment_id}`
    expect((await post(action, { body: 'Yours' })).status).toBe(403)
    expect((await post(action, { body: 'Better' }, editor)).status).toBe(303)
    expect(await show(id)).toContain('Better')
    expect((await post(`${action}/delete`, {}, { as: 'viewer' })).status).toBe(403)
    expect((await post(`${action}/delete`, {}, editor)).status).toBe(303)
    expect(await show(id)).not.toContain('Better')
  })

  it('name people, and are refused with what was typed', async () => {
    const id = await newPage()
    const { username } = await services.users.get(users.admin)
    await post(`${at(id)}/comments`, { body: `See @${username}.` }, editor)
    expect(await show(id)).toContain(`<b class="named">@${username}.</b>`)
    const refused = await post(`${at(id)}/comments`, { field_id: heading, body: ' ' }, editor)
    expect([refused.status, refused.text.includes('id="comment-problem"')]).toEqual([400, true])
    expect(refused.text).toMatch(new RegExp(`<option value="${heading}" selected`))
    expect((await post(`${at(id)}/comments`, { body: 'x'.repeat(5001) }, editor)).status).toBe(400)
  })

  it('are none of the admin space', async () => {
    const id = await newPage()
    expect((await post(`/admin/space/content/entry/${id}/comments`, { body: 'x' })).status).toBe(404)
  })
})
