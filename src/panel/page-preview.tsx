import type { Config } from '../config.js'
import { notFound } from '../errors.js'
import { type Ctx, idParam } from '../middleware/context.js'
import { modelOf } from '../resources/entries.js'
import { pageRequest } from '../services/delivery/page-request.js'
import type { RenderedPage } from '../services/delivery/rendered-page.js'
import type { PanelContext } from './context.js'
import type { PageEntry } from './page-blocks.js'
import { PageDocument } from './page-document.js'
import { pages } from './pages.js'
import { panelActor, type View } from './view.js'

/** The origin of the preview page, for a policy; empty if `preview_url` is not configured. */
export function previewOrigins({ preview_url }: Pick<Config, 'preview_url'>): string[] {
  return preview_url === undefined || !URL.canParse(preview_url) ? [] : [new URL(preview_url).origin]
}

/** Parses a page that the service has rendered itself: no schema could read a tree of any depth. */
const entryIn = ({ body }: RenderedPage) => JSON.parse(new TextDecoder().decode(body)) as PageEntry

/** Pages as readers see them: for users who work on content, and for visitors with a preview link. */
export function pagePreviews(context: PanelContext) {
  const set = pages(context, 'page preview')
  const { space, previewLinks } = context.services
  const format = 'native'

  async function slugOf(id: string) {
    const entry = await space.content.get(id)
    const root = entry.root_id === id ? entry : await space.content.get(entry.root_id)
    if (root.route_id === null) throw notFound('the entry is not on a page')
    return (await space.routes.get(root.route_id)).slug
  }

  async function draw(view: View, c: Ctx, shown: RenderedPage, canEdit: boolean) {
    c.header('X-Robots-Tag', 'noindex')
    return (
      <PageDocument
        view={view}
        page={entryIn(shown)}
        model={await modelOf(context)}
        canEdit={canEdit}
        isFramed={c.req.query('framed') !== undefined}
      />
    )
  }

  set.get('/content/entry/:entry_id/page', 'content:update', async (view, c) => {
    const slug = await slugOf(idParam(c, 'entry_id'))
    const locale = c.req.query('locale') ?? ''
    const page = await space.pages.page(pageRequest({ slug, format, locale, audience: 'working' }))
    c.env.isFramed = true
    return draw(view, c, page, true)
  })
  if (!context.isVisited) return set
  set.get('/content/entry/:entry_id/site', 'content:update', async (_, c) => {
    const url = await previewLinks.siteUrl(panelActor(c), idParam(c, 'entry_id'))
    return c.redirect(url, 303)
  })
  set.get('/preview', 'public', async (view, c) => {
    const [token, locale] = [c.req.query('token') ?? '', c.req.query('locale') ?? '']
    return draw(
      view,
      c,
      await previewLinks.page(token, { format, locale, expand: [], sourcemaps: false }),
      false,
    )
  })
  return set
}
