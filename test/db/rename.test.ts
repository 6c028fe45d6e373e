import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'

const { call } = await testApp()
const api = async (method: string, path: string, body: unknown) =>
  (await call(method, `/api/v1${path}`, { body })).body

it('keeps every value of a field and a datatype that are renamed a hundred times', async () => {
  const { datatype_id } = await api('POST', '/datatypes', { label: 'Page', type: 'content' })
  const { field_id } = await api('POST', '/fields', {
    label: 'Text',
    field_type: 'text',
    parent_id: datatype_id,
  })
  const { route_id } = await api('POST', '/routes', { slug: '/', title: 'Home' })
  const place = { datatype_id, status: 'published', fields: { text: 'kept' } }
  const { content_data_id } = await api('POST', '/content', { ...place, route_id })
  for (let i = 0; i < 5; i++) await api('POST', '/content', { ...place, parent_id: content_data_id })
  for (let i = 1; i <= 100; i++) {
    await api('PUT', `/fields/?q=${field_id}`, { label: `Text ${i}`, name: `text${i}` })
    await api('PUT', `/datatypes/?q=${datatype_id}`, { label: `Page ${i}`, name: `page${i}` })
    const child = { type: `page${i}`, [`text${i}`]: 'kept' }
    expect((await call('GET', '/?format=clean', { as: 'nobody' })).body).toEqual({
      ...child,
      title: 'Home',
      slug: '/',
      children: Array(5).fill(child),
    })
  }
})
