import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call } = app
const { datatype, field, route, entry } = factories(app)
const { callerWith } = callersOf(app)

const card = await datatype('Card')
const title = await field(card.datatype_id, 'Title', 'text')
const { route_id } = await route('/harbour', 'The harbour')
const children = [{ datatype_id: card.datatype_id, fields: { title: 'Boats' } }]
const root = await entry(card.datatype_id, { route_id }, { fields: { title: 'Root' }, children })
const block = root.children[0].content_data_id

/** The breadcrumbs of a page, as texts with the paths of the links. */
function crumbsIn(text: string): string[] {
  const [, nav = ''] = /<nav class="crumbs"[^>]*>(.*?)<\/nav>/s.exec(text) ?? []
  return [...nav.matchAll(/<a href="\/admin([^"]*)">([^<]*)<\/a>|<b>([^<]*)<\/b>/g)].map(
    ([, path, word, own]) => own ?? `${word} ${path}`,
  )
}
const crumbs = async (path: string) => crumbsIn((await call('GET', `/admin${path}`)).text)
const current = async (path: string) => {
  const { text } = await call('GET', `/admin${path}`)
  return /<a href="([^"]*)"[^>]*data-go="\w" aria-current="page"/.exec(text)?.[1]
}

describe('D36: the way to a page', () => {
  it('of a field leads through its datatype, and the rail marks the datatypes', async () => {
    const way = ['Datatypes /datatypes', `Card /datatypes/${card.datatype_id}`]
    expect(await crumbs(`/fields/${title.field_id}`)).toEqual([...way, 'Title'])
    expect(await crumbs(`/fields/new?of=${card.datatype_id}`)).toEqual([...way, 'New field'])
    expect(await crumbs(`/fields/${title.field_id}/delete`)).toEqual([
      ...way,
      `Title /fields/${title.field_id}`,
      'Delete field',
    ])
    expect(await crumbs('/fields/new?of=01ARZ3NDEKTSV4RRFFQ69G5FAV')).toEqual([way[0], 'New field'])
    for (const path of [`/fields/${title.field_id}`, '/fields', `/datatypes/${card.datatype_id}`])
      expect([path, await current(path)]).toEqual([path, '/admin/datatypes'])
  })

  it('of a field names no datatype to whoever may not read them', async () => {
    const { call: asked } = await callerWith('fields:read')
    const { text } = await asked('GET', `/admin/fields/${title.field_id}`)
    expect(crumbsIn(text)).toEqual(['Fields /fields', 'Title'])
    expect(text).not.toContain('Card')
  })

  it('of a block leads through its page', async () => {
    const page = ['Content /content', `The harbour /content/entry/${root.content_data_id}`]
    expect(await crumbs(`/content/entry/${root.content_data_id}`)).toEqual([
      'Content /content',
      'The harbour',
    ])
    expect(await crumbs(`/content/entry/${block}`)).toEqual([...page, 'Boats'])
    const own = [...page, `Boats /content/entry/${block}`]
    expect(await crumbs(`/content/entry/${block}/versions`)).toEqual([...own, 'Versions'])
    expect(await crumbs(`/content/entry/${block}/changes`)).toEqual([...own, 'Not published yet'])
    expect(await crumbs(`/content/entry/${block}/preview-links`)).toEqual([...own, 'Preview links'])
    expect(await crumbs(`/content/entry/${block}/delete`)).toEqual([...own, 'Delete'])
    expect(await current(`/content/entry/${block}`)).toBe('/admin/content')
  })
})
