import type { RoleLimits } from '../role-limits.js'
import { all } from './entries.js'
import type { Choice, Field, Texts } from './form-field.js'
import type { ResourceParts, Viewer } from './resource.js'

/** Routes to tick without a search. */
const maxRoutes = 200
const maxModel = 5000

/** The fields of limits in a form, in their order. */
export const limitNames = {
  datatypes: 'limits.datatypes',
  routes: 'limits.routes',
  locales: 'limits.locales',
  own: 'limits.own',
  reading: 'limits.reading',
  reads: 'limits.reads',
} as const

type LimitViewer = Pick<Viewer, 'actor' | 'can' | 't' | 'typed'>

const typedIn = (texts: Texts | undefined, name: string) => [texts?.[name] ?? []].flat().filter(Boolean)

/** Puts choices that are ticked first, with those that are not there any more. */
function tickedFirst(choices: readonly Choice[], values: readonly string[]): Choice[] {
  const known = new Map(choices.map(choice => [choice.value, choice]))
  const first = [...new Set(values)].map(value => known.get(value) ?? { value, word: value })
  return [...first, ...choices.filter(({ value }) => !values.includes(value))]
}

/** Pages are named by address, as a search finds them. */
async function routeChoices(
  { actor, can, typed }: LimitViewer,
  stored: readonly string[],
  { services: { space } }: ResourceParts,
) {
  const texts = typedIn(typed, limitNames.routes)
  const routes = can('routes:read') ? await space.records.routes(actor) : undefined
  const found = routes
    ? [
        ...(stored.length > 0 ? await all(routes.list({ route_id: [...stored] }, {})) : []),
        ...(texts.length > 0 ? await all(routes.list({ slug: texts }, {})) : []),
        ...(await all(routes.list({}, { limit: maxRoutes }))),
      ]
    : []
  const slugs = new Map(found.map(({ route_id, slug }) => [route_id, slug]))
  const value = stored.map(id => slugs.get(id) ?? id)
  const choices = new Map(found.map(({ slug, title }) => [slug, { value: slug, word: title, hint: slug }]))
  return { value, choices: tickedFirst([...choices.values()], [...value, ...texts]) }
}

async function datatypeChoices({ can }: LimitViewer, { services: { space } }: ResourceParts) {
  if (!can('datatypes:read')) return []
  const found = await all(space.datatypes.list({}, { limit: maxModel }))
  return found
    .map(({ datatype_id, label }) => ({ value: datatype_id, word: label }))
    .toSorted((a, b) => a.word.localeCompare(b.word))
}

async function localeChoices({ services: { locales } }: ResourceParts) {
  const found = await all(locales.list({}, {}))
  return found.map(({ code, label }) => ({ value: code, word: label, hint: code }))
}

/** The fields for the part of the site that a role or an API key may change. The viewer is offered what they may see. */
export async function limitFields(
  limits: RoleLimits,
  viewer: LimitViewer,
  parts: ResourceParts,
): Promise<Field[]> {
  const { t } = viewer
  const { datatypes = [], routes = [], locales = [], own = false, reads } = limits
  const types = await datatypeChoices(viewer, parts)
  return [
    {
      ...{ name: limitNames.datatypes, label: t('Datatypes'), kind: 'choices', value: datatypes },
      help: t('Entries of these datatypes, and everything under them. None: all datatypes.'),
      choices: tickedFirst(types, datatypes),
    },
    {
      ...{ name: limitNames.routes, label: t('Pages'), kind: 'choices' },
      help: t('These pages and those below, with their addresses. None: all pages.'),
      ...(await routeChoices(viewer, routes, parts)),
    },
    {
      ...{ name: limitNames.locales, label: t('Languages'), kind: 'choices', value: locales },
      help: t('Texts in these languages, and nothing that all languages share. None: all languages.'),
      choices: tickedFirst(await localeChoices(parts), locales),
    },
    {
      ...{ name: limitNames.own, label: t('Own entries only'), kind: 'switch', value: String(own) },
      help: t('Entries of which the user is the author, and everything under them.'),
    },
    {
      ...{ name: limitNames.reading, label: t('Limit reading too'), kind: 'switch' },
      ...{ value: String(reads !== undefined) },
      help: t('Only these pages and entries can be read. Without this, all content can be read.'),
    },
    {
      ...{ name: limitNames.reads, label: t('Datatypes that can always be read'), kind: 'choices' },
      ...{ value: reads ?? [], choices: tickedFirst(types, reads ?? []) },
      help: t('For example authors, so that pages can refer to them. Used only if reading is limited.'),
    },
  ]
}

/**
 * Leaves out the members of limits that do not limit: a list in which nothing is ticked, and a switch that is off. A form
 * that sends only what was changed keeps the rest as it is stored.
 */
export function limitTexts(texts: Texts, stored: RoleLimits | null | undefined): Texts {
  const names = Object.values(limitNames)
  if (!names.some(name => name in texts)) return texts
  const { datatypes, routes, locales, own, reading, reads } = limitNames
  const before: Texts = {
    [datatypes]: stored?.datatypes ?? [],
    [routes]: stored?.routes ?? [],
    [locales]: stored?.locales ?? [],
    [own]: String(stored?.own ?? false),
    [reading]: String(stored?.reads !== undefined),
    [reads]: stored?.reads ?? [],
  }
  const givenIn = (name: string) => [texts[name] ?? before[name] ?? []].flat().filter(text => text !== '')
  const kept = names.flatMap((name): [string, string | readonly string[]][] => {
    const given = givenIn(name)
    if (name === reading) return []
    // An empty list is one: then nothing else can be read.
    if (name === reads)
      return givenIn(reading).includes('true') ? [[name, given.length > 0 ? given : '']] : []
    if (name === own) return given.includes('true') ? [[name, 'true']] : []
    return given.length > 0 ? [[name, given]] : []
  })
  const others = Object.entries(texts).filter(([name]) => !names.some(one => one === name))
  return Object.fromEntries([...others, ...(kept.length > 0 ? kept : [['limits', ''] as const])])
}
