import { type Ctx, idParam } from '../middleware/context.js'
import { modelOf } from '../resources/entries.js'
import { ReviewCreate, ReviewReturn } from '../services/review/requests.js'
import type { PanelContext } from './context.js'
import { entryPage } from './entry-page.js'
import { type Draft, type Pages, saved, showPage } from './pages.js'
import { notPublished } from './refused-publish.js'
import { panelActor, type View } from './view.js'

const idIn = (c: Ctx) => idParam(c, 'entry_id')
const requestIn = (c: Ctx) => ({ review_request_id: idParam(c, 'review_request_id') })
const pathOf = (id: string) => `/content/entry/${id}`

/** Asks for a review of the tree of an entry, without a note. */
export async function askForReview(c: Ctx, id: string, { services }: PanelContext): Promise<void> {
  await services.reviewRequests.create(panelActor(c), { content_data_id: id, note: '' })
}

/** Requests for review: they are made and answered on the page of the entry. */
export function reviewPages({ act, submit }: Pages, context: PanelContext): void {
  const { reviewRequests, space } = context.services
  const at = '/content/entry/:entry_id/review'
  const one = `${at}/:review_request_id`
  const redraw = (c: Ctx) => (view: View, said: Draft) =>
    entryPage(view, { context, id: idIn(c), locale: '', said })
  submit(at, 'content:update', ReviewCreate.pick({ note: true }), c => ({
    names: ['note'],
    async save({ body: { note } }) {
      await reviewRequests.create(panelActor(c), { content_data_id: idIn(c), note })
      return pathOf(idIn(c))
    },
    redraw: redraw(c),
  }))
  act(`${one}/approve`, 'content:publish', async (c, view) => {
    const id = idIn(c)
    try {
      await reviewRequests.approve(panelActor(c), { ...requestIn(c), note: '' })
    } catch (error) {
      const model = await modelOf(context)
      const { datatype_id } = await space.content.get(id)
      const of = { id, locale: '', fields: model.fieldsOf.get(datatype_id) ?? [], model, wording: view }
      const { status, ...draft } = await notPublished(error, of, context)
      return showPage(c, await entryPage(view, { context, id, locale: '', draft }), status)
    }
    return saved(pathOf(id))
  })
  submit(`${one}/return`, 'content:publish', ReviewReturn.pick({ note: true }), c => ({
    names: ['note'],
    async save({ body: { note } }) {
      await reviewRequests.sendBack(panelActor(c), { ...requestIn(c), note })
      return pathOf(idIn(c))
    },
    redraw: redraw(c),
  }))
  act(`${one}/withdraw`, 'content:update', async c => {
    await reviewRequests.withdraw(panelActor(c), requestIn(c))
    return pathOf(idIn(c))
  })
}
