import { beforeAll, expect, it } from 'vitest'
import { type Actor, systemActor } from '../../src/actor.js'
import { ModelFile } from '../../src/services/model/file.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const from = await testApp({ i18n_enabled: true })
const to = await testApp({ i18n_enabled: true })
let [admin, editor, viewer]: Actor[] = []

beforeAll(async () => {
  const actorOf = async (role: 'admin' | 'editor' | 'viewer'): Promise<Actor> => ({
    ...systemActor,
    surface: 'cli',
    userId: to.users[role],
    roleId: await to.services.access.systemRole(role),
  })
  ;[admin, editor, viewer] = await Promise.all([actorOf('admin'), actorOf('editor'), actorOf('viewer')])
  const make = factories(from)
  // A parent whose name is after that of its child, relations both ways, and a fallback that is made last.
  const zoo = await make.datatype('Zoo', { visibility: 'public' })
  const animal = await make.datatype('Animal', { parent_id: zoo.datatype_id })
  await make.field(zoo.datatype_id, 'Name', 'text', {
    required: true,
    translatable: true,
    data: { maxLength: 9 },
  })
  await make.field(zoo.datatype_id, 'Star', 'relation', { data: { target: 'animal' } })
  await make.field(animal.datatype_id, 'Home', 'relation', { data: { target: ['zoo'], cardinality: 'many' } })
  await from.call('POST', '/api/v1/locales', { body: { code: 'de', label: 'Deutsch' } })
  await from.call('POST', '/api/v1/locales', { body: { code: 'at', label: 'A', fallback_code: 'de' } })
})

const read = async () => {
  const services = from.services
  const roleId = await services.access.systemRole('admin')
  const file = await services.model.get({ ...systemActor, surface: 'cli', roleId })
  return ModelFile.parse(JSON.parse(JSON.stringify(file)))
}
const apply = (file: object, actor = admin as Actor, accept = false) =>
  to.services.model.apply(actor, ModelFile.parse(file), { accept })
const plan = async (file: object) =>
  (await to.services.model.plan(admin as Actor, ModelFile.parse(file))).map(
    ({ action, name, changes, breaks }) => ({ action, name, changes, breaks }),
  )

it('goes from one service to another, and the plan after that is empty', async () => {
  const file = await read()
  expect(file.datatypes.map(({ name, parent }) => [name, parent])).toEqual([
    ['zoo', null],
    ['animal', 'zoo'],
  ])
  const planned = await plan(file)
  expect(planned.map(({ action, name }) => `${action} ${name}`)).toEqual([
    ...['create de', 'create at', 'create zoo', 'create animal'],
    ...['create zoo.name', 'create zoo.star', 'create animal.home'],
  ])
  const before = (await to.audits()).length
  expect(await plan(file)).toEqual(planned)
  expect((await to.audits()).length).toBe(before)
  await apply(file)
  expect(await plan(file)).toEqual([])
  const written = (await to.audits()).length
  expect(written - before).toBe(7)
  expect(await apply(file)).toEqual([])
  expect((await to.audits()).length).toBe(written)
})

it('changes what differs, and keeps what the file leaves out', async () => {
  const file = await read()
  const [zoo, animal] = file.datatypes
  if (!zoo || !animal) throw new Error('the file has no datatypes')
  const [name] = zoo.fields
  const changed = { datatypes: [{ ...zoo, label: 'Zoos', fields: [{ ...name, label: 'Called' }] }] }
  expect(await plan(changed)).toEqual([
    { action: 'update', name: 'zoo', changes: ['label'], breaks: null },
    { action: 'update', name: 'zoo.name', changes: ['label'], breaks: null },
  ])
  await apply(changed)
  expect((await to.call('GET', '/api/v1/fields')).body).toHaveLength(3)
  expect((await to.call('GET', '/api/v1/datatypes')).body).toHaveLength(2)
})

it('says what breaks, and applies it only if that is accepted', async () => {
  const { body: types } = await to.call('GET', '/api/v1/datatypes')
  const zoo = types.find(({ name }: { name: string }) => name === 'zoo')
  const page = { slug: '/berlin', title: 'Berlin', datatype_id: zoo.datatype_id, status: 'published' }
  expect(
    (await to.call('POST', '/api/v1/pages', { body: { ...page, fields: { name: 'Berlin' } } })).status,
  ).toBe(201)
  const of = (field: object, more: object = {}) => ({
    datatypes: [
      { name: 'zoo', label: 'Zoos', type: 'content', visibility: 'public', ...more, fields: [field] },
    ],
  })
  const name = { name: 'name', label: 'Called', field_type: 'text', required: true, translatable: true }
  const shorter = of({ ...name, data: { maxLength: 3 } })
  expect(await plan(shorter)).toMatchObject([
    { breaks: 'values break its rules in 1 published and 0 draft entries' },
  ])
  const before = (await to.audits()).length
  await expect(apply(shorter)).rejects.toMatchObject({ status: 409 })
  const retyped = of({ name: 'name', label: 'Called', field_type: 'number' })
  expect((await plan(retyped))[0]?.breaks).toContain('cannot change while entries have values')
  await expect(apply(retyped, admin, true)).rejects.toMatchObject({ status: 409 })
  const hidden = of({ ...name, data: { maxLength: 9 } }, { visibility: 'private' })
  expect(await plan(hidden)).toMatchObject([{ breaks: 'the public sees it as private' }])
  await expect(apply(hidden)).rejects.toMatchObject({ status: 409 })
  expect((await to.audits()).length).toBe(before)
  expect(await apply(shorter, admin, true)).toHaveLength(1)
})

it('refuses whoever lacks a right, before anything is changed', async () => {
  const before = (await to.audits()).length
  const file = {
    locales: [{ code: 'fr', label: 'Français' }],
    datatypes: [{ name: 'x', label: 'X', type: 'content' }],
  }
  await expect(apply(file, viewer)).rejects.toMatchObject({ status: 403 })
  await expect(apply(file, editor)).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('content:admin'),
  })
  await expect(to.services.model.get(viewer as Actor)).rejects.toMatchObject({ status: 403 })
  expect((await to.audits()).length).toBe(before)
  expect(await apply({ datatypes: file.datatypes }, editor)).toHaveLength(1)
})

it('refuses a file that names something twice or nothing', async () => {
  const post = { name: 'post', label: 'Post', type: 'content' }
  const field = { name: 'a', label: 'A', field_type: 'text' }
  for (const file of [
    { datatypes: [post, post] },
    { datatypes: [{ ...post, fields: [field, field] }] },
    { datatypes: [{ ...post, parent: 'nothing' }] },
    {
      locales: [
        { code: 'es', label: 'a' },
        { code: 'es', label: 'b' },
      ],
    },
  ])
    await expect(apply(file)).rejects.toMatchObject({ status: 400 })
  for (const file of [
    { datatypes: [{ ...post, fields: [{ ...field, field_type: 'colour' }] }] },
    { datatypes: [{ label: 'Post', type: 'content' }] },
    { datatypes: Array.from({ length: 1001 }, (_, n) => ({ ...post, name: `p${n}` })) },
  ])
    expect(ModelFile.safeParse(file).success).toBe(false)
})
