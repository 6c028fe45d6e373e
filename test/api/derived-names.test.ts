import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'

const { call, audits } = await testApp()
const post = (path: string, body: unknown) => call('POST', `/api/v1${path}`, { body })

describe.each(['', '/admin'])('without a name, in the space %j', prefix => {
  it.each([
    ['Überschrift', 'uberschrift'],
    ['Straße', 'strasse'],
    ['Заголовок статьи', 'zagolovokStati'],
    ['首页', 'shouYe'],
    ['ページ', 'peji'],
    ['Τίτλος', 'titlos'],
    ['عنوان', expect.stringMatching(/^[a-z][A-Za-z0-9]+$/)],
    ['3 Spalten', 'x3Spalten'],
    ['Hero Image', 'heroImage'],
    ['blog_post (old)', 'blogPostOld'],
    ['Editor’s pick', 'editorsPick'],
    ['漢'.repeat(255), expect.stringMatching(/^[a-z][A-Za-z0-9]{99,199}$/)],
  ])('the label %j gives one that programs can use', async (label, name) => {
    const { status, body } = await post(`${prefix}/datatypes`, { label, type: 'content' })
    expect([status, body.label, body.name]).toEqual([201, label, name])
    const parent_id = body.datatype_id
    const field = await post(`${prefix}/fields`, { label, field_type: 'text', parent_id })
    expect([field.status, field.body.name]).toEqual([201, name])
  })

  it('labels that give the same name get numbers, and a name of one’s own is refused', async () => {
    const made = async (body: object) =>
      (await post(`${prefix}/datatypes`, { type: 'content', ...body })).body
    const page = await made({ label: 'Seite' })
    expect([page.name, (await made({ label: 'Seite' })).name, (await made({ label: 'SEITE' })).name]).toEqual(
      ['seite', 'seite2', 'sEITE'],
    )
    expect((await made({ label: 'x', name: 'seite3' })).name).toBe('seite3')
    expect((await made({ label: 'Seite' })).name).toBe('seite4')
    const before = (await audits()).length
    const taken = await post(`${prefix}/datatypes`, { label: 'x', name: 'seite', type: 'content' })
    expect([taken.status, taken.body.code, (await audits()).length]).toEqual([409, 'duplicate', before])
    const field = (parent_id: string) =>
      post(`${prefix}/fields`, { label: 'Titel', field_type: 'text', parent_id })
    const other = await made({ label: 'Andere' })
    const names = []
    for (const id of [page.datatype_id, page.datatype_id, other.datatype_id])
      names.push((await field(id)).body.name)
    expect(names).toEqual(['titel', 'titel2', 'titel'])
  })

  it('many at once get a name each', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => post(`${prefix}/datatypes`, { label: 'Zugleich', type: 'content' })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(201))
    expect(new Set(answers.map(({ body }) => body.name)).size).toBe(4)
  })
})
