import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'

const { call } = await testApp()
async function api(method: string, path: string, body?: unknown) {
  const answer = await call(method, `/api/v1${path}`, { body })
  expect([path, Math.floor(answer.status / 100)]).toEqual([path, 2])
  return answer.body
}

it('keeps every value of a field and a datatype that are renamed a hundred times', async () => {
  const { datatype_id } = await api('POST', '/datatypes', { label: 'Page', type: 'content' })
  const { field_id } = await api('POST', '/fields', {
    label: 'Text',
    field_type: 'text',
    parent_id: datatype_id,
  })
  const { route_id } = await api('POST', '/routes', { slug: '/', title: 'Home' })
  const entry = (text: string, place: object) =>
    api('POST', '/content', { datatype_id, status: 'published', fields: { text }, ...place })
  const { content_data_id } = await entry('root', { route_id })
  for (const text of ['one', 'two', 'three']) await entry(text, { parent_id: content_data_id })
  const values = await api('GET', '/content-fields')
  expect(values.map((row: { field_value: string }) => row.field_value)).toEqual([
    'root',
    'one',
    'two',
    'three',
  ])

  for (let i = 1; i <= 100; i++) {
    const [field, datatype] = [`text${i}`, `page${i}`]
    await api('PUT', `/fields/?q=${field_id}`, { label: `Text ${i}`, name: field })
    await api('PUT', `/datatypes/?q=${datatype_id}`, { label: `Page ${i}`, name: datatype })
    const { status, body } = await call('GET', '/?format=clean', { as: 'nobody' })
    expect([status, body]).toEqual([
      200,
      {
        type: datatype,
        [field]: 'root',
        title: 'Home',
        slug: '/',
        children: ['one', 'two', 'three'].map(text => ({ type: datatype, [field]: text })),
      },
    ])
  }
  expect(await api('GET', '/content-fields')).toEqual(values)
})
