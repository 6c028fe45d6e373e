import { z } from 'zod'
import { type Ctx, idParam } from '../middleware/context.js'
import type { Field as Described } from '../resources/form-field.js'
import { limitFields, limitNames } from '../resources/limit-fields.js'
import type { RoleLimits } from '../role-limits.js'
import { RoleUpdate } from '../services/accounts/roles.js'
import type { PanelContext } from './context.js'
import { type Field, Fields } from './controls.js'
import { Page } from './layout.js'
import { type Draft, type Pages, saved } from './pages.js'
import { Form, Submit } from './parts.js'
import { readOnly } from './read-only.js'
import { markOf, unlessChanged } from './record-mark.js'
import { panelActor, type View } from './view.js'

const idIn = (c: Ctx): string => idParam(c, 'role_id')

const ticked = z.array(z.string())
const some = (list: string[]) => (list.length > 0 ? list : undefined)

const Body = RoleUpdate.pick({ limits: true })

/** The form: a list in which nothing is ticked does not limit. */
const LimitsForm = z
  .strictObject({
    limits: z.strictObject({
      ...{ datatypes: ticked, routes: ticked, locales: ticked, own: z.boolean() },
      ...{ reading: z.boolean(), reads: ticked },
    }),
  })
  .transform(
    ({ limits: { datatypes, routes, locales, own, reading, reads } }): z.input<typeof Body> => ({
      limits: {
        ...{ datatypes: some(datatypes), routes: some(routes), locales: some(locales) },
        own: own ? (true as const) : undefined,
        reads: reading ? reads : undefined,
      },
    }),
  )
  .pipe(Body)

/** A field of limits, as the browser shows it: pages are found by the search of the script. */
export const limitField = (field: Described): Field =>
  field.name === limitNames.routes && field.kind === 'choices'
    ? { ...field, picked: { kind: 'pages' as const } }
    : field

interface Props {
  view: View
  c: Ctx
  role: { readonly role_id: string; readonly limits: RoleLimits | null }
  /** Whether the user may set limits: only administrators may. */
  mayChange: boolean
  draft?: Draft | undefined
}

/** The part of the site that a role may change. */
export async function LimitsOf({ view, c, role, mayChange, draft }: Props, context: PanelContext) {
  const viewer = {
    ...{ actor: panelActor(c), can: view.can, t: view.t },
    ...(draft ? { typed: draft.texts } : {}),
  }
  const fields = (await limitFields(role.limits ?? {}, viewer, context)).map(limitField)
  const head = <h2 id="limits">{view.t('Limits')}</h2>
  const lead = role.limits?.reads
    ? view.t('The role may read and change only this part of the site. All that is set here must hold.')
    : role.limits
      ? view.t('The role may change only this part of the site. All that is set here must hold.')
      : view.t('The role may change all of the site, as far as its permissions reach.')
  if (!mayChange)
    return (
      <section aria-labelledby="limits">
        <div class="head">{head}</div>
        <p class="lead">{lead}</p>
        {role.limits && <Fields view={view} fields={fields.map(field => readOnly(field, view))} />}
      </section>
    )
  return (
    <section aria-labelledby="limits">
      <Form view={view} action={`/roles/${role.role_id}/limits`}>
        <div class="head">
          {head}
          <Submit>{view.t('Save the limits')}</Submit>
        </div>
        <p class="lead">{lead}</p>
        <Fields view={view} fields={fields} draft={draft} seen={markOf(context, role.limits)} />
      </Form>
    </section>
  )
}

/** The form for the limits of a role. */
export function limitPages({ submit }: Pick<Pages, 'submit'>, context: PanelContext): void {
  const { access, roles } = context.services
  submit('/roles/:role_id/limits', 'roles:update', LimitsForm, c => ({
    names: Object.values(limitNames),
    async save({ body, seen }) {
      const check = unlessChanged(context, seen)
      await roles.update(panelActor(c), idIn(c), body, before => check(before.limits))
      return saved(`/roles/${idIn(c)}`)
    },
    async redraw(view, draft) {
      const role = await roles.get(idIn(c))
      const crumbs = [
        { word: view.t('Roles'), path: '/roles' },
        { word: role.label, path: `/roles/${idIn(c)}` },
      ]
      const mayChange = await access.isAdministrator(panelActor(c))
      return (
        <Page view={view} title={view.t('Limits of {role}', { role: role.label })} crumbs={crumbs} column>
          {await LimitsOf({ view, c, role, mayChange, draft }, context)}
        </Page>
      )
    },
  }))
}
