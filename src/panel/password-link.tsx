import { idParam } from '../middleware/context.js'
import type { PasswordLinkMade } from '../services/accounts/password-links.js'
import { type PanelContext, panelPath } from './context.js'
import { TitledPage } from './layout.js'
import { type Pages, showPage } from './pages.js'
import { Act, Moment, Note } from './parts.js'
import { panelActor, type View } from './view.js'

const LinkPage = ({
  view,
  person: { name, email },
  made: { user_id, link, expires_at, mailed },
}: {
  view: View
  person: { name: string; email: string }
  made: PasswordLinkMade
}) => (
  <TitledPage
    view={view}
    title={view.t('Password link')}
    crumbs={[{ word: view.t('People'), path: '/users' }]}
    column
  >
    <Note view={view}>
      <p>
        {view.t('Whoever opens this link first sets the password of {name}. Give it to nobody else.', {
          name,
        })}
      </p>
      <p>
        <code id="secret">{link}</code>
      </p>
      <p>{view.parts('It works until {time}.', { time: <Moment view={view} at={expires_at} /> })}</p>
      {mailed && <p>{view.t('It is also sent to {email}.', { email })}</p>}
    </Note>
    <p class="actions">
      <button type="button" class="button" data-copy={link}>
        {view.t('Copy')}
      </button>
      <a class="button next" href={`${panelPath}/users/${user_id}`}>
        {view.t('Done')}
      </a>
    </p>
  </TitledPage>
)

/** The button on the page of a person that makes such a link. */
export const PasswordLinkButton = ({ view, id }: { view: View; id: string }) =>
  view.can('users:update') && id !== view.user?.user_id ? (
    <Act view={view} action={`/users/${id}/password-link`} kind="wide">
      {view.t('Password link')}
    </Act>
  ) : null

/** The link with which a person sets their password, shown once. */
export function passwordLinkAction({ act }: Pages, context: PanelContext): void {
  const { users, passwordLinks } = context.services
  act('/users/:user_id/password-link', 'users:update', async (c, view) => {
    const person = await users.get(idParam(c, 'user_id'))
    const made = await passwordLinks.create(panelActor(c), person)
    // A configuration without an address of the site has only a path.
    const link = new URL(made.link, c.req.url).href
    const name = person.name || person.username
    return showPage(c, <LinkPage view={view} person={{ ...person, name }} made={{ ...made, link }} />)
  })
}
