import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'

const formats = ['clean', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress']

/** A page with a value without a locale, one of an enabled locale and one of a disabled one. */
async function site(i18n_enabled: boolean) {
  const { call, db } = await testApp({ i18n_enabled })
  const post = async (path: string, body: unknown) =>
    (await call('POST', `/api/v1${path}`, { as: 'admin', body })).body
  await post('/locales', { code: 'fr', label: 'fr', is_enabled: false })
  const { datatype_id } = await post('/datatypes', { label: 'Page', type: 'content' })
  const { field_id } = await post('/fields', {
    label: 'Text',
    name: 'text',
    field_type: 'text',
    parent_id: datatype_id,
    translatable: true,
  })
  const { route_id } = await post('/routes', { slug: '/', title: 'Home' })
  const page = { datatype_id, status: 'published', fields: { text: 'PLAIN' } }
  const { content_data_id, author_id } = await post('/content', { ...page, route_id })
  const value = (locale: string, field_value: string) => ({
    content_data_id,
    field_id,
    locale,
    field_value,
    route_id,
    author_id,
  })
  await db.write(systemActor, async tx => {
    await tx.lockAndBumpTree(tables.contentTrees, content_data_id)
    await tx.insertAll(tables.contentFields, [value('en', 'ENABLED'), value('fr', 'DISABLED')])
  })
  return async (format: string, as: 'nobody' | 'admin') => {
    const path = as === 'nobody' ? `/?format=${format}` : `/api/v1/page/?format=${format}&preview=true`
    const { status, body } = await call('GET', path, { as })
    return [
      format,
      status,
      ['PLAIN', 'ENABLED', 'DISABLED'].filter(text => JSON.stringify(body).includes(text)),
    ]
  }
}

it('shows nobody without an account a value of a disabled locale', async () => {
  const shown = await site(true)
  for (const format of formats) {
    const all = format === 'raw' ? ['PLAIN', 'ENABLED'] : ['ENABLED']
    expect(await shown(format, 'nobody')).toEqual([format, 200, all])
  }
})

it('shows nobody without an account a value of any locale while locales are off', async () => {
  const shown = await site(false)
  for (const format of formats) expect(await shown(format, 'nobody')).toEqual([format, 200, ['PLAIN']])
})
