import { RouteCreate, RouteUpdate } from '../services/content/routes.js'
import { removalOf, removing } from './removal.js'
import { accessTo, type ResourceParts, resource } from './resource.js'
import { translationFields, withTranslations } from './translations.js'

/** Routes: the addresses of pages. */
export const routeResource = (parts: ResourceParts) =>
  resource({
    title: 'Routes',
    one: 'route',
    words: { new: 'New route', add: 'Add a route', delete: 'Delete route' },
    about: 'The addresses of the site. Their pages are under Content.',
    access: accessTo('routes'),
    service: { ...parts.services.space.routes, remove: removing(parts, 'routes') },
    reads: parts.services.space.records.routes,
    key: 'route_id',
    nameOf: ({ title }) => title,
    empty: 'No routes yet.',
    columns: [
      { label: 'Title', of: ({ title }) => title },
      { label: 'Slug', of: ({ slug }) => ({ code: slug }) },
      { label: 'Changed', of: ({ date_modified }) => ({ at: date_modified }), room: 'much' },
    ],
    create: RouteCreate,
    update: RouteUpdate,
    asksApart: true,
    deletes: ({ route_id }, viewer) => removalOf(parts, viewer, 'routes', route_id),
    fields: async (record, viewer) => [
      { name: 'title', label: viewer.t('Title'), required: true },
      {
        name: 'slug',
        label: viewer.t('Slug'),
        mono: true,
        required: true,
        hint: viewer.t('a path such as /about'),
      },
      ...(await translationFields(
        parts,
        record?.translations ?? {},
        [
          { member: 'title', label: viewer.t('Title') },
          { member: 'slug', label: viewer.t('Slug'), mono: true, beside: true },
        ],
        viewer,
      )),
    ],
    prepare: withTranslations,
  })
