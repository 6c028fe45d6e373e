import { describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { uploader } from '../support/media.js'
import { panelForms } from '../support/panel-forms.js'
import { sshOf } from '../support/ssh.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp(storage.config)
const make = factories(app)
const upload = uploader(app)
const { call } = app
const lower = (id: string) => id.toLowerCase()

const { datatype_id } = await make.datatype('Note', { type: '_global', visibility: 'public' })
await make.field(datatype_id, 'Related', 'relation')
await make.field(datatype_id, 'Many', 'relation', { data: { cardinality: 'many' } })
await make.field(datatype_id, 'Text', 'text')
const { content_data_id: first } = await make.entry(lower(datatype_id), {}, { status: 'published' })
const { route_id } = await make.route('/note')
const { body: folder } = await call('POST', '/api/v1/media-folders', { body: { name: 'pictures' } })

describe('an id in lower case names its record', () => {
  it('in q and in a path', async () => {
    for (const [path, id] of [
      ['/datatypes', datatype_id],
      ['/content', first],
      ['/routes', route_id],
      ['/media-folders', folder.folder_id],
    ]) {
      const whole = (await call('GET', `/api/v1${path}/${id}`)).body
      expect((await call('GET', `/api/v1${path}/?q=${lower(id)}`)).body).toEqual(whole)
      expect((await call('GET', `/api/v1${path}/${lower(id)}`)).body).toEqual(whole)
    }
    const renamed = await call('PUT', `/api/v1/routes/${lower(route_id)}`, { body: { title: 'Renamed' } })
    expect([renamed.status, renamed.body.route_id]).toEqual([200, route_id])
    const listed = await call('GET', `/api/v1/content/tree/${lower(route_id)}`)
    expect(listed.status).not.toBe(400)
  })

  it('in members of a body, which keep the stored form', async () => {
    const made = await make.entry(datatype_id, {
      route_id: lower(route_id),
      fields: { related: lower(first), many: [lower(first)], text: lower(first) },
    })
    expect(made).toMatchObject({ datatype_id, route_id })
    const { body: values } = await call(
      'GET',
      `/api/v1/content-fields?content_data_id=${lower(made.content_data_id)}`,
    )
    expect(values.map(({ field_value }: { field_value: string }) => field_value).sort()).toEqual(
      [first, JSON.stringify([first]), lower(first)].sort(),
    )
    const put = await call('PUT', '/api/v1/content/', {
      body: { content_data_id: lower(made.content_data_id), status: 'published' },
    })
    expect([put.status, put.body.content_data_id]).toEqual([200, made.content_data_id])
    const { field_id } = (await call('GET', '/api/v1/fields')).body.find(
      ({ name }: { name: string }) => name === 'related',
    )
    const value = values.find((one: { field_id: string }) => one.field_id === field_id)
    const saved = await call('PUT', `/api/v1/content-fields/?q=${lower(value.content_field_id)}`, {
      body: { field_value: lower(first) },
    })
    expect([saved.status, saved.body.field_value]).toEqual([200, first])
    const { body: file } = await upload('a.txt', 'a text', { fields: { folder_id: lower(folder.folder_id) } })
    expect(file.folder_id).toBe(folder.folder_id)
    const moved = { media_ids: [lower(file.media_id)], folder_id: null }
    expect((await call('POST', '/api/v1/media/move', { body: moved })).status).toBe(200)
    expect((await call('DELETE', `/api/v1/media/${lower(file.media_id)}`)).status).toBe(204)
  })

  it('in filters of lists and of queries', async () => {
    const list = await call('GET', `/api/v1/content?datatype_id=${lower(datatype_id)}`)
    expect(list.body.length).toBeGreaterThan(0)
    const asked = async (filter: string) =>
      (await call('GET', `/api/v1/query/note?${filter}`, { as: 'nobody' })).body.data.map(
        ({ id }: { id: string }) => id,
      )
    expect(await asked(`filter[id][eq]=${lower(first)}`)).toEqual([first])
    expect(await asked(`filter[id][in]=${lower(first)}`)).toEqual([first])
    expect(await asked(`filter[related][eq]=${lower(first)}`)).toHaveLength(1)
    expect(await asked(`filter[many][in]=${lower(first)}`)).toHaveLength(1)
    const one = await call('GET', `/api/v1/query/note/${lower(first)}`, { as: 'nobody' })
    expect([one.status, one.body.data?.id]).toEqual([200, first])
  })

  it('and nothing else is changed by that: names, slugs and texts of 26 characters stay', async () => {
    const slug = `/${lower(first)}`
    const { slug: kept, title } = await make.route(slug, lower(first))
    expect([kept, title]).toEqual([slug, lower(first)])
    expect((await call('GET', `/api/v1/routes?slug=${slug}`)).body).toHaveLength(1)
    expect((await call('GET', `/api/v1/content/?q=${lower(first).replace('0', 'u')}`)).status).toBe(404)
    expect((await call('GET', '/api/v1/routes/published', { as: 'nobody' })).status).toBe(200)
  })
})

describe('an id in lower case names its record also', () => {
  it('in addresses of the panel, which lead on to the stored form', async () => {
    const { post } = panelForms(app)
    const { body: role } = await call('POST', '/api/v1/roles', { body: { label: 'Readers' } })
    for (const [path, id] of [
      ['/datatypes', datatype_id],
      ['/routes', route_id],
      ['/roles', role.role_id],
      ['/content/entry', first],
    ]) {
      const page = await call('GET', `/admin${path}/${lower(id)}`)
      expect([path, page.status, page.text.includes(`action="/admin${path}/${id}`)]).toEqual([
        path,
        200,
        true,
      ])
    }
    const granted = await post(`/admin/roles/${lower(role.role_id)}/permissions`, { permission_id: '' })
    expect([granted.status, granted.location]).toEqual([303, `/admin/roles/${role.role_id}?saved`])
    const saved = await post(`/admin/routes/${lower(route_id)}`, { title: 'Of the panel', slug: '/note' })
    expect([saved.status, saved.location]).toEqual([303, `/admin/routes/${route_id}?saved`])
    expect((await call('GET', `/admin/routes/${lower(route_id).replace('0', 'u')}`)).status).toBe(404)
  })

  it('in links of rich text, which keep the stored form; its words stay', async () => {
    const { field_id } = await make.field(datatype_id, 'Body', 'richtext')
    const id = lower(first)
    const { body: value } = await call('POST', '/api/v1/content-fields', {
      body: {
        content_data_id: first,
        field_id,
        field_value: `<p>${id} <a href="#${id}">a</a> <a title=x href='#inline-${id}'>b</a> <a href="/#${id}">c</a></p><p><a href="#block-${id}">d</a></p>`,
      },
    })
    expect(value.field_value).toBe(
      `<p>${id} <a href="#${first}">a</a> <a title=x href='#inline-${first}'>b</a> <a href="/#${id}">c</a></p><p><a href="#block-${first}">d</a></p>`,
    )
    const referring = await app.db.findAll(tables.contentReferences, { target_id: first })
    expect(referring.map(row => row.field_id)).toContain(field_id)
  })
})

it('a command takes an id in lower case', async () => {
  const ssh = await sshOf(app)
  const { file: key } = await ssh.keyOf('admin')
  const run = (command: string) => ssh.ssh(command, { key })
  const shown = await run(`content get ${lower(first)} --json`)
  expect([shown.code, JSON.parse(shown.out).content_data_id]).toEqual([0, first])
  expect((await run(`content unpublish ${lower(first)}`)).code).toBe(0)
  const listed = await run(`content list --datatype-id ${lower(datatype_id)} --status draft --json`)
  expect([listed.code, JSON.parse(listed.out)[0]?.content_data_id]).toEqual([0, first])
})
