import { RouteCreate, RouteUpdate } from '../services/content/routes.js'
import { all } from './entries.js'
import type { Field, Texts } from './form-field.js'
import { removalOf, removing } from './removal.js'
import { accessTo, type ResourceParts, resource } from './resource.js'

/** The most locales that are read; a site has fewer. */
const maxLocales = 100
const translated = /^translations\.([^.]+)\.(title|slug)$/

type Translations = Readonly<Record<string, { readonly title?: string; readonly slug?: string }>>

/** Returns the fields for title and slug in each other language; refusals name the same members. */
async function translationFields(
  { services: { locales } }: ResourceParts,
  known: Translations,
): Promise<Field[]> {
  const found = await all(locales.list({}, { limit: maxLocales }))
  return found
    .filter(({ is_default }) => !is_default)
    .flatMap(({ code, label }): Field[] => [
      { name: `translations.${code}.title`, label: `Title in ${label}`, value: known[code]?.title ?? '' },
      {
        name: `translations.${code}.slug`,
        label: `Slug in ${label}`,
        value: known[code]?.slug ?? '',
        mono: true,
        beside: true,
      },
    ])
}

/** Joins the translations into one member; empty ones are removed. */
function withTranslations(texts: Texts): Texts {
  const kept: Record<string, string | readonly string[]> = {}
  const translations: Record<string, Record<string, string | null>> = {}
  for (const [name, text] of Object.entries(texts)) {
    const [, code, member] = translated.exec(name) ?? []
    if (code && member) translations[code] = { ...translations[code], [member]: String(text) || null }
    else kept[name] = text
  }
  return Object.keys(translations).length > 0 ? { ...kept, translations: JSON.stringify(translations) } : kept
}

/** Routes: the addresses of pages. */
export const routeResource = (parts: ResourceParts) =>
  resource({
    title: 'Routes',
    one: 'route',
    about: 'The addresses of the site. What is served at one is written under Content.',
    access: accessTo('routes'),
    service: { ...parts.services.space.routes, remove: removing(parts, 'routes') },
    reads: parts.services.space.records.routes,
    key: 'route_id',
    nameOf: ({ title }) => title,
    empty: 'No pages yet.',
    columns: [
      { label: 'Title', of: ({ title }) => title },
      { label: 'Slug', of: ({ slug }) => ({ code: slug }) },
      { label: 'Changed', of: ({ date_modified }) => ({ at: date_modified }), room: 'much' },
    ],
    create: RouteCreate,
    update: RouteUpdate,
    asksApart: true,
    deletes: ({ route_id }, viewer) => removalOf(parts, viewer, 'routes', route_id),
    fields: async record => [
      { name: 'title', label: 'Title', required: true },
      { name: 'slug', label: 'Slug', mono: true, required: true, hint: 'a path such as /about' },
      ...(await translationFields(parts, record?.translations ?? {})),
    ],
    prepare: withTranslations,
  })
