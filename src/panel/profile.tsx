import { z } from 'zod'
import { type Ctx, idParam } from '../middleware/context.js'
import { ChangePassword } from '../services/accounts/password-reset.js'
import { SshKeyCreate } from '../services/accounts/ssh-keys.js'
import { UserUpdate } from '../services/accounts/users.js'
import { languages } from '../texts/language.js'
import type { PanelContext } from './context.js'
import { type Field, Fields } from './controls.js'
import { TitledPage } from './layout.js'
import { Table } from './list.js'
import { type Draft, pages, saved } from './pages.js'
import { Act, Form, Moment, Submit } from './parts.js'
import { ChosenLanguage, keepLanguage, keepPreference } from './preferences.js'
import { panelActor, themeCookie, themes, type View } from './view.js'

const own: readonly Field[] = [
  { name: 'name', label: 'Name' },
  { name: 'username', label: 'Username', required: true, autocomplete: 'username' },
]
const password: readonly Field[] = [
  {
    name: 'current_password',
    label: 'Current password',
    kind: 'password',
    autocomplete: 'current-password',
    required: true,
  },
  { name: 'password', label: 'New password', kind: 'password', autocomplete: 'new-password', required: true },
]
const key: readonly Field[] = [
  {
    name: 'public_key',
    label: 'Public key',
    kind: 'lines',
    mono: true,
    required: true,
    hint: 'the line of your .pub file',
  },
  { name: 'label', label: 'Label' },
]

const Theme = z.object({ theme: z.enum([...themes, 'system']) })
const Names = UserUpdate.pick({ name: true, username: true })
type Part = 'names' | 'password' | 'key'
const partsOf = { names: own, password, key } satisfies Record<Part, readonly Field[]>
const namesIn = (part: Part) => partsOf[part].map(({ name }) => name)

/** The user's own account: name, password, theme, sessions and SSH keys. */
export function profilePages(context: PanelContext) {
  const set = pages(context, 'profile')
  const { users, passwordReset, sshKeys, sessions } = context.services
  const draw = (view: View, c: Ctx, draft?: { part: Part; draft: Draft }) =>
    profilePage(view, c, context, draft)
  const redraw = (part: Part, c: Ctx) => (view: View, draft: Draft) => draw(view, c, { part, draft })

  set.get('/profile', 'signed-in', (view, c) => draw(view, c))
  set.submit('/profile', 'signed-in', Names, (c, view) => ({
    names: namesIn('names'),
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
    c => ({
      names: namesIn('password'),
      async save({ body }) {
        await passwordReset.change(panelActor(c), body)
        return saved('/profile')
      },
      redraw: redraw('password', c),
    }),
    { limited: true },
  )
  set.submit('/profile/keys', 'signed-in', SshKeyCreate, c => ({
    names: namesIn('key'),
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
  const draftOf = (part: Part) => (refused?.part === part ? refused.draft : undefined)
  return (
    <TitledPage
      view={view}
      title="Profile"
      column
      actions={
        <Act view={view} action="/sign-out" kind="bare" whole>
          Sign out
        </Act>
      }
    >
      <section aria-labelledby="you">
        <h2 id="you">You</h2>
        <p class="meta">
          {user.email} · {user.role_label}
        </p>
        <Form view={view} action="/profile" id="form">
          <Fields view={view} fields={own} record={user} draft={draftOf('names')} />
          <Submit kind="next">Save</Submit>
        </Form>
      </section>
      <Look view={view} />
      <section aria-labelledby="password">
        <h2 id="password">Password</h2>
        <p class="meta">A new password ends your other sessions.</p>
        <Form view={view} action="/profile/password">
          <Fields view={view} fields={password} draft={draftOf('password')} />
          <Submit>Change the password</Submit>
        </Form>
      </section>
      {await Sessions({ view, c, context })}
      {await Keys({ view, c, context, draft: draftOf('key') })}
    </TitledPage>
  )
}

const Look = ({ view }: { view: View }) => (
  <section aria-labelledby="look">
    <h2 id="look">Look</h2>
    <p class="meta">In this browser.</p>
    <div class="actions">
      {(['system', ...themes] as const).map(theme => (
        <Act
          view={view}
          action="/profile/theme"
          whole
          values={{ theme }}
          kind={(view.theme ?? 'system') === theme ? 'chosen' : ''}
        >
          {{ system: 'As the system', light: 'Light', dark: 'Dark' }[theme]}
        </Act>
      ))}
    </div>
    <h3>Language</h3>
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

async function Sessions({ view, c, context }: Props) {
  const all = await context.services.sessions.own(panelActor(c))
  const present = c.env.identity?.credential.id
  return (
    <section aria-labelledby="sessions">
      <div class="head">
        <h2 id="sessions">Sessions</h2>
        {all.length > 1 && (
          <Act view={view} action="/profile/sessions/others/end">
            End all others
          </Act>
        )}
      </div>
      <Table
        view={view}
        caption="Sessions"
        records={all}
        columns={[
          { label: 'Browser', of: row => row.user_agent || 'unknown' },
          { label: 'Address', of: row => row.ip_address, wide: true },
          { label: 'Last used', of: row => <Moment view={view} at={row.last_access} /> },
          {
            label: 'End',
            of: row =>
              row.session_id === present ? (
                'this one'
              ) : (
                <Act view={view} action={`/profile/sessions/${row.session_id}/end`}>
                  End
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
      <h2 id="keys">SSH keys</h2>
      <p class="meta">For the terminal interface.</p>
      {all.length > 0 && (
        <Table
          view={view}
          caption="SSH keys"
          records={all}
          columns={[
            { label: 'Label', of: row => row.label || row.key_type },
            { label: 'Fingerprint', of: row => <code>{row.fingerprint}</code>, wide: true },
            { label: 'Last used', of: row => <Moment view={view} at={row.last_used} /> },
            {
              label: 'Delete',
              of: row => (
                <Act view={view} action={`/profile/keys/${row.ssh_key_id}/delete`} kind="bad">
                  Delete
                </Act>
              ),
            },
          ]}
        />
      )}
      <details open={draft !== undefined}>
        <summary>Add a key</summary>
        <Form view={view} action="/profile/keys">
          <Fields view={view} fields={key} draft={draft} />
          <Submit>Add the key</Submit>
        </Form>
      </details>
    </section>
  )
}
