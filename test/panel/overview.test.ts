import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { picture, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp({ ...storage.config, publish_mode: 'staged' })
const { call, clock } = app
const { datatype, field, route, entry } = factories(app)

const { datatype_id } = await datatype('Page')
await field(datatype_id, 'Heading', 'text')
await field(datatype_id, 'Cover', 'media')
const { route_id } = await route('/harbour', 'The harbour')
const { body: file } = await uploader(app)('boat.png', await picture(8, 8).png().toBuffer())
const { content_data_id: id } = await entry(
  datatype_id,
  { route_id },
  { fields: { heading: 'Boats', cover: file.media_id } },
)

/** What the list of recent changes says, line by line. */
async function recent(): Promise<string[]> {
  const { text } = await call('GET', '/admin')
  const [, list = ''] = text.split('Recent changes')
  return [...list.matchAll(/<li>(.*?)<\/li>/gs)].map(([, line = '']) =>
    line
      .replace(/<time.*?<\/time>/gs, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )
}

it('says which records were changed and by whom, each in one line', async () => {
  const before = await recent()
  expect(before.slice(0, 2)).toEqual([
    'Boats created by Administrator,',
    'boat.png created by Administrator,',
  ])
  expect(before).toContain('The harbour created by Administrator,')
  expect(before).toContain('Page created by Administrator,')

  clock.advance(1000)
  await call('PUT', `/api/v1/content?q=${id}`, { as: 'editor', body: { fields: { heading: 'Old boats' } } })
  expect((await recent())[0]).toBe('Old boats changed by editor,')
  await call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
  expect((await recent())[0]).toBe('Old boats published by Administrator,')
  expect((await call('GET', '/admin')).text).toContain(`href="/admin/content/entry/${id}"`)

  const credentials = { email: 'admin@example.com', password: 'correct horse' }
  expect((await call('POST', '/api/v1/auth/login', { as: 'nobody', body: credentials })).status).toBe(200)
  expect((await recent())[0]).toBe('Old boats published by Administrator,')

  const gone = await route('/gone', 'Gone soon')
  await call('DELETE', `/api/v1/routes?q=${gone.route_id}`)
  expect((await recent())[0]).toMatch(/^Gone soon \(routes\) \w+ by Administrator,$/)
  expect((await call('GET', '/admin', { as: 'editor' })).text).not.toContain('Recent changes')
})

it('names the entries that use a file', async () => {
  const { text } = await call('GET', `/admin/media/${file.media_id}`)
  expect(text).toMatch(new RegExp(`href="/admin/content/entry/${id}"[^>]*>Old boats<`))
})

it('says of an address where nothing is what that means', async () => {
  const { status, text } = await call('GET', '/admin/media/01ARZ3NDEKTSV4RRFFQ69G5FAV')
  expect(status).toBe(404)
  expect(text).toContain('There is nothing at this address.')
})
