import { modelOf } from '../../resources/entries.js'
import { type Comment, personIn, type Talk, talkOf } from '../../resources/views/talk.js'
import { t } from '../../texts/terminal.js'
import { pageView, type TextRow } from '../screen/page.js'
import { bold, dim, plain } from '../screen/style.js'
import type { Shell } from '../screen/view.js'
import type { Session } from '../session.js'
import { timeWord } from './words.js'

const reads = 'content:update'

const linesOf = (text: string, style = plain): TextRow[] =>
  text.split('\n').map(line => ({ text: line, style, indent: 2 }))

function requestRows(talk: Talk, session: Session): TextRow[] {
  const { request } = talk
  if (request?.status === 'open') {
    const text = t('{name} requested a review, {time}', {
      name: personIn(talk, request.author_id, session),
      time: timeWord(request.date_created, session),
    })
    return [{ text, style: bold }, ...linesOf(request.note), { text: '' }]
  }
  if (request?.status !== 'returned') return []
  const text = t('{name} sent it back, {time}', {
    name: personIn(talk, request.answered_by, session),
    time: timeWord(request.answered_at, session),
  })
  return [{ text, style: bold }, ...linesOf(request.answer), { text: '' }]
}

/** Shows the comments on an entry and the state of its review. */
export function talkScreen<S>(session: Session, shell: Shell<S>, id: string, title: string): void {
  shell.work(reads, async () => {
    const entry = await session.services.space.content.get(id)
    const talk = await talkOf(entry, session)
    const fields = (await modelOf(session)).fieldsOf.get(entry.datatype_id) ?? []
    const rowsOf = (comment: Comment, [head, text] = [bold, plain]): TextRow[] => {
      const about = fields.find(({ field_id }) => field_id === comment.field_id)?.label
      const who = personIn(talk, comment.author_id, session)
      const words = [about, comment.locale, who, timeWord(comment.date_created, session)]
        .filter(Boolean)
        .join(' · ')
      return [{ text: words, style: head }, ...linesOf(comment.body, text), { text: '' }]
    }
    const settled = talk.settled.flatMap(comment => rowsOf(comment, [dim, dim]))
    const rows = [
      ...requestRows(talk, session),
      ...talk.open.flatMap(comment => rowsOf(comment)),
      ...(settled.length > 0
        ? [{ text: t('{n} resolved', { n: talk.settled.length }), style: dim }, ...settled]
        : []),
    ]
    const nothing = [{ text: t('No comments yet.'), style: dim }]
    shell.open(pageView(t('Comments on {title}', { title }), rows.length > 0 ? rows : nothing))
  })
}
