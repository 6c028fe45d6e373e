import { notFound } from '../../errors.js'
import { all, type Entry } from '../../resources/entries.js'
import { entryRemovalOf, removeEntry } from '../../resources/removal.js'
import { publicationOf, publishQuestion } from '../../resources/views/publication.js'
import { count, t } from '../../texts/terminal.js'
import type { ListKey, ListState } from '../screen/list-spec.js'
import type { Shell } from '../screen/view.js'
import type { Session } from '../session.js'
import { undoWords } from './publish.js'
import { scheduleScreen, scheduleSeveral } from './schedule.js'
import { askOnce, type Item } from './several.js'
import { undoDeletions, undoPublication } from './undo.js'

interface Row {
  /** Undefined for an address without a page. */
  readonly root: Entry | undefined
  readonly title: string
}

type Ask<P> = (session: Session, shell: Shell<ListState<P>>, items: readonly Item[]) => void

const refusedWords = (n: number): string =>
  count(n, '{n} entry was rejected and has not changed.', '{n} entries were rejected and have not changed.')

/** Publishes trees. Only the first publication of a single one can be undone. */
export function askPublish<P>(session: Session, shell: Shell<ListState<P>>, items: readonly Item[]): void {
  const n = items.length
  const [first] = items
  let isFirst = false
  askOnce(session, shell, items, {
    title: t('Publish'),
    access: 'content:publish',
    word: t('publish'),
    async question() {
      if (!first || n > 1)
        return [
          count(n, 'Publish {n} entry?', 'Publish {n} entries?'),
          t('Everything under them is published too.'),
        ].join('\n')
      const reach = await publicationOf(first.id, session)
      isFirst = reach.drafts === reach.entries
      return publishQuestion({ ...reach, title: first.title })
    },
    act: (actor, id) => session.services.space.publishing.publish(actor, { content_data_id: id }),
    done: done => count(done, '{n} entry published.', '{n} entries published.'),
    refused: refusedWords,
    async after() {
      session.undo.last = undefined
      if (!first || !isFirst) return ''
      await undoPublication(session, first.id, first.title)
      return undoWords
    },
  })
}

export function askUnpublish<P>(session: Session, shell: Shell<ListState<P>>, items: readonly Item[]): void {
  const n = items.length
  askOnce(session, shell, items, {
    title: t('Unpublish'),
    access: 'content:publish',
    word: t('unpublish'),
    question: () =>
      n === 1
        ? t('“{title}” and everything under it are no longer public.', { title: items[0]?.title ?? '' })
        : [
            count(n, 'Unpublish {n} entry?', 'Unpublish {n} entries?'),
            t('They and everything under them are no longer public.'),
          ].join('\n'),
    act: (actor, id) => session.services.space.publishing.unpublish(actor, id),
    done: done => count(done, '{n} entry unpublished.', '{n} entries unpublished.'),
    refused: refusedWords,
  })
}

/** Deletes trees into the trash, after a question that lists what goes with them. */
export function askDelete<P>(session: Session, shell: Shell<ListState<P>>, items: readonly Item[]): void {
  const { content } = session.services.space
  askOnce(session, shell, items, {
    title: t('Delete'),
    access: 'content:delete',
    word: t('delete'),
    async question() {
      const entries = await all(content.list({ content_data_id: items.map(({ id }) => id) }, {}))
      const n = entries.length
      if (n === 0) throw notFound()
      const question =
        items.length === 1
          ? t('Delete “{name}”?', { name: items[0]?.title ?? '' })
          : count(n, 'Delete {n} entry?', 'Delete {n} entries?')
      return `${question}\n${await entryRemovalOf(session, entries, session)}`
    },
    act: (actor, id) => removeEntry(session, actor, id),
    done: done => count(done, '{n} entry deleted.', '{n} entries deleted.'),
    refused: refusedWords,
    after: async ids => ((await undoDeletions(session, ids)) ? undoWords : ''),
  })
}

export function askSchedule<P>(session: Session, shell: Shell<ListState<P>>, items: readonly Item[]): void {
  const [first] = items
  if (first && items.length === 1) shell.open(scheduleScreen(session, first.id, first.title))
  else shell.open(scheduleSeveral(session, shell, items, refusedWords))
}

/** Keys that publish, schedule, unpublish and delete the selected tree of a list, or all that are marked. */
export function treesKeys<P extends Row>(session: Session, keyOf: (row: P) => string): ListKey<P>[] {
  const itemsOf = (rows: readonly P[]): Item[] =>
    rows.flatMap(row =>
      row.root ? [{ key: keyOf(row), id: row.root.content_data_id, title: row.title }] : [],
    )
  const keyFor = (key: string, does: string, access: string, ask: Ask<P>): ListKey<P> => ({
    ...{ key, does, access },
    run(shell, row) {
      const items = itemsOf([row])
      if (items.length > 0) ask(session, shell, items)
      else shell.complain(t('There is no entry in this row.'))
    },
    several: (shell, rows) => ask(session, shell, itemsOf(rows)),
  })
  return [
    keyFor('p', t('publish'), 'content:publish', askPublish),
    keyFor('U', t('unpublish'), 'content:publish', askUnpublish),
    keyFor('s', t('schedule'), 'content:publish', askSchedule),
    keyFor('x', t('delete'), 'content:delete', askDelete),
  ].filter(({ access }) => access === undefined || session.can(access))
}
