import { z } from 'zod'
import type { Actor } from '../actor.js'
import { badRequest, missingPermission } from '../errors.js'
import { limits } from '../limits.js'
import { type Entry, modelOf, namesOf } from '../resources/entries.js'
import { entryRemovalOf, removeEntry } from '../resources/removal.js'
import { onEach, reasonOf } from '../resources/several.js'
import { withZone } from '../resources/times.js'
import { parsed } from '../routes/form-values.js'
import type { Access } from '../services/accounts/access.js'
import { reference, time } from '../services/body-parts.js'
import { RouteUpdate } from '../services/content/routes.js'
import { rooted, trimmed } from '../services/text.js'
import type { PanelContext } from './context.js'
import { type Field, Fields } from './controls.js'
import { TitledPage } from './layout.js'
import { type Pages, showPage } from './pages.js'
import { Form, Note, Submit } from './parts.js'
import { withUndo } from './undo.js'
import { panelActor, type View } from './view.js'
import { contentPath, entryPath } from './work-table.js'

const actions = ['publish', 'unpublish', 'schedule', 'duplicate', 'move', 'delete'] as const
type What = (typeof actions)[number]

const accessOf: Readonly<Record<What, Access>> = {
  publish: 'content:publish',
  unpublish: 'content:publish',
  schedule: 'content:publish',
  duplicate: 'content:create',
  move: 'routes:update',
  delete: 'content:delete',
}

/** The actions that ask for more first. */
const asks: readonly What[] = ['schedule', 'move', 'delete']

/** Results for one entry and for several. */
const doneTexts = {
  publish: ['{n} entry published.', '{n} entries published.'],
  unpublish: ['{n} entry unpublished.', '{n} entries unpublished.'],
  schedule: ['{n} entry scheduled.', '{n} entries scheduled.'],
  duplicate: ['{n} entry duplicated.', '{n} entries duplicated.'],
  move: ['{n} page moved.', '{n} pages moved.'],
  delete: ['{n} entry deleted.', '{n} entries deleted.'],
} as const

/** Results if only some of them were done. */
const partTexts = {
  publish: ['{done} of {n} entry published', '{done} of {n} entries published'],
  unpublish: ['{done} of {n} entry unpublished', '{done} of {n} entries unpublished'],
  schedule: ['{done} of {n} entry scheduled', '{done} of {n} entries scheduled'],
  duplicate: ['{done} of {n} entry duplicated', '{done} of {n} entries duplicated'],
  move: ['{done} of {n} page moved', '{done} of {n} pages moved'],
  delete: ['{done} of {n} entry deleted', '{done} of {n} entries deleted'],
} as const

const when = z.union([z.literal(''), time]).default('')
const Work = z.object({
  what: z.enum(actions),
  ids: z.array(reference).min(1, 'must name an entry').max(limits.content.selectedRecords),
  back: z.string().max(2000).default(''),
  sure: z.enum(['', 'yes']).default(''),
  publish_at: when,
  unpublish_at: when,
  /** The address that pages are moved under; empty for the top. */
  under: z.string().max(512).default(''),
})
type Work = z.output<typeof Work>

/** Returns a path of the list only, whatever the form contains. */
function listWith(back: string, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(back)
  query.delete('done')
  for (const [name, value] of Object.entries(more)) query.set(name, value)
  return query.size === 0 ? contentPath : `${contentPath}?${query}`
}

/** Returns the sentence for `done` in the address of the list; undefined if it is invalid. */
export function doneIn(given: string | undefined, { count }: View): string | undefined {
  const [, what, n] =
    /^(publish|unpublish|schedule|duplicate|move|delete)\.(\d{1,3})$/.exec(given ?? '') ?? []
  if (what === undefined) return undefined
  const [one, several] = doneTexts[what as What]
  return count(Number(n), one, several)
}

interface Acting {
  readonly actor: Actor
  readonly context: PanelContext
  readonly mayCreateRoutes: boolean
}

interface Refused {
  readonly id: string
  readonly name: string
  readonly why: string
  readonly isThere: boolean
}

interface Done {
  readonly done: number
  readonly refused: readonly Refused[]
}

async function entriesOf(ids: readonly string[], context: PanelContext) {
  const entries: Entry[] = []
  for await (const batch of context.services.space.content.list({ content_data_id: ids }, {}))
    entries.push(...batch)
  const names = await namesOf(entries, await modelOf(context), context)
  const byId = new Map(entries.map(entry => [entry.content_data_id, entry]))
  return { names, byId, inOrder: ids.flatMap(id => byId.get(id) ?? []) }
}

/** Copies a tree: a page to a free address, shared content beside itself. */
async function duplicate(id: string, actor: Actor, { services }: PanelContext, mayCreateRoutes: boolean) {
  const { content, copies } = services.space
  const { route_id } = await content.get(id)
  if (route_id === null) return copies.duplicate(actor, { content_data_id: id, parent_id: null, route_id })
  if (!mayCreateRoutes) throw missingPermission('routes:create')
  return copies.duplicatePage(actor, id)
}

/** Gives a page an address under another one, with the last part of its own. */
async function moveUnder(under: string, id: string, actor: Actor, { services }: PanelContext) {
  const { content, routes } = services.space
  const { route_id } = await content.get(id)
  if (route_id === null) throw badRequest('only a page has an address')
  const { slug } = await routes.get(route_id)
  if (slug === '/') throw badRequest('the home page cannot be moved')
  const moved = rooted(`${trimmed(under, '/')}/${slug.split('/').at(-1)}`)
  await routes.update(actor, route_id, parsed(RouteUpdate, { slug: moved }))
}

async function act(
  { what, publish_at, unpublish_at, under }: Work,
  id: string,
  { actor, context, mayCreateRoutes }: Acting,
) {
  const { publishing } = context.services.space
  const content_data_id = id
  if (what === 'publish') await publishing.publish(actor, { content_data_id })
  else if (what === 'unpublish') await publishing.unpublish(actor, id)
  else if (what === 'delete') await removeEntry(context, actor, id)
  else if (what === 'duplicate') await duplicate(id, actor, context, mayCreateRoutes)
  else if (what === 'move') await moveUnder(under, id, actor, context)
  else {
    const plan = { content_data_id, publish_at: publish_at || null, unpublish_at: unpublish_at || null }
    await publishing.schedule(actor, plan)
  }
}

/** Acts on each entry, so that a refused one does not stop the others. @throws any error that is not a refusal */
async function actOnAll(body: Work, acting: Acting, { t, refusal }: View): Promise<Done> {
  const ids = [...new Set(body.ids)]
  const { context } = acting
  const { names, byId } = await entriesOf(ids, context)
  const errors = await onEach(ids, id => act(body, id, acting))
  const refused = [...errors].map(([id, error]): Refused => {
    const isThere = byId.has(id)
    const why = isThere ? refusal(reasonOf(error)) : t('No entry has this id.')
    return { id, name: names.get(id) ?? id, why, isThere }
  })
  return { done: ids.length - refused.length, refused }
}

/** Actions on several trees of the list. A deletion asks for confirmation first, and a schedule for its times. */
export function workActions({ submit }: Pages, context: PanelContext): void {
  const { access } = context.services
  submit('/content-work', 'content:update', Work, c => ({
    names: [],
    prepare: withZone('publish_at', 'unpublish_at'),
    async save({ body, view }) {
      const { what, back, sure } = body
      await access.need(c.env.identity, accessOf[what])
      if (sure !== 'yes' && asks.includes(what))
        return showPage(c, <Question view={view} context={context} body={body} />)
      const mayCreateRoutes = view.can('routes:create')
      const result = await actOnAll(body, { actor: panelActor(c), context, mayCreateRoutes }, view)
      if (result.refused.length === 0) {
        const list = listWith(back, { done: `${what}.${result.done}` })
        return what === 'delete' ? withUndo(list, body.ids, context) : list
      }
      return showPage(c, <Result view={view} body={body} result={result} />, 409)
    },
  }))
}

const crumbsOf = ({ back }: Work, { t }: View) => [{ word: t('Content'), path: listWith(back) }]

interface QuestionProps {
  view: View
  context: PanelContext
  body: Work
}

async function Question({ view, context, body }: QuestionProps) {
  const { names, inOrder } = await entriesOf(body.ids, context)
  const isDelete = body.what === 'delete'
  const n = inOrder.length
  const [one, several] = questions[body.what as keyof typeof questions]
  const title = view.count(n, one, several)
  return (
    <TitledPage view={view} title={title} crumbs={crumbsOf(body, view)} column>
      {isDelete && <p class="lead">{await entryRemovalOf(context, inOrder, view)}</p>}
      <Form view={view} action="/content-work">
        <input type="hidden" name="sure" value="yes" />
        <input type="hidden" name="what" value={body.what} />
        <input type="hidden" name="back" value={body.back} />
        {inOrder.map(({ content_data_id }) => (
          <input type="hidden" name="ids" value={content_data_id} />
        ))}
        {!isDelete && <Fields view={view} fields={body.what === 'move' ? placeIn(view) : timesIn(view)} />}
        <div class="actions">
          <Submit kind={isDelete ? 'bad' : 'next'}>
            {view.t(buttons[body.what as keyof typeof buttons])}
          </Submit>
          <a class="button bare" href={`${view.base}${listWith(body.back)}`}>
            {view.t('Cancel')}
          </a>
        </div>
      </Form>
      <ul class="rows after">
        {inOrder.map(({ content_data_id: id }) => (
          <li>
            <a href={`${view.base}${entryPath(id)}`}>{names.get(id)}</a>
          </li>
        ))}
      </ul>
    </TitledPage>
  )
}

const questions = {
  delete: ['Delete {n} entry?', 'Delete {n} entries?'],
  schedule: ['Schedule {n} entry', 'Schedule {n} entries'],
  move: ['Move {n} page', 'Move {n} pages'],
} as const

const buttons = { delete: 'Delete', schedule: 'Schedule', move: 'Move' } as const

const placeIn = ({ t }: View): Field[] => [
  {
    name: 'under',
    label: t('New parent address'),
    mono: true,
    hint: t('a path such as /about'),
    help: t('Each page keeps the last part of its address. Leave the field empty for the top level.'),
  },
]

const timesIn = ({ t }: View): Field[] => [
  { name: 'publish_at', label: t('Publish'), kind: 'datetime' },
  {
    name: 'unpublish_at',
    label: t('Unpublish'),
    kind: 'datetime',
    help: t('Leave both empty to cancel the schedule.'),
  },
]

const Result = ({ view, body, result }: { view: View; body: Work; result: Done }) => {
  const { done, refused } = result
  const [one, several] = partTexts[body.what]
  const title = view.count(done + refused.length, one, several, { done })
  return (
    <TitledPage view={view} title={title} crumbs={crumbsOf(body, view)} column>
      <Note view={view} kind="bad">
        {view.count(
          refused.length,
          '{n} entry was rejected and has not changed.',
          '{n} entries were rejected and have not changed.',
        )}
      </Note>
      <ul class="rows">
        {refused.map(({ id, name, why, isThere }) => (
          <li>
            {isThere ? <a href={`${view.base}${entryPath(id)}`}>{name}</a> : <code>{name}</code>}
            <span class="quiet">{why}</span>
          </li>
        ))}
      </ul>
      <p class="actions after">
        <a class="button next" href={`${view.base}${listWith(body.back)}`}>
          {view.t('Back to the list')}
        </a>
      </p>
    </TitledPage>
  )
}
