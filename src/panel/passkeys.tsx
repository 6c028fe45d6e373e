import type { z } from 'zod'
import { type Ctx, idParam } from '../middleware/context.js'
import { type PasskeyRecord, PasskeyRename } from '../services/accounts/passkey-bodies.js'
import type { PanelContext } from './context.js'
import { type Field, Fields } from './controls.js'
import { TitledPage } from './layout.js'
import { Table } from './list.js'
import { pages, saved } from './pages.js'
import { Act, Form, Moment, Note, Submit } from './parts.js'
import { codeField, passkeyPath, passwordField } from './second-factor.js'
import { panelActor, type View } from './view.js'

/** The host that the browser has asked for, with its port. */
export const hostOf = (c: Ctx): string => new URL(c.req.url).host

/** The script for passkeys. Pages that have a part for them load it, so that no other page pays for it. */
export const passkeyScript = 'webauthn.js'

type Passkey = z.output<typeof PasskeyRecord>

const Passkeys = ({ view, all }: { view: View; all: readonly Passkey[] }) => (
  <Table
    view={view}
    caption={view.t('Passkeys')}
    records={all}
    columns={[
      {
        label: 'Name',
        of: ({ passkey_id, name }) => (
          <Form view={view} action={`${passkeyPath}/${passkey_id}`} class="actions">
            <input
              class="input"
              name="name"
              value={name}
              required
              maxlength={80}
              aria-label={view.t('Name')}
            />
            <Submit>{view.t('Rename')}</Submit>
          </Form>
        ),
      },
      { label: 'Address', of: ({ host }) => host, wide: true },
      { label: 'Last used', of: ({ last_used }) => <Moment view={view} at={last_used} /> },
      {
        label: 'Delete',
        of: ({ passkey_id }) => (
          <Act view={view} action={`${passkeyPath}/${passkey_id}/delete`} kind="bad">
            {view.t('Delete')}
          </Act>
        ),
      },
    ]}
  />
)

/** The form that the script sends: the browser makes the passkey between two requests to the API. */
const Adding = ({ view, asks }: { view: View; asks: { password: boolean; code: boolean } }) => {
  const fields: readonly Field[] = [
    { name: 'name', label: view.t('Name'), hint: view.t('such as the name of the device'), required: true },
    ...(asks.password ? [passwordField(view)] : []),
    ...(asks.code ? [codeField(view)] : []),
  ]
  return (
    <section aria-labelledby="add">
      <h2 id="add">{view.t('Add a passkey')}</h2>
      <p class="lead">
        {view.t(
          'Your device or password manager keeps the passkey, and asks for your fingerprint, face or PIN.',
        )}
      </p>
      <form
        method="post"
        class="scripted"
        data-passkey=""
        data-passkey-add={`${view.base}${saved(passkeyPath)}`}
      >
        <Fields view={view} fields={fields} storesNothing />
        <p class="error" role="alert" />
        <Submit kind="next">{view.t('Add a passkey')}</Submit>
      </form>
    </section>
  )
}

async function passkeyPage(view: View, c: Ctx, { services: { passkeys } }: PanelContext) {
  const all = await passkeys.list(panelActor(c))
  const crumbs = view.can('signed-in') ? [{ word: view.t('Profile'), path: '/profile' }] : []
  return (
    <TitledPage view={view} title={view.t('Passkeys')} crumbs={crumbs} script={passkeyScript} column>
      {all.length > 0 ? <Passkeys view={view} all={all} /> : <p>{view.t('No passkeys yet.')}</p>}
      {passkeys.isAvailable(hostOf(c)) ? (
        <Adding view={view} asks={await passkeys.asks(panelActor(c))} />
      ) : (
        <Note view={view}>
          <p>
            {view.t(
              'Passkeys do not work at this address. They need HTTPS and the domain of the configuration, or http://localhost.',
            )}
          </p>
        </Note>
      )}
    </TitledPage>
  )
}

/** The user's own passkeys. The script adds them by the API. */
export function passkeyPages(context: PanelContext) {
  const set = pages(context, 'passkeys')
  const { passkeys } = context.services
  set.get(passkeyPath, 'own-account', (view, c) => passkeyPage(view, c, context))
  set.submit(`${passkeyPath}/:passkey_id`, 'signed-in', PasskeyRename, c => ({
    names: ['name'],
    async save({ body }) {
      await passkeys.rename(panelActor(c), idParam(c, 'passkey_id'), body)
      return saved(passkeyPath)
    },
  }))
  set.act(`${passkeyPath}/:passkey_id/delete`, 'signed-in', async c => {
    await passkeys.remove(panelActor(c), idParam(c, 'passkey_id'))
    return saved(passkeyPath)
  })
  return set
}
