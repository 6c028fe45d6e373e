import type { TestApp } from './app.js'
import { factories } from './factories.js'

/** Creates a small site with a field of every type. */
export async function sampleOf(app: TestApp) {
  const make = factories(app)
  const page = await make.datatype('Page')
  const section = await make.datatype('Section')
  const field = (label: string, type: string, more: object = {}) =>
    make.field(page.datatype_id, label, type, more)
  await field('Title', 'text', { required: true, sort_order: 0 })
  await field('Text', 'richtext', { sort_order: 1 })
  await field('Summary', 'textarea', { sort_order: 2 })
  await field('Rating', 'number', { sort_order: 3 })
  await field('Since', 'date', { sort_order: 4 })
  await field('Opens', 'datetime', { sort_order: 5 })
  await field('Open', 'boolean', { sort_order: 6 })
  await field('Kind', 'select', { sort_order: 7, data: { options: ['shop', 'office'] } })
  await field('Key', 'slug', { sort_order: 8 })
  await field('E-mail', 'email', { sort_order: 9 })
  await field('Related', 'relation', { sort_order: 10, data: { target: 'section', cardinality: 'many' } })
  await field('Site', 'url', { sort_order: 11 })
  await field('Picture', 'media', { sort_order: 12 })
  await field('Extra', 'json', { sort_order: 13 })
  await make.field(section.datatype_id, 'Heading', 'text')
  const route = await make.route('/welcome', 'Welcome')
  await make.route('/strasse', 'Straße')
  await make.route('/日本', '日本語のページ')
  const entry = await make.entry(
    page.datatype_id,
    { route_id: route.route_id },
    {
      fields: {
        title: 'Welcome to the bakery',
        text: '<p>Bread, made by hand.</p>',
        summary: 'Bread and more.\nSince 1921.',
        rating: '4.5',
        since: '1921-05-01',
        opens: '2026-12-01T07:00:00Z',
        open: 'true',
        kind: 'shop',
        key: 'welcome',
        eMail: 'hello@example.com',
        site: 'https://example.com/',
        extra: '{"a": [1, 2]}',
      },
    },
  )
  for (const heading of ['Opening hours', 'Contact', 'Our team 日本語'])
    await make.entry(section.datatype_id, { parent_id: entry.content_data_id }, { fields: { heading } })
  return { root: entry.content_data_id as string, section: section.datatype_id as string }
}
