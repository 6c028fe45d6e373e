import { z } from 'zod'
import { type Ctx, idParam } from '../middleware/context.js'
import { all, modelOf } from '../resources/entries.js'
import type { RoleLimits } from '../role-limits.js'
import { RoleUpdate } from '../services/accounts/roles.js'
import type { PanelContext } from './context.js'
import { type Choice, type Field, Fields } from './controls.js'
import { Page } from './layout.js'
import { type Draft, type Pages, saved, type Texts } from './pages.js'
import { Form, Submit } from './parts.js'
import { readOnly } from './read-only.js'
import { markOf, unlessChanged } from './record-mark.js'
import { panelActor, type View } from './view.js'

/** Routes to tick without the script; with it, all are found by a search. */
const maxRoutes = 200

const idIn = (c: Ctx): string => idParam(c, 'role_id')

const names = {
  datatypes: 'limits.datatypes',
  routes: 'limits.routes',
  locales: 'limits.locales',
  own: 'limits.own',
} as const

const ticked = z.array(z.string())
const some = (list: string[]) => (list.length > 0 ? list : undefined)

const Body = RoleUpdate.pick({ limits: true })

/** The form: a list in which nothing is ticked does not limit. */
const LimitsForm = z
  .strictObject({
    limits: z.strictObject({ datatypes: ticked, routes: ticked, locales: ticked, own: z.boolean() }),
  })
  .transform(
    ({ limits: { datatypes, routes, locales, own } }): z.input<typeof Body> => ({
      limits: {
        ...{ datatypes: some(datatypes), routes: some(routes), locales: some(locales) },
        own: own ? (true as const) : undefined,
      },
    }),
  )
  .pipe(Body)

const typedIn = (texts: Texts | undefined, name: string) => [texts?.[name] ?? []].flat().filter(Boolean)

/** Puts choices that are ticked first, with those that are not there any more. */
function tickedFirst(choices: readonly Choice[], values: readonly string[]): Choice[] {
  const known = new Map(choices.map(choice => [choice.value, choice]))
  const first = [...new Set(values)].map(value => known.get(value) ?? { value, word: value })
  return [...first, ...choices.filter(({ value }) => !values.includes(value))]
}

/** Pages are named by address, as the search of the script finds them. */
async function routeField(
  view: View,
  stored: readonly string[],
  context: PanelContext,
  draft?: Draft,
): Promise<Field> {
  const { routes } = context.services.space
  const typed = typedIn(draft?.texts, names.routes)
  const found = [
    ...(stored.length > 0 ? await all(routes.list({ route_id: [...stored] }, {})) : []),
    ...(typed.length > 0 ? await all(routes.list({ slug: typed }, {})) : []),
    ...(await all(routes.list({}, { limit: maxRoutes }))),
  ]
  const slugs = new Map(found.map(({ route_id, slug }) => [route_id, slug]))
  const value = stored.map(id => slugs.get(id) ?? id)
  const choices = new Map(found.map(({ slug, title }) => [slug, { value: slug, word: title, hint: slug }]))
  return {
    ...{ name: names.routes, label: view.t('Pages'), kind: 'choices', value },
    help: view.t('These pages and those below, with their addresses. None: all pages.'),
    picked: { kind: 'pages' },
    choices: tickedFirst([...choices.values()], [...value, ...typed]),
  }
}

async function fieldsOf(
  view: View,
  limits: RoleLimits,
  context: PanelContext,
  draft?: Draft,
): Promise<Field[]> {
  const kinds = [...(await modelOf(context)).datatypes.values()]
    .map(({ datatype_id, label }) => ({ value: datatype_id, word: label }))
    .toSorted((a, b) => a.word.localeCompare(b.word))
  const languages = (await all(context.services.locales.list({}, {}))).map(({ code, label }) => ({
    ...{ value: code, word: label, hint: code },
  }))
  const { datatypes = [], routes = [], locales = [], own = false } = limits
  return [
    {
      ...{ name: names.datatypes, label: view.t('Datatypes'), kind: 'choices', value: datatypes },
      help: view.t('Entries of these datatypes, and everything under them. None: all datatypes.'),
      choices: tickedFirst(kinds, datatypes),
    },
    await routeField(view, routes, context, draft),
    {
      ...{ name: names.locales, label: view.t('Languages'), kind: 'choices', value: locales },
      help: view.t('Texts in these languages, and nothing that all languages share. None: all languages.'),
      choices: tickedFirst(languages, locales),
    },
    {
      ...{ name: names.own, label: view.t('Own entries only'), kind: 'switch', value: String(own) },
      help: view.t('Entries of which the user is the author, and everything under them.'),
    },
  ]
}

interface Props {
  view: View
  role: { readonly role_id: string; readonly limits: RoleLimits | null }
  /** Whether the user may set limits: only administrators may. */
  mayChange: boolean
  draft?: Draft | undefined
}

/** The part of the site that a role may change. */
export async function LimitsOf({ view, role, mayChange, draft }: Props, context: PanelContext) {
  const fields = await fieldsOf(view, role.limits ?? {}, context, draft)
  const head = <h2 id="limits">{view.t('Limits')}</h2>
  const lead = role.limits
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
    names: Object.values(names),
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
          {await LimitsOf({ view, role, mayChange, draft }, context)}
        </Page>
      )
    },
  }))
}
