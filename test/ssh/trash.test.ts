import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { openScreens } from '../support/ssh-screens.js'

it('the trash in a terminal shows what was deleted, restores it, and deletes it for good', async () => {
  const app = await testApp()
  const { datatype, route, entry } = factories(app)
  const { datatype_id } = await datatype('Page')
  const removed = async (slug: string) => {
    const { route_id } = await route(slug, `Title of ${slug}`)
    const { content_data_id } = await entry(datatype_id, { route_id })
    await app.call('DELETE', `/api/v1/routes?q=${route_id}&recursive=true`)
    return content_data_id as string
  }
  const [first, second] = [await removed('/first'), await removed('/second')]
  const client = await openScreens(app, 'admin')
  await client.sees('Trash')
  client.press('g')
  await client.sees('Go to')
  client.type('trash')
  client.press('enter')
  await client.sees('Title of /second')
  client.press('r')
  await client.sees('“Title of /second” is restored.')
  const { content } = app.services.space
  expect([await content.count({ content_data_id: second })]).toEqual([1])
  client.press('x')
  await client.sees('It is deleted permanently.')
  client.press('y')
  await client.sees('The trash is empty.')
  expect(await content.count({ content_data_id: first })).toBe(0)
  expect(await app.services.space.trash.count({})).toBe(0)
})
