import { z } from 'zod'
import { type Ctx, idParam } from '../middleware/context.js'
import { CommentCreate, CommentUpdate } from '../services/review/comments.js'
import { queryOf } from './comments.js'
import type { PanelContext } from './context.js'
import { entryPage } from './entry-page.js'
import type { Pages } from './pages.js'
import { panelActor } from './view.js'

const idIn = (c: Ctx) => idParam(c, 'entry_id')
const localeIn = (c: Ctx) => c.req.query('locale') ?? ''

/** The form of a new comment; an empty field stands for the entry as a whole. */
const Said = CommentCreate.pick({ body: true }).extend({ field_id: z.string().default('') })

/** Comments on an entry and its fields. */
export function commentPages({ act, submit }: Pages, context: PanelContext): void {
  const { comments } = context.services
  const at = '/content/entry/:entry_id/comments'
  const own = `${at}/:comment_id`
  const reads = 'content:update'
  const back = (c: Ctx) => `/content/entry/${idIn(c)}${queryOf(localeIn(c))}#comments`
  submit(at, reads, Said, c => ({
    names: ['body', 'field_id'],
    async save({ body: { body, field_id } }) {
      const place = { content_data_id: idIn(c), field_id: field_id || null, locale: localeIn(c) }
      await comments.create(panelActor(c), { ...place, body })
      return back(c)
    },
    redraw: (view, said) => entryPage(view, { context, id: idIn(c), locale: localeIn(c), said }),
  }))
  submit(own, reads, CommentUpdate.pick({ body: true }), c => ({
    names: [],
    async save({ body }) {
      await comments.update(panelActor(c), idParam(c, 'comment_id'), body)
      return back(c)
    },
  }))
  for (const [how, resolved] of [
    ['resolve', true],
    ['reopen', false],
  ] as const)
    act(`${own}/${how}`, reads, async c => {
      await comments.update(panelActor(c), idParam(c, 'comment_id'), { resolved })
      return back(c)
    })
  act(`${own}/delete`, reads, async c => {
    await comments.remove(panelActor(c), idParam(c, 'comment_id'))
    return back(c)
  })
}
