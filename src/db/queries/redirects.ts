import type { Scalar } from '../columns.js'
import { each, type Query } from '../statements.js'
import { tables } from '../tables.js'

/** Where an address leads, and what its page is now. */
export interface RedirectFound {
  redirectId: string
  status: number
  target: string | null
  routeId: string | null
  slug: string | null
  translatedSlug: string | null
  rootStatus: string | null
}

/** The redirect of a slug, with the present addresses of the page that it leads to. */
export const redirectFound: Query<'slug', RedirectFound> = {
  values: ['slug'],
  build: (knex, value) =>
    knex(`${tables.redirects.name} as x`)
      .leftJoin(`${tables.routes.name} as r`, 'r.route_id', 'x.route_id')
      .leftJoin(`${tables.locales.name} as l`, join =>
        join.on('l.code', 'x.locale').andOn('l.is_enabled', knex.raw('?', [1])),
      )
      .leftJoin(`${tables.routeTranslations.name} as t`, join =>
        join.on('t.route_id', 'x.route_id').andOn('t.locale', 'l.code'),
      )
      .leftJoin(`${tables.contentData.name} as c`, 'c.route_id', 'r.route_id')
      .select({
        redirect_id: 'x.redirect_id',
        status: 'x.status',
        target: 'x.target',
        route_id: 'x.route_id',
        slug: 'r.slug',
        translated_slug: 't.slug',
        root_status: 'c.status',
      })
      .where('x.slug', value('slug')),
  rows: each(row => {
    const text = (name: string): string | null => (row[name] as Scalar as string | null) ?? null
    return {
      redirectId: row.redirect_id as string,
      status: Number(row.status),
      target: text('target'),
      routeId: text('route_id'),
      slug: text('slug'),
      translatedSlug: text('translated_slug'),
      rootStatus: text('root_status'),
    }
  }),
}
