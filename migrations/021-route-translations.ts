import { addColumn, createTable, type Migration, type Step } from '../src/db/schema.js'

const spaces = ['', 'admin_'] as const

const translations = (prefix: (typeof spaces)[number]): Step[] => [
  addColumn(`${prefix}routes`, 'translations', 'json', "('{}')"),
  createTable(`${prefix}route_translations`, {
    name: 'text(64) key',
    route_id: `id -> ${prefix}routes.route_id cascade`,
    locale: 'text(35)',
    slug: 'text(512)? unique',
  }),
]

/** Slugs and titles of routes in other locales, and the slugs by which pages are found in them. */
export const routeTranslations: Migration = {
  name: '021-route-translations',
  steps: [
    ...spaces.flatMap(translations),
    {
      name: 'locks-of-routes',
      statements: () => [
        "delete from locks where name in ('routes', 'admin_routes')",
        "insert into locks (name) values ('routes'), ('admin_routes')",
      ],
    },
  ],
}
