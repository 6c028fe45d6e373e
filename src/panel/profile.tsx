import { z } from 'zod'
import { type Ctx, idParam } from '../middleware/context.js'
import { ChangePassword } from '../services/accounts/password-reset.js'
import { SshKeyCreate } from '../services/accounts/ssh-keys.js'
import { UserUpdate } from '../services/accounts/users.js'
import { languages } from '../texts/language.js'
import type { Wording } from '../texts/wording.js'
import type { PanelContext } from './context.js'
import { type Field, Fields } from './controls.js'
import { TitledPage } from './layout.js'
import { Table } from './list.js'
import { type Draft, pages, saved } from './pages.js'
import { Act, Form, Moment, Submit } from './parts.js'
import { ChosenLanguage, keepLanguage, keepPreference } from './preferences.js'
import { providersPath } from './providers.js'
import { factorPath, passkeyPath } from './second-factor.js'
import { panelActor, themeCookie, themes, type View } from './view.js'

const own = ({ t }: Wording): readonly Field[] => [
  { name: 'name', label: t('Name') },
  { name: 'username', label: t('Username'), required: true, autocomplete: 'username' },
]
const password = ({ t }: Wording): readonly Field[] => [
  {
    name: 'current_password',
    label: t('Current password'),
    kind: 'password',
    autocomplete: 'current-password',
    required: true,
  },
  {
    name: 'password',
    label: t('New password'),
    kind: 'password',
    autocomplete: 'new-password',
    required: true,
  },
]
const key = ({ t }: Wording): readonly Field[] => [
  {
    name: 'public_key',
    label: t('Public key'),
    kind: 'lines',
    mono: true,
    required: true,
    hint: t('the content of your .pub file'),
  },
  { name: 'label', label: t('Label') },
]

const Theme = z.object({ theme: z.enum([...themes, 'system']) })
const Names = UserUpdate.pick({ name: true, username: true })
type Part = 'names' | 'password' | 'key'
const partsOf = { names: own, password, key } satisfies Record<Part, (wording: Wording) => readonly Field[]>
const namesIn = (part: Part, view: View) => partsOf[part](view).map(({ name }) => name)

/** The user's own account: name, password, theme, sessions and SSH keys. */
export function profilePages(context: PanelContext) {
  const set = pages(context, 'profile')
  const { users, passwordReset, sshKeys, sessions } = context.services
  const draw = (view: View, c: Ctx, draft?: { part: Part; draft: Draft }) =>
    profilePage(view, c, context, draft)
  const redraw = (part: Part, c: Ctx) => (view: View, draft: Draft) => draw(view, c, { part, draft })

  set.get('/profile', 'signed-in', (view, c) => draw(view, c))
  set.submit('/profile', 'signed-in', Names, (c, view) => ({
    names: namesIn('names', view),
    async save({ body }) {
      await users.update(panelActor(c), view.user?.user_id ?? '', body)
      return saved('/profile')
    },
    redraw: redraw('names', c),
  }))
  set.submit(
    '/profile/password',
    'signed-in',
    ChangePassword,
    (c, view) => ({
      names: namesIn('password', view),
      async save({ body }) {
        await passwordReset.change(panelActor(c), body)
        return saved('/profile')
      },
      redraw: redraw('password', c),
    }),
    { limited: true },
  )
  set.submit('/profile/keys', 'signed-in', SshKeyCreate, (c, view) => ({
    names: namesIn('key', view),
    async save({ body }) {
      await sshKeys.add(panelActor(c), body)
      return saved('/profile')
    },
    redraw: redraw('key', c),
  }))
  set.submit('/profile/theme', 'signed-in', Theme, c => ({
    names: [],
    async save({ body: { theme } }) {
      keepPreference(c, context, themeCookie, theme, theme === 'system' ? 0 : undefined)
      return '/profile'
    },
    redraw: view => draw(view, c),
  }))
  set.submit('/profile/language', 'signed-in', ChosenLanguage, c => ({
    names: [],
    async save({ body: { language } }) {
      keepLanguage(c, context, language)
      return '/profile'
    },
    redraw: view => draw(view, c),
  }))
  set.act('/profile/sessions/others/end', 'signed-in', async c => {
    await sessions.endOthers(panelActor(c))
    return saved('/profile')
  })
  set.act('/profile/sessions/:session_id/end', 'signed-in', async c => {
    await sessions.end(panelActor(c), idParam(c, 'session_id'))
    return saved('/profile')
  })
  set.act('/profile/keys/:ssh_key_id/delete', 'signed-in', async c => {
    await sshKeys.remove(panelActor(c), idParam(c, 'ssh_key_id'))
    return saved('/profile')
  })
  return set
}

async function profilePage(
  view: View,
  c: Ctx,
  context: PanelContext,
  refused?: { part: Part; draft: Draft },
) {
  const user = await context.services.users.get(view.user?.user_id ?? '')
  const { enabled: hasFactor } = await context.services.secondFactor.state(panelActor(c))
  const passkeyCount = (await context.services.passkeys.list(panelActor(c))).length
  const draftOf = (part: Part) => (refused?.part === part ? refused.draft : undefined)
  return (
    <TitledPage
      view={view}
      title={view.t('Profile')}
      column
      actions={
        <Act view={view} action="/sign-out" kind="bare" whole>
          {view.t('Sign out')}
        </Act>
      }
    >
      <section aria-labelledby="you">
        <h2 id="you">{view.t('You')}</h2>
        <p class="meta">
          {user.email} · {user.role_label}
        </p>
        <Form view={view} action="/profile" id="form">
          <Fields view={view} fields={own(view)} record={user} draft={draftOf('names')} />
          <Submit kind="next">{view.t('Save')}</Submit>
        </Form>
      </section>
      <Look view={view} />
      <section aria-labelledby="password">
        <h2 id="password">{view.t('Password')}</h2>
        <p class="meta">{view.t('A new password ends your other sessions.')}</p>
        <Form view={view} action="/profile/password">
          <Fields view={view} fields={password(view)} draft={draftOf('password')} />
          <Submit>{view.t('Change password')}</Submit>
        </Form>
      </section>
      <section aria-labelledby="factor">
        <h2 id="factor">{view.t('Second factor')}</h2>
        <p class="meta">{view.t('A code from your phone, beside the password.')}</p>
        <p>
          <a class="button" href={`${view.base}${factorPath}`}>
            {hasFactor ? view.t('Change') : view.t('Set up')}
          </a>
        </p>
      </section>
      <section aria-labelledby="passkeys">
        <h2 id="passkeys">{view.t('Passkeys')}</h2>
        <p class="meta">{view.t('Sign in with your fingerprint, face or PIN, without a password.')}</p>
        <p>
          <a class="button" href={`${view.base}${passkeyPath}`}>
            {view.count(passkeyCount, '{n} passkey', '{n} passkeys')}
          </a>
        </p>
      </section>
      {await Providers({ view, c, context })}
      {await Sessions({ view, c, context })}
      {await Keys({ view, c, context, draft: draftOf('key') })}
    </TitledPage>
  )
}

const themeTexts = { system: 'Same as the system', light: 'Light', dark: 'Dark' } as const

const Look = ({ view }: { view: View }) => (
  <section aria-labelledby="look">
    <h2 id="look">{view.t('Appearance')}</h2>
    <p class="meta">{view.t('For this browser only.')}</p>
    <div class="actions">
      {(['system', ...themes] as const).map(theme => (
        <Act
          view={view}
          action="/profile/theme"
          whole
          values={{ theme }}
          kind={(view.theme ?? 'system') === theme ? 'chosen' : ''}
        >
          {view.t(themeTexts[theme])}
        </Act>
      ))}
    </div>
    <h3 class="apart">{view.t('Language')}</h3>
    <div class="actions">
      {Object.entries(languages).map(([language, name]) => (
        <Act
          view={view}
          action="/profile/language"
          whole
          values={{ language }}
          kind={view.language === language ? 'chosen' : ''}
        >
          <span lang={language}>{name}</span>
        </Act>
      ))}
    </div>
  </section>
)

interface Props {
  view: View
  c: Ctx
  context: PanelContext
}

async function Providers({ view, c, context: { services } }: Props) {
  const linked = (await services.oauthLinks.list(panelActor(c))).length
  if (linked === 0 && services.oauth.offered().length === 0) return undefined
  return (
    <section aria-labelledby="providers">
      <h2 id="providers">{view.t('Providers')}</h2>
      <p class="meta">{view.t('Sign in with an account of another service.')}</p>
      <p>
        <a class="button" href={`${view.base}${providersPath}`}>
          {view.count(linked, '{n} provider', '{n} providers')}
        </a>
      </p>
    </section>
  )
}

async function Sessions({ view, c, context }: Props) {
  const all = await context.services.sessions.own(panelActor(c))
  const present = c.env.identity?.credential.id
  return (
    <section aria-labelledby="sessions">
      <div class="head">
        <h2 id="sessions">{view.t('Sessions')}</h2>
        {all.length > 1 && (
          <Act view={view} action="/profile/sessions/others/end">
            {view.t('End all others')}
          </Act>
        )}
      </div>
      <Table
        view={view}
        caption={view.t('Sessions')}
        records={all}
        columns={[
          { label: 'Browser', of: row => row.user_agent || view.t('unknown') },
          { label: 'Address', of: row => row.ip_address, wide: true },
          { label: 'Last used', of: row => <Moment view={view} at={row.last_access} /> },
          {
            label: 'End',
            of: row =>
              row.session_id === present ? (
                view.t('this one')
              ) : (
                <Act view={view} action={`/profile/sessions/${row.session_id}/end`}>
                  {view.t('End')}
                </Act>
              ),
          },
        ]}
      />
    </section>
  )
}

async function Keys({ view, c, context, draft }: Props & { draft: Draft | undefined }) {
  const all = await context.services.sshKeys.list(panelActor(c))
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">{view.t('SSH keys')}</h2>
      <p class="meta">{view.t('You sign in to the terminal with these keys.')}</p>
      {all.length > 0 && (
        <Table
          view={view}
          caption={view.t('SSH keys')}
          records={all}
          columns={[
            { label: 'Label', of: row => row.label || row.key_type },
            { label: 'Fingerprint', of: row => <code>{row.fingerprint}</code>, wide: true },
            { label: 'Last used', of: row => <Moment view={view} at={row.last_used} /> },
            {
              label: 'Delete',
              of: row => (
                <Act view={view} action={`/profile/keys/${row.ssh_key_id}/delete`} kind="bad">
                  {view.t('Delete')}
                </Act>
              ),
            },
          ]}
        />
      )}
      <details open={draft !== undefined}>
        <summary>{view.t('Add a key')}</summary>
        <Form view={view} action="/profile/keys">
          <Fields view={view} fields={key(view)} draft={draft} />
          <Submit>{view.t('Add the key')}</Submit>
        </Form>
      </details>
    </section>
  )
}
