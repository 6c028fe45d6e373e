import { z } from 'zod'
import type { RouteTranslations } from '../../db/content-tables.js'
import type { RouteRow } from '../../db/tables.js'
import { type ContentSpace, internalTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { duplicate, invalid } from '../../errors.js'
import { label, slug } from '../text.js'
import { localeCode } from './locales.js'

/** Translations as a body gives them, merged into the stored ones: null removes a locale or a member. */
export const translationsInput = z
  .record(localeCode, z.strictObject({ slug: slug.nullish(), title: label(1024).nullish() }).nullable())
  .meta({
    description: 'Slug and title by locale, such as {"de": {"slug": "/ueber-uns", "title": "Über uns"}}.',
  })

/** Every address of a route's page: its own slug, then those of other locales. */
export const slugsOf = ({ slug, translations }: Pick<RouteRow, 'slug' | 'translations'>): string[] => [
  slug,
  ...Object.values(translations).flatMap(own => own.slug ?? []),
]

/**
 * A slug of a route and one of a translation are never the same, so changes of translations take turns with all other
 * changes of slugs. Those do not wait for one another: the table of routes itself keeps their slugs apart.
 */
export const slugsInTurn = (tx: Writer, { routes }: ContentSpace, translates: boolean): Promise<unknown> =>
  translates ? tx.lock(internalTables.locks, routes.name) : tx.share(internalTables.locks, routes.name)

/**
 * @param before the translations that the route has already
 * @throws 409 when another page, or the same one in another locale, has one of the slugs; 400 for no locale
 */
export async function refuseSlugs(
  tx: Writer,
  space: ContentSpace,
  { route_id, slug, translations }: Pick<RouteRow, 'slug' | 'translations'> & { route_id?: string },
  before: RouteTranslations = {},
): Promise<void> {
  const isTaken = async (wanted: string) => {
    const translated = await tx.find(space.routeTranslations, { slug: wanted })
    return translated !== undefined && translated.route_id !== route_id
  }
  if (await isTaken(slug)) throw duplicate('slug already exists', 'slug')
  const seen = new Set([slug])
  for (const [locale, own] of Object.entries(translations)) {
    const member = `translations.${locale}`
    if (!before[locale] && !(await tx.exists(tables.locales, { code: locale })))
      throw invalid(member, 'the locale does not exist')
    if (own.slug === undefined) continue
    const other = seen.has(own.slug) || (await isTaken(own.slug))
    if (other || (await tx.exists(space.routes, { slug: own.slug })))
      throw duplicate(`${member}.slug already exists`, `${member}.slug`)
    seen.add(own.slug)
  }
}

/** Keeps what pages are found by in step with the translations of a route. */
export async function indexTranslations(
  tx: Writer,
  { routeTranslations }: ContentSpace,
  { route_id, translations }: RouteRow,
): Promise<void> {
  await tx.deleteAllInternal(routeTranslations, 'route_id', [route_id])
  const rows = Object.entries(translations).map(([locale, { slug }]) => ({
    name: `${route_id} ${locale}`,
    route_id,
    locale,
    slug: slug ?? null,
  }))
  await tx.insertAllInternal(routeTranslations, rows)
}
