import { type callerOf, made } from './calls.js'

type Call = Awaited<ReturnType<typeof callerOf>>

/** Creates a published page at `/` with one text, by the API. @returns the ids */
export async function samplePage(call: Call, field_type = 'text', text = 'Hello') {
  const { datatype_id } = await made(call('POST', '/datatypes', { label: 'Page', type: 'content' }))
  const { field_id } = await made(
    call('POST', '/fields', { label: 'Text', name: 'text', field_type, parent_id: datatype_id }),
  )
  const { route_id } = await made(call('POST', '/routes', { slug: '/', title: 'Home' }))
  const { content_data_id } = await made(
    call('POST', '/content', { datatype_id, route_id, status: 'published', fields: { text } }),
  )
  return { datatype_id, field_id, route_id, content_data_id }
}
