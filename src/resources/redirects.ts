import { RedirectCreate, RedirectUpdate } from '../services/content/redirects.js'
import { all } from './entries.js'
import { accessTo, type ResourceParts, resource } from './resource.js'
import { withoutEmpty } from './times.js'

const statuses = ['308', '301']

/** Redirects: old addresses that lead to the current one of their page. */
export function redirectResource({ services: { redirects, space } }: ResourceParts) {
  type Redirect = Awaited<ReturnType<typeof redirects.get>> & { leads?: string }
  async function withEnds(found: readonly Redirect[]): Promise<Redirect[]> {
    const route_id = [...new Set(found.flatMap(one => one.route_id ?? []))]
    const routes = route_id.length > 0 ? await all(space.routes.list({ route_id }, {})) : []
    const slugOf = new Map(routes.map(route => [route.route_id, route.slug]))
    return found.map(one => ({ ...one, leads: one.target ?? slugOf.get(one.route_id ?? '') ?? '' }))
  }
  return resource<Redirect>({
    title: 'Redirects',
    one: 'redirect',
    words: { new: 'New redirect', add: 'Add a redirect', delete: 'Delete redirect' },
    about:
      'Redirects lead from old addresses to new ones. If the address of a page changes, the service adds a redirect. A page at the old address takes precedence.',
    access: accessTo('routes'),
    service: redirects,
    reads: async () => ({
      ...redirects,
      async *list(where: never, slice) {
        for await (const found of redirects.list(where, slice)) yield withEnds(found)
      },
    }),
    key: 'redirect_id',
    nameOf: ({ slug }) => slug,
    empty: 'No redirects yet.',
    columns: [
      { label: 'From', of: ({ slug }) => ({ code: slug }) },
      { label: 'To', of: ({ leads = '' }) => ({ code: leads }) },
      { label: 'Status', of: ({ status }) => status, room: 'some' },
      { label: 'Created', of: one => ({ state: 'off', word: one.is_automatic ? 'by a move' : 'by hand' }) },
    ],
    create: RedirectCreate,
    update: RedirectUpdate,
    prepare: withoutEmpty('target'),
    async fields(record, { t }) {
      const page = record?.route_id ? (await withEnds([record]))[0]?.leads : undefined
      const where =
        page === undefined
          ? t('a path or a full URL')
          : t('leave empty for the page that is now at {page}', { page })
      return [
        { name: 'slug', label: t('From'), mono: true, required: true, hint: t('a path such as /old') },
        { name: 'target', label: t('To'), mono: true, hint: where },
        {
          name: 'status',
          label: t('Status'),
          kind: 'choice',
          choices: statuses.map(value => ({ value, word: t('{status}, permanent', { status: value }) })),
          ...(record ? {} : { value: '308' }),
        },
      ]
    },
  })
}
