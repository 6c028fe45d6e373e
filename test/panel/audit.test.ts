import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call, clock, services } = app
const { datatype, field, route, entry } = factories(app)

const { datatype_id } = await datatype('Page')
const heading = await field(datatype_id, 'Heading', 'text')
const other = await field(datatype_id, 'See also', 'relation', { name: 'also' })
const { route_id } = await route('/harbour', 'The harbour')
const { content_data_id: id } = await entry(datatype_id, { route_id }, { fields: { heading: 'Boats' } })
const sister = await entry(datatype_id, { parent_id: id }, { fields: { heading: 'Nets' } })

/** What the rows of the log say, without their times. */
async function rows(query = ''): Promise<string[]> {
  const { text, status } = await call('GET', `/admin/audit?${query}`)
  expect([query, status]).toEqual([query, 200])
  return [...text.matchAll(/<tr>(<th scope="row">.*?)<\/tr>/gs)].map(([, row = '']) =>
    row
      .replace(/<span class="hidden-text">.*?<\/span>/g, '')
      .replace(/<time.*?<\/time>/gs, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )
}

/** The page of the newest event that fits. */
async function newest(query: string, headers: Record<string, string> = {}): Promise<string> {
  const { text } = await call('GET', `/admin/audit?${query}`)
  const [, path = ''] = /href="(\/admin\/audit\/\w{26})"/.exec(text) ?? []
  return (await call('GET', path, { headers })).text
}
/** What an event says was changed: label, before, after. */
const values = (text: string) =>
  [...text.matchAll(/<dt>([^<]*)<\/dt><dd>((?:(?!<\/dd>).)*)<\/dd><\/div>/gs)].map(([, label, value]) => [
    label,
    value,
  ])

describe('the audit log', () => {
  it('names kinds, records and people as the panel does, and leads to the record', async () => {
    clock.advance(1000)
    const edit = { fields: { heading: 'Old boats' } }
    await call('PUT', `/api/v1/content?q=${id}`, { as: 'editor', body: edit })
    expect((await rows()).slice(0, 2)).toContain('Entry changed The harbour Heading editor by the API')
    const { text } = await call('GET', '/admin/audit')
    expect(text).toContain(`<a href="/admin/content/entry/${id}">The harbour</a>`)
    expect(text).toContain(`<a href="/admin/routes/${route_id}">The harbour</a>`)
    expect(text).toContain(`<a href="/admin/fields/${heading.field_id}">Heading</a>`)
    expect(text).not.toMatch(/content.fields|content.data/)

    const gone = await route('/gone', 'Gone soon')
    await call('DELETE', `/api/v1/routes?q=${gone.route_id}`)
    expect((await rows('of=routes'))[0]).toBe('Route deleted Gone soon (route) Administrator by the API')
  })

  it('is chosen from by who, what was done, to what and when', async () => {
    expect(await rows(`user_id=${app.users.editor}`)).toEqual([
      'Entry changed The harbour Heading editor by the API',
    ])
    expect(await rows(`of=content&operation=DELETE`)).toEqual([])
    expect((await rows('of=model')).filter(row => !/^(Datatype|Field|Field type) created/.test(row))).toEqual(
      [],
    )
    clock.advance(2 * 3_600_000)
    expect(await rows('when=hour')).toEqual([])
    expect((await rows('when=day&of=content')).length).toBeGreaterThan(3)
    expect((await rows('when=ever&of=nothing')).length).toBeGreaterThan(10)
    const { text } = await call('GET', `/admin/audit?of=content&user_id=${app.users.editor}`)
    expect(text).toMatch(/<option value="content" selected="">Entries</)
    expect(text).toMatch(new RegExp(`<option value="${app.users.editor}" selected="">`))
  })

  it('says of an event what changed, before and after, in the words of the forms', async () => {
    const changed = await newest(`user_id=${app.users.editor}&of=content&record_id=`)
    expect(changed).toContain('Open entry')
    const edited = await newest(`user_id=${app.users.editor}&table_name=content_fields`)
    expect(values(edited)).toEqual([['Heading', expect.stringMatching(/<del>Boats<\/del>.*<ins>/s)]])

    const body = { fields: { also: sister.content_data_id } }
    await call('PUT', `/api/v1/content?q=${id}`, { body })
    expect(values(await newest('table_name=content_fields'))).toEqual([[other.label, '<ins>Nets</ins>']])

    await call('PUT', `/api/v1/routes?q=${route_id}`, { body: { title: 'The old harbour' } })
    expect(values(await newest('of=routes'))).toEqual([['Title', 'The <ins>old </ins>harbour']])

    const [locale] = await (async () => {
      for await (const found of services.locales.list({}, { limit: 1 })) return found
      return []
    })()
    await call('PUT', `/api/v1/locales?q=${locale?.locale_id}`, { body: { is_enabled: true, sort_order: 7 } })
    expect(values(await newest('of=locales'))).toEqual([['Order', '<del>0</del><ins>7</ins>']])
  })

  it('shows times in the zone of the browser', async () => {
    const { content_data_id } = await entry(datatype_id, { parent_id: id })
    const plan = { content_data_id, publish_at: '2031-07-01T21:30:00Z' }
    await call('POST', '/api/v1/content/schedule', { body: plan })
    const query = `record_id=${content_data_id}`
    expect(values(await newest(query))).toContainEqual([
      'Publish at',
      expect.stringContaining('2031-07-01 21:30 UTC'),
    ])
    const inBerlin = {
      Cookie: `${app.config.cookie_name}=admin-secret-of-this-test; slugline_zone=Europe/Berlin`,
    }
    expect(values(await newest(query, inBerlin))).toContainEqual([
      'Publish at',
      expect.stringContaining('2031-07-01 23:30<'),
    ])
  })

  it('shows the admin space by its own pages', async () => {
    const { body } = await call('POST', '/api/v1/admin/routes', { body: { slug: '/tool', title: 'A tool' } })
    expect((await rows('of=space'))[0]).toBe('Route created A tool Administrator by the API')
    expect((await call('GET', '/admin/audit?of=space')).text).toContain(
      `<a href="/admin/space/routes/${body.route_id}">A tool</a>`,
    )
  })

  it('is for who has the permission', async () => {
    for (const as of ['nobody', 'viewer', 'editor'] as const)
      expect([as, (await call('GET', '/admin/audit?of=content', { as })).status]).not.toEqual([as, 200])
  })
})

describe.skipIf(chromiumMissing)(
  `the audit log in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('fits the screen of a phone, whatever the names are', async () => {
      await route('/long', 'A-title-without-any-place-to-break-it-that-goes-on-and-on-and-on')
      const seen = await panel({ ...looks.phone, as: 'admin' })
      await seen.open('/audit')
      const over = await seen.page.$$eval('html, .table-frame', all =>
        all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      )
      expect(over).toEqual([0, 0])
      await expectClean(seen)
    })

    it('opens an event with what is stored', async () => {
      const admin = await panel({ as: 'admin' })
      await admin.open('/audit?of=content')
      await admin.page.getByRole('link', { name: 'Entry changed' }).first().click()
      await admin.page.getByText('Stored data').click()
      await admin.page.locator('pre.code').first().waitFor()
      await expectClean(admin)
    })
  },
)
