import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp({ publish_mode: 'staged' })
const { call } = app
const { datatype, field, route, entry } = factories(app)
const { post, seen } = panelForms(app)
const kind = (await datatype('Page')).datatype_id
await field(kind, 'Body', 'richtext')

async function page(slug: string) {
  const { route_id } = await route(slug)
  const body = '<h2>Prices</h2><p>From ten euros, see <a href="/old">here</a>.</p>'
  const { content_data_id } = await entry(kind, { route_id }, { fields: { body } })
  await call('POST', '/api/v1/content/publish', { body: { content_data_id } })
  return content_data_id as string
}
const change = (id: string, body: string) =>
  call('PUT', `/api/v1/content?q=${id}`, { body: { fields: { body } } })
const later =
  '<h3>Prices</h3><p>From <strong>twelve</strong> euros, <strong>see</strong> <a href="/new">here</a>.</p>'
/** The difference on a page, without the quotes of its elements. */
const shown = (html: string) => /<dl class="differences">.*?<dd>(.*?)<\/dd>/s.exec(html)?.[1]
const difference =
  '<span class="reformatted">Prices</span> <span class="format-note">(Heading 3 added, Heading 2 removed)</span>\nFrom ' +
  '<del>ten</del><ins>twelve</ins> euros, <span class="reformatted">see</span> <span class="format-note">(Bold added)</span> ' +
  '<span class="reformatted">here</span> <span class="format-note">(Link to /new added, Link to /old removed)</span>.'

it('unpublished changes, versions and the audit log show words and formats, and no tags', async () => {
  const id = await page('/prices')
  await change(id, later)
  const at = `/admin/content/entry/${id}`
  const versions = (await call('GET', `/api/v1/content/versions?content_data_id=${id}`)).body
  const event = (await app.audits()).findLast(({ table_name }) => table_name === 'content_fields')
  for (const path of [
    `${at}/changes`,
    `${at}/compare?from=${versions[0].content_version_id}&to=now`,
    `/admin/audit/${event?.audit_event_id}`,
  ])
    expect([path, shown((await call('GET', path)).text)]).toEqual([path, difference])
  const german = await call('GET', `${at}/changes`, { headers: { 'Accept-Language': 'de' } })
  expect(german.text).toContain('(Fett hinzugefügt)')
})

it('markup that is not seen is said to be, and hostile text stays text', async () => {
  const id = await page('/unseen')
  const at = `/admin/content/entry/${id}/changes`
  await change(id, '<h2>Prices</h2><p><span>From ten</span> euros, see <a href="/old">here</a>.</p>')
  expect(shown((await call('GET', at)).text)).toContain('Only invisible markup has changed.')
  await change(id, '<p>&lt;img src=x onerror=alert(1)&gt; <a href="/&quot;&gt;&lt;b&gt;">x</a></p>')
  const { text } = await call('GET', at)
  expect(text).toContain('&lt;img')
  expect(text).not.toMatch(/<img src=x|<b>"/)
})

it('a conflict shows both texts as they are read', async () => {
  const id = await page('/conflict')
  const at = `/admin/content/entry/${id}`
  const mark = await seen(at)
  await change(id, later)
  const mine = '<h2>Prices</h2><p>From ten <em>euros</em>, see <a href="/old">here</a>.</p>'
  const answer = await post(at, { 'fields.body': mine, title: '/conflict', slug: 'conflict', seen: mark })
  const sides = [...answer.text.matchAll(/<p class="side-name">.*?<code>(.*?)<\/code>/gs)].map(
    ([, side]) => side,
  )
  expect(sides).toEqual([
    expect.stringContaining('<mark>ten</mark>'),
    expect.stringContaining('<mark>twelve</mark>'),
  ])
  expect(sides[0]).toContain(
    '<span class="reformatted">euros</span> <span class="format-note">(Italic)</span>',
  )
  expect(sides[1]).toContain('<span class="reformatted">see</span> <span class="format-note">(Bold)</span>')
  expect(sides.join()).not.toContain('&lt;')
})

it.skipIf(chromiumMissing)('a difference is clean in a browser', async () => {
  const id = await page('/browser')
  await change(id, later)
  const { panel } = await browserOf(app)
  for (const colorScheme of ['light', 'dark'] as const) {
    const seen = await panel({ as: 'admin', colorScheme, viewport: { width: 360, height: 740 } })
    await seen.open(`/content/entry/${id}/changes`)
    await seen.page.getByText('(Bold added)').waitFor()
    await expectClean(seen)
    expect(await seen.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  }
})
