import type { Actor } from '../actor.js'
import type { FieldType } from '../services/content/field-types.js'
import type { SpaceServices } from '../services/index.js'
import { camelCase } from '../services/text.js'

/** A small bicycle workshop: the site of `quickstart`. Everything is created through the services, as a user would. */

/** Datatypes by name: label, type, and fields as `[label, field type, settings?]`; names are camelCase labels. */
const datatypes: Record<string, [label: string, type: string, fields: [string, FieldType, object?][]]> = {
  page: ['Page', 'content', [['Summary', 'textarea']]],
  hero: [
    'Hero',
    'content',
    [
      ['Headline', 'text'],
      ['Text', 'richtext'],
      ['Link', 'url'],
      ['Mood', 'select', { options: ['calm', 'bright'] }],
    ],
  ],
  section: ['Section', 'content', [['Heading', 'text']]],
  card: [
    'Card',
    'content',
    [
      ['Title', 'text'],
      ['Text', 'textarea'],
      ['Price', 'number', { min: 0 }],
      ['Popular', 'boolean'],
    ],
  ],
  contact: [
    'Contact',
    'content',
    [
      ['Email', 'email'],
      ['Hours', 'json'],
    ],
  ],
  blog: ['Blog', 'content', [['Intro', 'textarea']]],
  post: [
    'Post',
    'content',
    [
      ['Written on', 'date'],
      ['Author', 'text'],
      ['Body', 'richtext'],
    ],
  ],
  navigation: ['Navigation', '_global', [['Label', 'text']]],
  navigationItem: [
    'Navigation item',
    'content',
    [
      ['Label', 'text'],
      ['Path', 'slug'],
    ],
  ],
}

interface Sample {
  type: keyof typeof datatypes
  fields?: Record<string, string | number | boolean>
  children?: Sample[]
}

const hours = JSON.stringify({ 'tue–fri': '10–18', sat: '10–14' })

const pages: [slug: string, title: string, root: Sample][] = [
  [
    '/',
    'Freilauf – the bicycle workshop',
    {
      type: 'page',
      fields: { summary: 'We mend what rolls, and we show you how.' },
      children: [
        {
          type: 'hero',
          fields: {
            headline: 'Ride on, dear bicycle 🚲',
            text: '<p>Bring it in the morning, ride it home in the evening. <strong>No appointment needed.</strong></p>',
            link: '/about',
            mood: 'bright',
          },
        },
        {
          type: 'section',
          fields: { heading: 'What we do' },
          children: [
            {
              type: 'card',
              fields: {
                title: 'Small service',
                text: 'Brakes, gears, air and a smile.',
                price: 39,
                popular: true,
              },
            },
            {
              type: 'card',
              fields: {
                title: 'Big service',
                text: 'Every bearing cleaned and greased.',
                price: 119.5,
                popular: false,
              },
            },
            {
              type: 'card',
              fields: {
                title: 'Learn it yourself',
                text: 'Two hours, your bike, our tools.',
                price: 25,
                popular: true,
              },
            },
          ],
        },
      ],
    },
  ],
  [
    '/about',
    'About us',
    {
      type: 'page',
      fields: { summary: 'Three people, one truing stand, since 2009.' },
      children: [
        { type: 'section', fields: { heading: 'Find us in the Gärtnergasse' } },
        { type: 'contact', fields: { email: 'hallo@freilauf.example', hours } },
      ],
    },
  ],
  ['/blog', 'Workshop diary', { type: 'blog', fields: { intro: 'Notes from under the repair stand.' } }],
  [
    '/blog/winter-chain',
    'A chain through the winter',
    {
      type: 'post',
      fields: {
        writtenOn: '2026-11-02',
        author: 'Zoë',
        body: '<p>Salt is patient. Wipe the chain after each wet ride, and oil it on Sundays.</p>',
      },
    },
  ],
  [
    '/blog/silent-brakes',
    'Why brakes sing, and how to stop them',
    {
      type: 'post',
      fields: {
        writtenOn: '2026-10-12',
        author: 'Émile',
        body: '<p>A brake sings when the pad meets the rim heel first. A strip of cardboard sets it right.</p>',
      },
    },
  ],
]

const navigation: Sample = {
  type: 'navigation',
  fields: { label: 'Main menu' },
  children: [
    { type: 'navigationItem', fields: { label: 'Home', path: '/' } },
    { type: 'navigationItem', fields: { label: 'About', path: '/about' } },
    { type: 'navigationItem', fields: { label: 'Diary', path: '/blog' } },
  ],
}

/**
 * Loads the sample site into an empty service.
 * @param actor becomes the author of everything
 * @returns false, and changes nothing, if there is any route
 */
export async function loadSampleSite(services: SpaceServices, actor: Actor): Promise<boolean> {
  if ((await services.routes.count({})) > 0) return false
  const ids = new Map<string, string>()
  for (const [name, [label, type, fields]] of Object.entries(datatypes)) {
    const datatype = await services.datatypes.create(actor, { label, name, type })
    ids.set(name, datatype.datatype_id)
    for (const [order, [fieldLabel, field_type, data = {}]] of fields.entries())
      await services.fields.create(actor, {
        label: fieldLabel,
        name: camelCase(fieldLabel),
        field_type,
        data: { ...data },
        parent_id: datatype.datatype_id,
        sort_order: order,
      })
  }

  const place = async (sample: Sample, route_id: string | null, parent_id: string | null): Promise<void> => {
    const { content_data_id } = await services.content.create(actor, {
      datatype_id: ids.get(sample.type) ?? '',
      route_id,
      parent_id,
      status: 'published',
      fields: sample.fields ?? {},
    })
    for (const child of sample.children ?? []) await place(child, null, content_data_id)
  }
  for (const [slug, title, root] of pages) {
    const { route_id } = await services.routes.create(actor, { slug, title })
    await place(root, route_id, null)
  }
  await place(navigation, null, null)
  return true
}
