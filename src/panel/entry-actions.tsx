import { z } from 'zod'
import { badRequest, HttpError } from '../errors.js'
import { type Ctx, idParam } from '../middleware/context.js'
import { modelOf, nameOf } from '../resources/entries.js'
import { planIn } from '../resources/entry-mark.js'
import { startsUnder } from '../resources/kinds.js'
import { entryRemovalOf, removeEntry } from '../resources/removal.js'
import { withZone } from '../resources/times.js'
import { placeFor, treeOf } from '../resources/trees.js'
import { ContentCreate, ContentMove } from '../services/content/content-input.js'
import type { PanelContext } from './context.js'
import { crumbsOf } from './entry-crumbs.js'
import { entryPage } from './entry-page.js'
import { Page } from './layout.js'
import { type Place, withMoveBack } from './moved-from.js'
import { begun, formText, type Pages, saved, showPage } from './pages.js'
import { DeleteQuestion } from './parts.js'
import { unlessChanged } from './record-mark.js'
import { lastSaveIn } from './savers.js'
import { withUndo } from './undo.js'
import { undoMarkIn, withUndoOf } from './undo-last.js'
import { panelActor } from './view.js'

const idIn = (c: Ctx) => idParam(c, 'entry_id')
const entryPath = (id: string): string => `/content/entry/${id}`
const movedPath = (c: Ctx, from: Place | undefined): string => {
  const open = c.req.query('open') ?? idIn(c)
  const path = open === idIn(c) ? entryPath(open) : `${entryPath(open)}?beside=${idIn(c)}`
  return saved(from === undefined ? path : withMoveBack(path, from))
}

const Start = z.object({ datatype_id: z.string() })
const Move = z.object({ how: z.enum(['up', 'down', 'in', 'out']) })
const Placed = ContentMove.omit({ content_data_id: true })

/** Actions that create, move and delete entries. */
export function placement({ get, act, submit }: Pages, context: PanelContext): void {
  const { access, space } = context.services
  const { content, copies } = space
  const placeOf = async (id: string): Promise<Place | undefined> => {
    const entry = await content.get(id)
    if (entry.parent_id === null) return undefined
    return { id, parent_id: entry.parent_id, position: await space.siblings.before(entry) }
  }
  const at = '/content/entry/:entry_id'
  submit(`${at}/add`, 'content:create', Start, c => ({
    names: [],
    async save({ body }) {
      const given = ContentCreate.parse({ ...body, parent_id: idIn(c) })
      return begun(entryPath((await content.create(panelActor(c), given)).content_data_id))
    },
  }))
  get(`${at}/starts`, 'content:create', async (view, c) => {
    const entry = await content.get(idIn(c))
    const { create } = await view.mayChange(idIn(c))
    const possible = await startsUnder(await modelOf(context), entry, context)
    const kinds = possible.filter(({ value }) => create(value))
    return c.json({ kinds }, 200, { 'Cache-Control': 'no-store' })
  })
  submit(`${at}/move`, 'content:update', Move, c => ({
    names: [],
    async save({ body: { how } }) {
      const entry = await content.get(idIn(c))
      const place = placeFor(await treeOf(entry, await modelOf(context), context), idIn(c), how)
      const from = place && (await placeOf(idIn(c)))
      if (place) await content.move(panelActor(c), { content_data_id: idIn(c), ...place })
      return movedPath(c, from)
    },
  }))
  submit(`${at}/place`, 'content:update', Placed, c => ({
    names: [],
    async save({ body }) {
      const from = await placeOf(idIn(c))
      await content.move(panelActor(c), { content_data_id: idIn(c), ...body })
      return movedPath(c, from)
    },
  }))
  act(`${at}/duplicate`, 'content:create', async c => {
    const { parent_id, route_id } = await content.get(idIn(c))
    const content_data_id = idIn(c)
    if (route_id !== null) await access.need(c.env.identity, 'routes:create')
    const copy =
      route_id === null
        ? await copies.duplicate(panelActor(c), { content_data_id, parent_id, route_id })
        : await copies.duplicatePage(panelActor(c), content_data_id)
    return saved(entryPath(copy.content_data_id))
  })
  get(`${at}/delete`, 'content:delete', async (view, c) => {
    const entry = await content.get(idIn(c))
    const name = await nameOf(entry, context)
    return (
      <Page view={view} title={view.t('Delete')} crumbs={await crumbsOf(idIn(c), context, view)} column>
        <DeleteQuestion
          isPage
          view={view}
          path={entryPath(idIn(c))}
          name={name}
          also={await entryRemovalOf(context, [entry], view)}
        />
      </Page>
    )
  })
  act(`${at}/delete`, 'content:delete', async c => {
    const { parent_id } = await content.get(idIn(c))
    await removeEntry(context, panelActor(c), idIn(c))
    return withUndo(parent_id === null ? '/content' : entryPath(parent_id), [idIn(c)], context)
  })
}

const Plan = z.object({ publish_at: z.string(), unpublish_at: z.string() })

/** Actions that publish, schedule and unpublish an entry. */
export function publication({ act, submit }: Pages, context: PanelContext): void {
  const { changes, content, publishing, undoing } = context.services.space
  const at = '/content/entry/:entry_id'
  act(`${at}/unpublish`, 'content:publish', async c => {
    const { root_id, status } = await content.get(idIn(c))
    // The former public state of a page with unpublished changes is not stored anywhere.
    const isUndoable = status === 'published' && !(await changes.ofTrees([root_id])).get(root_id)?.isWaiting
    await publishing.unpublish(panelActor(c), idIn(c))
    const done = saved(entryPath(idIn(c)))
    return isUndoable ? withUndoOf(done, 'unpublish', idIn(c), context) : done
  })
  act(`${at}/undo`, 'content:update', async (c, view, sent) => {
    const mark = undoMarkIn(formText(sent, 'mark'))
    if (!mark) throw badRequest('mark: names nothing that can be undone', 'mark')
    try {
      const mayRename = await context.services.access.can(c.env.identity, 'routes:update')
      await undoing.undo(panelActor(c), idIn(c), mark, mayRename)
    } catch (error) {
      if (!(error instanceof HttpError && error.code === 'changed')) throw error
      const { root_id } = await content.get(idIn(c))
      const by = await lastSaveIn(root_id, panelActor(c), context)
      const page = entryPage(view, { context, id: idIn(c), locale: '', notUndone: by ?? null })
      return showPage(c, await page, error.status)
    }
    return saved(entryPath(idIn(c)))
  })
  submit(`${at}/schedule`, 'content:publish', Plan, c => ({
    names: ['publish_at', 'unpublish_at'],
    prepare: withZone('publish_at', 'unpublish_at'),
    async save({ body: { publish_at, unpublish_at }, seen }) {
      const plan = {
        content_data_id: idIn(c),
        publish_at: publish_at || null,
        unpublish_at: unpublish_at || null,
      }
      const check = unlessChanged(context, seen)
      await publishing.schedule(panelActor(c), plan, before => check(planIn(before)))
      return saved(entryPath(idIn(c)))
    },
    redraw: (view, plan) => entryPage(view, { context, id: idIn(c), locale: '', plan }),
  }))
}
