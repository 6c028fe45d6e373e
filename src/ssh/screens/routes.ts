import { routeResource } from '../../resources/routes.js'
import { t } from '../../texts/terminal.js'
import { resourceView } from '../resource.js'
import type { Session } from '../session.js'
import { madeSlug, routeView } from './content.js'

/** Routes: the addresses of pages. */
export const routesScreen = (session: Session) =>
  resourceView(session, {
    ...routeResource(session),
    byAge: t('Created'),
    derived: { field: 'slug', of: ['title'], make: texts => madeSlug(session, texts) },
    listKeys: [
      {
        key: 'c',
        does: t('its content'),
        access: 'content:update',
        run: (shell, { route_id, title }) => routeView(session, shell, { route_id, title }),
      },
    ],
  })
