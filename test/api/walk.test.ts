import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'

const { call, audits } = await testApp()

it('goes from an empty database to a published page', async () => {
  const datatype = await call('POST', '/api/v1/datatypes', { body: { label: 'Page', type: 'content' } })
  expect(datatype.body).toMatchObject({ label: 'Page', name: 'page' })
  expect(datatype.status).toBe(201)
  const hero = await call('POST', '/api/v1/datatypes', { body: { label: 'Hero', type: 'content' } })
  const { datatype_id } = datatype.body
  const headline = await call('POST', '/api/v1/fields', {
    body: { label: 'Headline', field_type: 'text', parent_id: hero.body.datatype_id },
  })
  expect(headline.status).toBe(201)
  const route = await call('POST', '/api/v1/routes', { body: { slug: '/', title: 'Home' } })
  expect(route.status).toBe(201)
  const root = await call('POST', '/api/v1/content', {
    body: { datatype_id, route_id: route.body.route_id, status: 'published' },
  })
  expect(root.body.error).toBeUndefined()
  const child = await call('POST', '/api/v1/content', {
    body: {
      datatype_id: hero.body.datatype_id,
      parent_id: root.body.content_data_id,
      status: 'published',
      fields: { headline: 'Héllo 👋' },
    },
  })
  expect(child.status).toBe(201)
  const page = await call('GET', '/?format=clean', { as: 'nobody' })
  expect(page.text).toBe(
    '{"type":"page","title":"Home","slug":"/","children":[{"type":"hero","headline":"Héllo 👋"}]}',
  )
  expect((await call('GET', '/', { as: 'nobody', headers: { 'If-None-Match': '*' } })).status).toBe(304)
  expect((await audits()).length).toBeGreaterThan(0)
})
