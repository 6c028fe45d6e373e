import { type Ctx, idParam } from '../middleware/context.js'
import { all } from '../resources/entries.js'
import { PreviewLinkCreate } from '../services/delivery/preview-links.js'
import type { PanelContext } from './context.js'
import { type Field, Fields } from './controls.js'
import { crumbsOf } from './entry-crumbs.js'
import { TitledPage } from './layout.js'
import { Table } from './list.js'
import { type Draft, type Pages, saved, showPage } from './pages.js'
import { Act, Empty, Form, Moment, Note, Submit } from './parts.js'
import { panelActor, type View } from './view.js'

const maxLinks = 200

const idIn = (c: Ctx) => idParam(c, 'entry_id')
const pathOf = (id: string) => `/content/entry/${id}`
const listOf = (id: string) => `${pathOf(id)}/preview-links`

const fieldsIn = ({ t }: View): Field[] => [
  { name: 'label', label: t('Label'), hint: t('who the link is for') },
  {
    name: 'expires_in',
    label: t('Valid for'),
    kind: 'choice',
    choices: [
      { value: '1h', word: t('An hour') },
      { value: '24h', word: t('A day') },
      { value: '7d', word: t('A week') },
      { value: '30d', word: t('{n} days', { n: 30 }) },
    ],
    value: '24h',
    beside: true,
  },
]

/** Preview links: they show the current page of an entry to people without an account. */
export function previewLinkPages({ get, act, submit }: Pages, context: PanelContext): void {
  const { previewLinks } = context.services
  const at = '/content/entry/:entry_id/preview-links'
  const draw = (view: View, c: Ctx, draft?: Draft) => listPage(view, { id: idIn(c), context, draft })
  get(at, 'content:update', (view, c) => draw(view, c))
  submit(at, 'content:update', PreviewLinkCreate.omit({ content_data_id: true }), (c, view) => ({
    names: fieldsIn(view).map(({ name }) => name),
    async save({ body }) {
      const link = await previewLinks.create(panelActor(c), { ...body, content_data_id: idIn(c) })
      // Without a configured address of the site the URL is only a path.
      const url = new URL(link.url, c.req.url).href
      return showPage(c, <Made view={view} id={idIn(c)} link={{ ...link, url }} />)
    },
    redraw: (view, draft) => draw(view, c, draft),
  }))
  act(`${at}/:preview_link_id/end`, 'content:update', async c => {
    await previewLinks.remove(panelActor(c), idParam(c, 'preview_link_id'))
    return saved(listOf(idIn(c)))
  })
}

interface ListProps {
  id: string
  context: PanelContext
  draft: Draft | undefined
}

async function listPage(view: View, { id, context, draft }: ListProps) {
  const entry = await context.services.space.content.get(id)
  const crumbs = await crumbsOf(id, context, view)
  const name = crumbs.at(-1)?.word ?? ''
  const { previewLinks } = context.services
  const stored = await all(previewLinks.list({ content_data_id: entry.root_id }, { limit: maxLinks }))
  const links = stored.filter(({ expires_at }) => Date.parse(expires_at) > view.now)
  return (
    <TitledPage
      view={view}
      title={view.t('Preview links')}
      heading={view.t('Preview links of {name}', { name })}
      crumbs={crumbs}
      column
    >
      <p class="lead">
        {view.t('Anybody with a link can see the page with its unpublished changes. No account is needed.')}
      </p>
      {context.config().preview_url === undefined && (
        <Note view={view}>
          <p>
            {view.parts(
              'The links open a plain page of this service. To open your own site, set {setting} in the settings.',
              { setting: <code>preview_url</code> },
            )}
          </p>
        </Note>
      )}
      <Form view={view} action={listOf(id)}>
        <Fields view={view} fields={fieldsIn(view)} draft={draft} />
        <div class="actions">
          <Submit kind="next">{view.t('Create a link')}</Submit>
        </div>
      </Form>
      <section aria-labelledby="links">
        <h2 id="links">{view.t('Active links')}</h2>
        {links.length === 0 ? (
          <Empty>{view.t('No preview links yet.')}</Empty>
        ) : (
          <Table
            view={view}
            caption={view.t('Active links')}
            records={links}
            columns={[
              { label: 'Label', of: ({ label }) => label || '–' },
              {
                label: 'Created',
                of: ({ date_created }) => <Moment view={view} at={date_created} />,
                wide: true,
              },
              { label: 'Expires', of: ({ expires_at }) => <Moment view={view} at={expires_at} /> },
              {
                label: 'Revoke',
                of: ({ preview_link_id }) => (
                  <Act view={view} action={`${listOf(id)}/${preview_link_id}/end`}>
                    {view.t('Revoke')}
                  </Act>
                ),
              },
            ]}
          />
        )}
      </section>
    </TitledPage>
  )
}

const Made = ({ view, id, link }: { view: View; id: string; link: { url: string; expires_at: string } }) => (
  <TitledPage
    view={view}
    title={view.t('Your preview link')}
    crumbs={[{ word: view.t('Preview links'), path: listOf(id) }]}
    column
  >
    <Note view={view}>
      <p>
        {view.parts('The link is shown only once. It expires {time}.', {
          time: <Moment view={view} at={link.expires_at} />,
        })}
      </p>
      <p>
        <code id="secret">{link.url}</code>
      </p>
    </Note>
    <p class="actions">
      <button type="button" class="button" data-copy={link.url}>
        {view.t('Copy')}
      </button>
      <a class="button" href={link.url} target="_blank" rel="noreferrer">
        {view.t('Open')}
      </a>
      <a class="button next" href={`${view.base}${listOf(id)}`}>
        {view.t('Done')}
      </a>
    </p>
  </TitledPage>
)
