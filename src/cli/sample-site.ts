import { type Actor, systemActorFor } from '../actor.js'
import { timestamp } from '../ids.js'
import type { ReceivedForm } from '../ports.js'
import type { FieldType } from '../services/content/field-types.js'
import { LocaleCreate } from '../services/content/locales.js'
import type { Services } from '../services/index.js'
import { camelCase } from '../services/text.js'

/** A small bicycle workshop: the site of `quickstart`. Everything is created through the services, as a user would. */

type SampleServices = Pick<Services, 'space' | 'media' | 'users' | 'locales' | 'access'>

export interface SampleOptions {
  readonly picture?: ((name: string) => Promise<ReceivedForm['file']>) | undefined
  readonly localized: boolean
  readonly now: number
}

const german = 'de'
const dayMs = 86_400_000
const picture: [string, FieldType, object] = ['Picture', 'media', { kinds: ['image'], altRequired: true }]

const pictures: Readonly<Record<string, [english: string, german: string]>> = {
  workshop: [
    'The workshop with a red roof, two bicycles in front of it',
    'Die Werkstatt mit rotem Dach, davor zwei Fahrräder',
  ],
  'repair-stand': ['A bicycle in the repair stand', 'Ein Fahrrad im Montageständer'],
  'winter-chain': ['A chain on its chainring in the snow', 'Eine Kette auf dem Kettenblatt im Schnee'],
  brake: ['A brake that squeals at the rim', 'Eine Bremse, die an der Felge quietscht'],
  'truing-stand': ['A wheel in the truing stand', 'Ein Laufrad im Zentrierständer'],
  zoe: ['Zoë', 'Zoë'],
  emile: ['Émile', 'Émile'],
  ines: ['Inês', 'Inês'],
}

const people = [
  { key: 'zoe', name: 'Zoë Brandt', email: 'zoe@freilauf.example', role: 'editor' },
  { key: 'emile', name: 'Émile Roux', email: 'emile@freilauf.example', role: 'editor' },
  { key: 'ines', name: 'Inês Prado', email: 'ines@freilauf.example', role: 'viewer' },
] as const
type Person = (typeof people)[number]['key']

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
      picture,
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
  person: ['Person', 'content', [['Name', 'text'], ['Role', 'text'], picture]],
  contact: [
    'Contact',
    'content',
    [
      ['Email', 'email'],
      ['Hours', 'json'],
    ],
  ],
  blog: ['Blog', 'content', [['Intro', 'textarea']]],
  post: ['Post', 'content', [['Written on', 'date'], ['Author', 'text'], ['Body', 'richtext'], picture]],
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
  german?: Record<string, string>
  picture?: string
  children?: Sample[]
}

interface SamplePage {
  slug: string
  title: string
  german?: { slug: string; title: string }
  root: Sample
  /** Whoever wrote it, if that is not the administrator. */
  by?: Person
  /** In how many days it is published; null for a draft. */
  inDays?: number | null
}

const hours = JSON.stringify({ 'tue–fri': '10–18', sat: '10–14' })

const pages: SamplePage[] = [
  {
    slug: '/',
    title: 'Freilauf – the bicycle workshop',
    german: { slug: '/de', title: 'Freilauf – die Fahrradwerkstatt' },
    root: {
      type: 'page',
      fields: { summary: 'We mend what rolls, and we show you how.' },
      german: { summary: 'Wir reparieren, was rollt, und zeigen, wie es geht.' },
      children: [
        {
          type: 'hero',
          picture: 'workshop',
          fields: {
            headline: 'Ride on, dear bicycle 🚲',
            text: '<p>Bring it in the morning, ride it home in the evening. <strong>No appointment needed.</strong></p>',
            link: '/about',
            mood: 'bright',
          },
          german: {
            headline: 'Roll weiter, liebes Fahrrad 🚲',
            text: '<p>Morgens bringen, abends damit heimfahren. <strong>Ohne Termin.</strong></p>',
          },
        },
        {
          type: 'section',
          fields: { heading: 'What we do' },
          german: { heading: 'Was wir tun' },
          children: [
            {
              type: 'card',
              fields: {
                title: 'Small service',
                text: 'Brakes, gears, air and a smile.',
                price: 39,
                popular: true,
              },
              german: { title: 'Kleiner Service', text: 'Bremsen, Schaltung, Luft und ein Lächeln.' },
            },
            {
              type: 'card',
              fields: {
                title: 'Big service',
                text: 'Every bearing cleaned and greased.',
                price: 119.5,
                popular: false,
              },
              german: { title: 'Großer Service', text: 'Jedes Lager gereinigt und gefettet.' },
            },
            {
              type: 'card',
              fields: {
                title: 'Learn it yourself',
                text: 'Two hours, your bike, our tools.',
                price: 25,
                popular: true,
              },
              german: { title: 'Selber lernen', text: 'Zwei Stunden, dein Rad, unser Werkzeug.' },
            },
          ],
        },
      ],
    },
  },
  {
    slug: '/about',
    title: 'About us',
    german: { slug: '/ueber-uns', title: 'Über uns' },
    root: {
      type: 'page',
      fields: { summary: 'Three people, one truing stand, since 2009.' },
      german: { summary: 'Drei Leute, ein Zentrierständer, seit 2009.' },
      children: [
        { type: 'section', fields: { heading: 'Find us in the Gärtnergasse' } },
        { type: 'person', picture: 'zoe', fields: { name: 'Zoë', role: 'Wheels and words' } },
        { type: 'person', picture: 'emile', fields: { name: 'Émile', role: 'Brakes and coffee' } },
        { type: 'person', picture: 'ines', fields: { name: 'Inês', role: 'Counter and courses' } },
        { type: 'contact', fields: { email: 'hallo@freilauf.example', hours } },
      ],
    },
  },
  {
    slug: '/blog',
    title: 'Workshop diary',
    german: { slug: '/tagebuch', title: 'Werkstatt-Tagebuch' },
    root: {
      type: 'blog',
      fields: { intro: 'Notes from under the repair stand.' },
      german: { intro: 'Notizen von unter dem Montageständer.' },
    },
  },
  {
    slug: '/blog/winter-chain',
    title: 'A chain through the winter',
    german: { slug: '/tagebuch/winterkette', title: 'Eine Kette durch den Winter' },
    by: 'zoe',
    root: {
      type: 'post',
      picture: 'winter-chain',
      fields: {
        writtenOn: '2026-11-02',
        author: 'Zoë',
        body: '<p>Salt is patient. Wipe the chain after each wet ride, and oil it on Sundays.</p>',
      },
      german: {
        body: '<p>Salz ist geduldig. Nach jeder nassen Fahrt die Kette abwischen, und sonntags ölen.</p>',
      },
    },
  },
  {
    slug: '/blog/silent-brakes',
    title: 'Why brakes sing, and how to stop them',
    by: 'emile',
    root: {
      type: 'post',
      picture: 'brake',
      fields: {
        writtenOn: '2026-10-12',
        author: 'Émile',
        body: '<p>A brake sings when the pad meets the rim heel first. A strip of cardboard sets it right.</p>',
      },
    },
  },
  {
    slug: '/blog/true-wheel',
    title: 'A wheel that runs true',
    by: 'zoe',
    inDays: 1,
    root: {
      type: 'post',
      picture: 'truing-stand',
      fields: {
        author: 'Zoë',
        body: '<p>A quarter turn is plenty. Then look again, and drink some tea.</p>',
      },
    },
  },
  {
    slug: '/blog/open-evening',
    title: 'Open evening at the repair stand',
    by: 'emile',
    inDays: 4,
    root: {
      type: 'post',
      picture: 'repair-stand',
      fields: { author: 'Émile', body: '<p>Bring your bicycle, we bring tools and soup.</p>' },
    },
  },
  {
    slug: '/blog/spring-check',
    title: 'Ten minutes before the first warm ride',
    by: 'zoe',
    inDays: null,
    root: { type: 'post', fields: { author: 'Zoë', body: '<p>Air, brakes, chain. In this order.</p>' } },
  },
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

const inLanguages: ReadonlySet<FieldType> = new Set(['text', 'textarea', 'richtext'])

/** Creates the datatypes. @returns their ids by name */
async function makeDatatypes({ space }: SampleServices, actor: Actor, localized: boolean) {
  const ids = new Map<string, string>()
  for (const [name, [label, type, fields]] of Object.entries(datatypes)) {
    const { datatype_id } = await space.datatypes.create(actor, { label, name, type })
    ids.set(name, datatype_id)
    for (const [order, [fieldLabel, field_type, data = {}]] of fields.entries())
      await space.fields.create(actor, {
        label: fieldLabel,
        name: camelCase(fieldLabel),
        field_type,
        data: { ...data },
        translatable: localized && inLanguages.has(field_type),
        parent_id: datatype_id,
        sort_order: order,
      })
  }
  return ids
}

/** Stores the pictures with their alt texts. @returns their ids by name */
async function makePictures({ media: { items } }: SampleServices, actor: Actor, options: SampleOptions) {
  const { picture: fileOf, localized } = options
  const ids = new Map<string, string>()
  const store = async (name: string, english: string, translated: string) => {
    const file = await fileOf?.(name)
    if (!file) return
    try {
      const { media_id } = await items.add(actor, { file, fields: new Map([['alt_text', english]]) })
      ids.set(name, media_id)
      if (localized)
        await items.update(actor, media_id, { translations: { [german]: { alt_text: translated } } })
    } finally {
      await file.discard()
    }
  }
  await Promise.all(Object.entries(pictures).map(([name, alt]) => store(name, ...alt)))
  return ids
}

/** Creates accounts without passwords: nobody can sign in with one before an administrator sets it. */
async function makePeople({ users, access }: SampleServices, actor: Actor): Promise<Map<Person, Actor>> {
  const actors = new Map<Person, Actor>()
  for (const { key, name, email, role } of people) {
    const { user_id } = await users.create(actor, { username: key, name, email, role })
    const roleId = await access.systemRole(role)
    actors.set(key, { ...systemActorFor(user_id), roleId, surface: 'cli', userAgent: 'quickstart' })
  }
  return actors
}

/**
 * Loads the sample site into an empty service.
 * @param actor becomes the author of everything that nobody else has written
 * @returns false, and changes nothing, if there is any route
 */
export async function loadSampleSite(
  services: SampleServices,
  actor: Actor,
  options: SampleOptions,
): Promise<boolean> {
  const { space } = services
  const { localized, now } = options
  if ((await space.routes.count({})) > 0) return false
  if (localized) await services.locales.create(actor, LocaleCreate.parse({ code: german, label: 'Deutsch' }))
  const ids = await makeDatatypes(services, actor, localized)
  const media = await makePictures(services, actor, options)
  const actors = await makePeople(services, actor)

  const place = async (
    sample: Sample,
    { route_id = null, parent_id = null }: { route_id?: string | null; parent_id?: string | null },
    by: Actor,
  ): Promise<string> => {
    const shown = sample.picture && media.get(sample.picture)
    const { content_data_id } = await space.content.create(by, {
      datatype_id: ids.get(sample.type) ?? '',
      ...{ route_id, parent_id, status: 'draft' },
      fields: { ...sample.fields, ...(shown && { picture: shown }) },
    })
    if (localized && sample.german)
      await space.content.update(by, content_data_id, { locale: german, fields: sample.german })
    for (const child of sample.children ?? []) await place(child, { parent_id: content_data_id }, by)
    return content_data_id
  }
  const publish = (content_data_id: string) => space.publishing.publish(actor, { content_data_id })
  for (const { slug, title, german: translated, root, by, inDays = 0 } of pages) {
    const author = (by && actors.get(by)) ?? actor
    const translations = localized && translated ? { translations: { [german]: translated } } : {}
    const { route_id } = await space.routes.create(author, { slug, title, ...translations })
    const content_data_id = await place(root, { route_id }, author)
    if (inDays === 0) await publish(content_data_id)
    else if (inDays !== null)
      await space.publishing.schedule(actor, {
        content_data_id,
        publish_at: timestamp(now + inDays * dayMs),
      })
  }
  await publish(await place(navigation, {}, actor))
  return true
}
