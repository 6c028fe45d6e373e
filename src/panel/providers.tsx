import type { z } from 'zod'
import { type Ctx, idParam } from '../middleware/context.js'
import { oauthCookie } from '../middleware/oauth-cookie.js'
import { OAuthLinkBegin, type OAuthLinkRecord } from '../services/accounts/oauth-links.js'
import type { PanelContext } from './context.js'
import { Fields } from './controls.js'
import { TitledPage } from './layout.js'
import { Table } from './list.js'
import { type Draft, pages, saved, showPage } from './pages.js'
import { Act, Form, Moment } from './parts.js'
import { codeField, passwordField } from './second-factor.js'
import { panelActor, type View } from './view.js'

export const providersPath = '/profile/providers'

const crumbs = (view: View) => [{ word: view.t('Profile'), path: '/profile' }]

const Linked = ({ view, all }: { view: View; all: readonly z.output<typeof OAuthLinkRecord>[] }) => (
  <Table
    view={view}
    caption={view.t('Providers')}
    records={all}
    columns={[
      { label: 'Name', of: ({ name }) => name },
      { label: 'Since', of: ({ date_created }) => <Moment view={view} at={date_created} /> },
      {
        label: 'Unlink',
        of: ({ user_oauth_id }) => (
          <Act view={view} action={`${providersPath}/${user_oauth_id}/delete`} kind="bad">
            {view.t('Unlink')}
          </Act>
        ),
      },
    ]}
  />
)

interface LinkingProps {
  readonly view: View
  readonly asks: { readonly password: boolean; readonly code: boolean }
  readonly providers: readonly { readonly id: string; readonly name: string | null }[]
  readonly draft: Draft | undefined
}

const Linking = ({ view, asks, providers, draft }: LinkingProps) => {
  const fields = [...(asks.password ? [passwordField(view)] : []), ...(asks.code ? [codeField(view)] : [])]
  return (
    <section aria-labelledby="add">
      <h2 id="add">{view.t('Link a provider')}</h2>
      <p class="lead">{view.t('You then sign in there, and later here with one click.')}</p>
      <Form view={view} action={providersPath}>
        <Fields view={view} fields={fields} draft={draft} storesNothing />
        <p class="actions">
          {providers.map(({ id, name }) => (
            <button type="submit" class="button" name="provider" value={id}>
              {name ? view.t('Link {provider}', { provider: name }) : view.t('Link a provider')}
            </button>
          ))}
        </p>
      </Form>
    </section>
  )
}

/** A link, because the policy of the panel lets no form lead to another site. */
const Leaving = ({ view, url }: { view: View; url: string }) => (
  <TitledPage view={view} title={view.t('Link a provider')} crumbs={crumbs(view)} column>
    <p class="lead">{view.t('Sign in at the provider now. It leads you back here.')}</p>
    <p class="actions">
      <a class="button next" href={url}>
        {view.t('Continue')}
      </a>
      <a class="button" href={`${view.base}${providersPath}`}>
        {view.t('Cancel')}
      </a>
    </p>
  </TitledPage>
)

async function providersPage(view: View, c: Ctx, { services }: PanelContext, draft?: Draft) {
  const { oauth, oauthLinks } = services
  const all = await oauthLinks.list(panelActor(c))
  const others = oauth.offered().filter(({ id }) => !all.some(({ provider }) => provider === id))
  return (
    <TitledPage view={view} title={view.t('Providers')} crumbs={crumbs(view)} column>
      {all.length > 0 ? <Linked view={view} all={all} /> : <p>{view.t('No providers linked yet.')}</p>}
      {others.length > 0 && (
        <Linking view={view} asks={await oauthLinks.asks(panelActor(c))} providers={others} draft={draft} />
      )}
    </TitledPage>
  )
}

/** The OAuth providers that the user signs in with. */
export function providerPages(context: PanelContext) {
  const set = pages(context, 'providers')
  const { oauthLinks } = context.services
  set.get(providersPath, 'signed-in', (view, c) => providersPage(view, c, context))
  set.submit(
    providersPath,
    'signed-in',
    OAuthLinkBegin,
    c => ({
      names: ['current_password', 'code'],
      async save({ body, view }) {
        const { url, browser } = await oauthLinks.begin(panelActor(c), oauthCookie.read(c), body)
        oauthCookie.write(c, browser, context.config())
        return showPage(c, <Leaving view={view} url={url} />)
      },
      redraw: (view, draft) => providersPage(view, c, context, draft),
    }),
    { limited: true },
  )
  set.act(`${providersPath}/:user_oauth_id/delete`, 'signed-in', async c => {
    await oauthLinks.remove(panelActor(c), idParam(c, 'user_oauth_id'))
    return saved(providersPath)
  })
  return set
}
