import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp({
  app_secret: 'a secret of sixteen characters and more',
  preview_url: 'https://www.example.com/preview',
})
const { call, clock } = app
const { datatype, field, route, entry } = factories(app)
const { post } = panelForms(app)

const { datatype_id } = await datatype('Page')
await field(datatype_id, 'Heading', 'text')
const { route_id } = await route('/draft', 'Draft')
const { content_data_id: root } = await entry(datatype_id, { route_id }, { fields: { heading: 'Not yet' } })
const { content_data_id: under } = await entry(datatype_id, { parent_id: root })
const at = (id: string) => `/admin/content/entry/${id}/preview-links`
const preview = (url: string) => {
  const token = new URL(url).searchParams.get('preview')
  return call('GET', `/api/v1/preview?token=${token}&format=clean`, { as: 'nobody' })
}

describe('the preview links of a page', () => {
  it('are made in the panel, shown once, listed and ended', async () => {
    expect((await call('GET', `/admin/content/entry/${root}`)).text).toContain(`href="${at(root)}"`)
    const made = await post(at(under), { label: 'Zoe & friends', expires_in: '7d' })
    const url = /<code id="secret">([^<]+)</.exec(made.text)?.[1] ?? ''
    expect([made.status, url]).toEqual([
      200,
      expect.stringMatching(/^https:..www.example.com.preview.preview=/),
    ])
    expect((await preview(url)).body).toMatchObject({ heading: 'Not yet' })
    const list = await call('GET', at(root))
    expect(list.text).toMatch(/Zoe &amp; friends/)
    expect(list.text).not.toContain(new URL(url).searchParams.get('preview'))
    const [, end = ''] = /action="([^"]*\/end)"/.exec(list.text) ?? []
    expect((await post(end, {}, { as: 'viewer' })).status).toBe(403)
    expect((await post(end, {})).status).toBe(303)
    expect((await preview(url)).status).toBe(410)
    expect((await call('GET', at(root))).text).toContain('No preview links yet.')
  })

  it('are listed as long as they work, and those of nobody else', async () => {
    await post(at(root), { label: 'Soon over', expires_in: '1h' })
    clock.advance(3_600_000)
    expect((await call('GET', at(root))).text).not.toContain('Soon over')
    expect((await call('GET', at(root), { as: 'viewer' })).status).toBe(403)
  })

  it('are refused with what was typed, where the entry is not on a page', async () => {
    const menu = await datatype('Menu', { type: '_global' })
    const { content_data_id: id } = await entry(menu.datatype_id, {})
    const { status, text } = await post(at(id), { label: 'Mine', expires_in: '24h' })
    expect([status, text.includes('is not on a page'), text.includes('value="Mine"')]).toEqual([
      400,
      true,
      true,
    ])
    const wrong = await post(at(root), { label: '', expires_in: '1y' })
    expect([wrong.status, /id="e-expires_in">.*?must be a duration/s.test(wrong.text)]).toEqual([400, true])
  })

  it('are none of the admin space', async () => {
    const { text, status } = await call('GET', `/admin/space/content/entry/${root}/preview-links`)
    expect([status, text.includes('Create a link')]).toEqual([404, false])
  })
})
