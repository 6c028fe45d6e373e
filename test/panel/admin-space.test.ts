import { describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { type Caller, testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { picture } from '../support/media.js'
import { panelForms } from '../support/panel-forms.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp(storage.config)
const { call, db, services } = app
const { post, seen } = panelForms(app)

const idIn = (location: string) => /\w{26}/.exec(location)?.[0] ?? ''
const at = '/admin/space'

/** Makes a page of the admin space by forms alone. @returns the paths that show it */
async function pageOfAdminSpace() {
  const made = async (path: string, values: Record<string, string>) => {
    const answer = await post(`${at}${path}`, values)
    expect([path, answer.status]).toEqual([path, 303])
    return answer.location
  }
  const kind = { label: 'Help', type: 'content', parent_id: '', visibility: 'linked', sort_order: '0' }
  const datatype = await made('/datatypes/new', kind)
  const field = await made('/fields/new', {
    ...{ parent_id: idIn(datatype), label: 'Text', field_type: 'text', data: '{}', sort_order: '0' },
  })
  const route = await made('/routes/new', { title: 'How we write', slug: '/style' })
  const entry = await made(`/content/${idIn(route)}/start`, { datatype_id: idIn(datatype) })
  return { datatype, field, route, entry }
}

const page = await pageOfAdminSpace()

describe('the admin space in the panel', () => {
  it('has routes, datatypes, fields and content of its own', async () => {
    expect([page.datatype, page.field, page.route, page.entry].map(path => path.split('/')[3])).toEqual([
      ...['datatypes', 'fields', 'routes', 'content'],
    ])
    const id = idIn(page.entry)
    const answer = await post(page.entry, { 'fields.text': 'Plain words', seen: await seen(page.entry) })
    expect([answer.status, answer.location]).toEqual([
      303,
      expect.stringContaining(`${page.entry}?saved&undo=save.`),
    ])
    expect((await post(page.entry, { next: 'publish', seen: '' })).status).toBe(303)
    expect((await services.adminSpace.content.get(id)).status).toBe('published')
    const tree = await call('GET', '/api/v1/admin/tree/style?format=clean')
    expect(tree.body).toMatchObject({ text: 'Plain words' })
    const copied = await post(`${page.entry}/add`, { datatype_id: idIn(page.datatype) })
    expect(copied.location).toMatch(/^\/admin\/space\/content\/entry\/\w{26}\?new$/)
    expect((await post(`${copied.location.replace('?new', '')}/delete`, {})).location).toMatch(
      /^\/admin\/space\/content\/entry\/\w{26}\?deleted=\w{26}$/,
    )
    for (const table of [tables.routes, tables.datatypes, tables.fields, tables.contentData])
      expect([table.name, await db.countAll(table)]).toEqual([table.name, 0])
  })

  it('has its own media', async () => {
    const token = (await call('GET', `${at}/media`)).text.match(/form_token=([^"&]+)/)?.[1] ?? ''
    const form = new FormData()
    form.append('file', new Blob([(await picture(8, 8).png().toBuffer()) as BlobPart]), 'sign.png')
    const path = `${at}/media-upload?form_token=${token}`
    const answer = await app.send('POST', path, { as: 'admin', body: form })
    expect(answer.headers.get('location')).toMatch(/^\/admin\/space\/media\/\w{26}\?saved$/)
    expect(await db.countAll(tables.media)).toBe(0)
    expect((await call('GET', `${at}/media`)).text).toContain('sign.png')
  })

  it('is for who has the rights of the admin space', async () => {
    const paths = ['/content', '/content/new', '/media', '/routes', '/datatypes', '/fields', '/routes/new']
    const allowed = async (as: Caller) => {
      const statuses = await Promise.all(paths.map(path => call('GET', `${at}${path}`, { as })))
      return statuses.map(({ status }) => status)
    }
    expect(await allowed('nobody')).toEqual(paths.map(() => 303))
    expect(await allowed('viewer')).toEqual(paths.map(() => 403))
    expect(await allowed('editor')).toEqual(paths.map(() => 200))
    const refused = await call('GET', `${at}/routes`, { as: 'viewer' })
    expect(refused.text).toContain('<code>admin_tree:read</code>')
    const values = { title: 'No', slug: '/no' }
    expect((await post(`${at}/routes/new`, values, { as: 'viewer' })).status).toBe(403)
    expect((await call('GET', '/admin', { as: 'viewer' })).text).not.toContain(`${at}/content`)
    expect((await call('GET', '/admin', { as: 'editor' })).text).toContain(`${at}/content`)
  })

  it('names only its own pages in links and forms', async () => {
    for (const path of [page.datatype, page.field, page.route, page.entry, `${at}/content`, `${at}/media`]) {
      const { text } = await call('GET', path)
      const named = [...text.matchAll(/(?:href|action|hx-post)="(\/admin\/[^"]*)"/g)].map(
        ([, to]) => to ?? '',
      )
      const foreign = named.filter(to => !/^\/admin\/(space\/|files\/|profile$|find)/.test(to))
      expect([path, foreign]).toEqual([path, []])
    }
  })

  it('leads to its pages where they are, which is not where visitors look', async () => {
    const { text } = await call('GET', page.entry)
    const shown = [...text.matchAll(/href="([^"]*)"[^>]*data-format="clean"/g)].map(([, to]) => to ?? '')
    expect(shown).toEqual(['/api/v1/admin/tree/style?format=clean'])
    expect((await call('GET', shown[0] ?? '')).status).toBe(200)
    expect((await call('GET', '/style')).status).toBe(404)
    expect(text).not.toContain('href="/style"')
  })

  it('offers its own entries, pages and files to fields', async () => {
    const found = async (path: string, as: Caller = 'editor') => {
      const answer = await call('GET', path, { as })
      return [answer.status, (answer.body ?? []).map(({ word }: { word: string }) => word)]
    }
    expect(await found(`${at}/pick/pages?q=style`)).toEqual([200, [expect.any(String)]])
    expect(await found('/admin/pick/pages?q=style')).toEqual([200, []])
    expect(await found(`${at}/pick/entries?q=plain`)).toEqual([200, ['How we write']])
    expect(await found('/admin/pick/entries?q=plain')).toEqual([200, []])
    expect(await found(`${at}/pick/media?q=sign`)).toEqual([200, ['sign.png']])
    expect((await found(`${at}/pick/media`, 'viewer'))[0]).toBe(403)
  })
})

describe.skipIf(chromiumMissing)(
  `the admin space in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('is accessible, and moves entries by keys', async () => {
      const first = await post(`${page.entry}/add`, { datatype_id: idIn(page.datatype) })
      await post(`${page.entry}/add`, { datatype_id: idIn(page.datatype) })
      for (const look of ['light', 'dark', 'phone'] as const) {
        const seen = await panel({ ...looks[look], as: 'admin' })
        for (const path of ['/space/content', page.entry.replace('/admin', '')]) {
          await seen.open(path)
          await expectClean(seen)
        }
      }
      const { page: shown, open, problems } = await panel({ as: 'admin' })
      await open(page.entry.replace('/admin', ''))
      await shown.locator(`#n-${idIn(first.location)}`).focus()
      await shown.keyboard.press('Alt+ArrowDown')
      await shown.locator('#say', { hasText: '2 of 2' }).waitFor({ state: 'attached' })
      const children = { parent_id: idIn(page.entry) }
      for await (const rows of services.adminSpace.content.list(children, {}))
        expect(rows.find(one => one.content_data_id === idIn(first.location))?.sort_order).toBeGreaterThan(0)
      expect(problems).toEqual([])
    })
  },
)
