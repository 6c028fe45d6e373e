import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call } = app
const make = factories(app)
async function api(method: string, path: string, body?: unknown) {
  const answer = await call(method, `/api/v1${path}`, { body })
  expect([path, Math.floor(answer.status / 100)]).toEqual([path, 2])
  return answer.body
}

it('keeps every value of a field and a datatype that are renamed a hundred times', async () => {
  const { datatype_id } = await make.datatype('Page')
  const { field_id } = await make.field(datatype_id, 'Text', 'text')
  const { route_id } = await make.route('/', 'Home')
  const entry = (text: string, place: object) =>
    make.entry(datatype_id, place, { status: 'published', fields: { text } })
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
