import { z } from 'zod'
import type { Actor } from '../actor.js'
import { HttpError } from '../errors.js'
import { limits } from '../limits.js'
import type { Ctx } from '../middleware/context.js'
import { all, type Entry, modelOf, titlesOf } from '../resources/entries.js'
import { entryRemovalOf, removeEntry } from '../resources/removal.js'
import { onEach, reasonOf } from '../resources/several.js'
import { parsed } from '../routes/form-values.js'
import type { Access } from '../services/accounts/access.js'
import { reference } from '../services/body-parts.js'
import type { PanelContext } from './context.js'
import { type Pages, saved } from './pages.js'
import { withUndo } from './undo.js'
import { panelActor, type View } from './view.js'

const ids = z
  .string()
  .transform(text => text.split(',').filter(Boolean))
  .pipe(z.array(reference).min(1).max(limits.content.selectedRecords))
const Selection = z.object({
  what: z.enum(['publish', 'unpublish', 'delete', 'move']),
  ids,
  parent_id: reference.optional(),
})
type Selection = z.output<typeof Selection>

const words = {
  publish: { access: 'content:publish', done: '{done} of {n} published.' },
  unpublish: { access: 'content:publish', done: '{done} of {n} unpublished.' },
  delete: { access: 'content:delete', done: '{done} of {n} deleted.' },
  move: { access: 'content:update', done: '{done} of {n} moved.' },
} as const satisfies Record<Selection['what'], { access: Access; done: string }>

/** Returns the entries that are not under another one of these: an action on an entry includes those under it. */
async function outermost(ids: readonly string[], { services: { space } }: PanelContext): Promise<Entry[]> {
  const chosen = new Set(ids)
  const entries = await Promise.all(ids.map(id => space.content.get(id)))
  const isUnderOther = async (entry: Entry) => {
    for (let at = entry.parent_id; at !== null; at = (await space.content.get(at)).parent_id)
      if (chosen.has(at)) return true
    return false
  }
  const under = await Promise.all(entries.map(isUnderOther))
  return entries.filter((_entry, i) => !under[i])
}

async function act(
  { what, parent_id }: Selection,
  content_data_id: string,
  actor: Actor,
  context: PanelContext,
) {
  const { content, publishing } = context.services.space
  if (what === 'publish') await publishing.publish(actor, { content_data_id })
  else if (what === 'unpublish') await publishing.unpublish(actor, content_data_id)
  else if (what === 'delete') await removeEntry(context, actor, content_data_id)
  else if (parent_id !== undefined) await content.move(actor, { content_data_id, parent_id })
}

async function pathAfter(c: Ctx, root: string, context: PanelContext): Promise<string> {
  const open = c.req.query('open') ?? ''
  const { content } = context.services.space
  const found = await all(content.list({ content_data_id: [open, root] }, { limit: 2 }))
  const ids = found.map(({ content_data_id }) => content_data_id)
  const id = [open, root].find(one => ids.includes(one))
  return id === undefined ? '/content' : `/content/entry/${id}`
}

/** Actions on several entries. Each one is done by itself, so that a refused one does not stop the others. */
export function selectionActions({ get, submit }: Pages, context: PanelContext): void {
  const { access } = context.services
  get('/content-removal', 'content:delete', async (view, c) => {
    const { ids: chosen } = parsed(Selection.pick({ ids: true }), { ids: c.req.query('ids') ?? '' })
    const words = await entryRemovalOf(context, await outermost(chosen, context), view)
    return c.json({ words }, 200, { 'Cache-Control': 'no-store' })
  })
  submit('/content-selection', 'content:update', Selection, c => ({
    names: [],
    async save({ body, view }) {
      const word = words[body.what]
      await access.need(c.env.identity, word.access)
      const entries = await outermost(body.ids, context)
      const ids = entries.map(({ content_data_id }) => content_data_id)
      const refused = await onEach(ids, id => act(body, id, panelActor(c), context))
      if (refused.size > 0) {
        const problems = entries.flatMap(entry => {
          const error = refused.get(entry.content_data_id)
          return error ? [{ entry, error }] : []
        })
        const done = view.t(word.done, { done: entries.length - problems.length, n: entries.length })
        throw await refusal(problems, done, view, context)
      }
      const path = await pathAfter(c, entries[0]?.root_id ?? '', context)
      return body.what === 'delete' ? withUndo(path, ids, context) : saved(path)
    },
  }))
}

/** @param done says how many were done
 * @returns which entries were refused and why */
async function refusal(
  problems: readonly { entry: Entry; error: HttpError }[],
  done: string,
  { t, refusal: inWords }: View,
  context: PanelContext,
): Promise<HttpError> {
  const titles = await titlesOf(
    problems.map(({ entry }) => entry),
    await modelOf(context),
    context,
  )
  const told = problems.map(({ entry, error }) =>
    t('“{name}”: {problem}.', {
      name: titles.get(entry.content_data_id) ?? '',
      problem: inWords(reasonOf(error)),
    }),
  )
  const first = problems[0]?.error
  return new HttpError(first?.status ?? 409, first?.code ?? 'conflict', [done, ...told].join(' '))
}
