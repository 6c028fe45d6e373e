import { routeResource } from '../resources/routes.js'
import type { PanelContext } from './context.js'
import { resourcePages } from './resource.js'

/** Routes: the addresses of pages. */
export const routePages = (context: PanelContext) =>
  resourcePages(context, {
    ...routeResource(context),
    path: '/routes',
    actions: (view, { route_id }) =>
      view.can('content:update') && (
        <a class="button" href={`${view.base}/content/${route_id}`}>
          {view.t('Content')}
        </a>
      ),
  })
