import type { Ctx } from '../middleware/context.js'
import { modelOf } from '../resources/entries.js'
import { askedPage, newPageFields, withFreeSlug } from '../resources/new-page.js'
import { PageCreate } from '../services/content/routes.js'
import type { PanelContext } from './context.js'
import { type Field, Fields } from './controls.js'
import { TitledPage } from './layout.js'
import { begun, type Draft, type Pages } from './pages.js'
import { Empty, Form, Submit } from './parts.js'
import { panelActor, type View } from './view.js'

const at = '/content/new'
/** More datatypes than this are a list. */
const maxTiles = 12
const Asked = PageCreate.pick({ title: true, slug: true, datatype_id: true })

/** A new page: it creates the address and its entry together. */
export function newPagePages({ get, submit }: Pages, context: PanelContext): void {
  const { access, space } = context.services
  const refuseWithoutRoutes = (c: Ctx) => access.need(c.env.identity, 'routes:create')
  get(at, 'content:create', async (view, c) => {
    await refuseWithoutRoutes(c)
    return draw(view, context)
  })
  get('/content-slug', 'content:create', async (_view, c) => {
    await refuseWithoutRoutes(c)
    const { title = '', datatype_id = '' } = c.req.query()
    // Without a title the page has no address to suggest.
    const isTitle = Asked.shape.title.safeParse(title).success
    const slug = isTitle ? await space.slugs.made({ title, datatype_id }) : ''
    return c.json({ slug }, 200, { 'Cache-Control': 'no-store' })
  })
  submit(at, 'content:create', Asked, c => ({
    names: Object.keys(Asked.shape),
    prepare: askedPage,
    async save({ body, view }) {
      await refuseWithoutRoutes(c)
      const { entry } = await withFreeSlug(body.slug, context, view, () =>
        space.content.createPage(panelActor(c), PageCreate.parse(body)),
      )
      return begun(`/content/entry/${entry.content_data_id}`)
    },
    redraw: (view, draft) => draw(view, context, draft),
  }))
}

async function draw(view: View, context: PanelContext, draft?: Draft) {
  const found: readonly Field[] = await newPageFields(await modelOf(context), context, view)
  const { create } = await view.mayChange(null)
  const fields = found.map(field => {
    if (field.kind !== 'choice') return field
    const choices = field.choices.filter(({ value }) => create(value))
    return { ...field, choices, ...(choices.length <= maxTiles ? { tiles: true as const } : {}) }
  })
  const isLimited = found.some(field => field.kind === 'choice' && field.choices.length > 0)
  const hasKinds = fields.some(field => field.kind === 'choice' && field.choices.length > 0)
  return (
    <TitledPage
      view={view}
      title={view.t('New page')}
      crumbs={[{ word: view.t('Content'), path: '/content' }]}
      column
      actions={
        hasKinds && (
          <Submit form="form" kind="next">
            {view.t('Create')}
          </Submit>
        )
      }
    >
      {hasKinds ? (
        <Form view={view} action={at} id="form" draft={at}>
          <span data-slug-of={`${view.base}/content-slug`} />
          <Fields view={view} fields={fields} draft={draft} begins={!draft} />
        </Form>
      ) : (
        <Empty>
          <p>
            {isLimited
              ? view.t('The limits of your role leave no datatype for a new page.')
              : view.t('No datatypes for pages yet. Add a datatype first.')}
          </p>
          {!isLimited && view.can('datatypes:create') && (
            <a class="button" href={`${view.base}/datatypes/new`}>
              {view.t('New datatype')}
            </a>
          )}
        </Empty>
      )}
    </TitledPage>
  )
}
