import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { factories } from '../support/factories.js'

const app = await testApp({ publish_mode: 'staged' })
const { call, services } = app
const { datatype, field, route, entry } = factories(app)

const card = await datatype('Card')
await field(card.datatype_id, 'Title', 'text')

/** A page with two published versions and one by hand, edited since. */
async function edited(slug: string) {
  const { route_id } = await route(slug, `Page ${slug}`)
  const { content_data_id: id } = await entry(card.datatype_id, { route_id }, { fields: { title: 'First' } })
  const body = { content_data_id: id }
  const write = (title: string) =>
    call('PUT', `/api/v1/content?q=${id}`, { as: 'editor', body: { fields: { title } } })
  await call('POST', '/api/v1/content/publish', { body })
  await write('Second')
  await call('POST', '/api/v1/content/versions', { as: 'editor', body })
  await write('Third')
  await call('POST', '/api/v1/content/publish', { body })
  await write('Fourth')
  const versions = await services.space.versions.summaries(id, 10)
  return { id, versions, ids: versions.map(({ content_version_id }) => content_version_id) }
}

const textsIn = (html: string, tag: string) =>
  [...html.matchAll(new RegExp(`<${tag}[^>]*>([^<]*)</${tag}>`, 'g'))].map(([, text]) => text)

describe('D29: versions', () => {
  it('say who saved each', async () => {
    const { id } = await edited('/who')
    const { text } = await call('GET', `/admin/content/entry/${id}/versions`)
    const rows = [...text.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
      [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)]
        .slice(0, 3)
        .map(([, cell]) => cell?.replace(/<[^>]*>/g, ' ').trim()),
    )
    expect(rows.slice(1)).toEqual([
      ['Current state', '', ''],
      ['v3 Administrator', 'Published', 'Administrator'],
      ['v2 editor', 'Saved by hand', 'editor'],
      ['v1 Administrator', 'Published', 'Administrator'],
    ])
  })

  it('are compared in any two, and with the present state', async () => {
    const { id, ids } = await edited('/two')
    const compare = async (from = '', to = '') => {
      const { status, text } = await call('GET', `/admin/content/entry/${id}/compare?from=${from}&to=${to}`)
      return { status, removed: textsIn(text, 'del'), added: textsIn(text, 'ins'), text }
    }
    const [newest, byHand, first] = ids
    const now = await compare(newest, 'now')
    expect(now).toMatchObject({ status: 200, removed: ['Third'], added: ['Fourth'] })
    expect(now.text).toMatch(/<b>v3<\/b> Published · Administrator/)
    expect(await compare(first, 'now')).toMatchObject({ removed: ['First'], added: ['Fourth'] })
    expect(await compare(first, newest)).toMatchObject({ removed: ['First'], added: ['Third'] })
    expect(await compare(newest, byHand)).toMatchObject({ removed: ['Third'], added: ['Second'] })
    const other = await edited('/other')
    const wrong: [string | undefined, string | undefined][] = [
      ['now', newest],
      [newest, ''],
      ['', 'now'],
      [newest, other.ids[0]],
      [other.ids[0], 'now'],
      ['x'.repeat(5000), 'now'],
    ]
    for (const [from, to] of wrong) expect([from, (await compare(from, to)).status]).toEqual([from, 404])
  })

  it('are compared with entries that were added since, and not if they are gone', async () => {
    const { id, ids } = await edited('/more')
    const { content_data_id } = await entry(card.datatype_id, { parent_id: id }, { fields: { title: 'New' } })
    const { added, removed, values } = await services.space.versions.differenceToNow(ids[0] ?? '')
    expect([added, removed]).toEqual([[content_data_id], []])
    expect(values.map(({ before, after }) => [before, after])).toContainEqual(['Third', 'Fourth'])
    await expect(services.space.versions.differenceToNow('01ARZ3NDEKTSV4RRFFQ69G5FAV')).rejects.toThrow()
  })
})

describe.skipIf(chromiumMissing)('D29 in a browser', async () => {
  const { panel } = await browserOf(app)

  it('compares the two that are chosen, also on a phone and without scripts', async () => {
    const { id } = await edited('/chosen')
    for (const options of [looks.light, looks.phone, { javaScriptEnabled: false }]) {
      const seen = await panel({ ...options, as: 'admin' })
      const { page, open } = seen
      await open(`/content/entry/${id}/versions`)
      if (options !== looks.light && options !== looks.phone) expect(await page.title()).toContain('Versions')
      else await expectClean(seen)
      await page.getByLabel('From v1').check()
      await page.getByLabel('To v3').check()
      await page.getByRole('button', { name: 'Compare selected' }).click()
      await page.getByRole('heading', { level: 1, name: 'What changed' }).waitFor()
      expect(await page.locator('.differences :is(del, ins)').allTextContents()).toEqual(['First', 'Third'])
    }
  })
})
