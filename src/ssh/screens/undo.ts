import { changedMeanwhile } from '../../errors.js'
import { all, type Entry } from '../../resources/entries.js'
import { entryMark, unlessEdited } from '../../resources/entry-mark.js'
import { onEach } from '../../resources/several.js'
import { trashedIds } from '../../resources/views/trash.js'
import { count, t } from '../../texts/terminal.js'
import type { Session } from '../session.js'

/** The deletion of an entry, which is in the trash. @returns whether `z` undoes it */
export async function undoDeletion(session: Session, id: string, title: string): Promise<boolean> {
  const { trash } = session.services.space
  const [deleted] = await all(trash.list({ content_data_id: id }, { limit: 1 }))
  session.undo.last = deleted && {
    access: 'content:delete',
    async run() {
      await trash.restore(session.actor, deleted.trash_id)
      return t('“{title}” is back.', { title })
    },
  }
  return deleted !== undefined
}

/** The deletion of several entries, as far as they are in the trash. @returns whether `z` undoes it */
export async function undoDeletions(session: Session, ids: readonly string[]): Promise<boolean> {
  const { trash } = session.services.space
  const deleted = await trashedIds(ids, session)
  session.undo.last =
    deleted.length === 0
      ? undefined
      : {
          access: 'content:delete',
          async run() {
            const { actor } = session
            const refused = await onEach(deleted, id => trash.restore(actor, id))
            const [first] = refused.values()
            const n = deleted.length - refused.size
            if (first && n === 0) throw first
            const back = count(n, '{n} entry is back.', '{n} entries are back.')
            return first ? `${back} ${first.message}` : back
          },
        }
  return deleted.length > 0
}

/**
 * The move of an entry. It goes back only if nobody has edited or moved it since.
 * @param before the entry at its place before, and its position among the entries there
 */
export async function undoMove(
  session: Session,
  before: { readonly entry: Entry; readonly position: number },
  title: string,
): Promise<void> {
  const { content } = session.services.space
  const { content_data_id, parent_id } = before.entry
  if (parent_id === null) return
  const after = await content.get(content_data_id)
  const place = ({ parent_id: parent, sort_order }: Entry) => `${parent} ${sort_order}`
  session.undo.last = {
    access: 'content:update',
    async run() {
      const move = { content_data_id, parent_id, position: before.position }
      await content.move(session.actor, move, now => {
        unlessEdited(entryMark(after))(now)
        if (place(now) !== place(after)) throw changedMeanwhile()
      })
      return t('“{title}” is back in its old position.', { title })
    },
  }
}

/** The first publication of an entry with everything under it. */
export async function undoPublication(session: Session, id: string, title: string): Promise<void> {
  const { undoing } = session.services.space
  const after = await undoing.mark(id, 'publish')
  session.undo.last = {
    access: 'content:publish',
    async run() {
      await undoing.undo(session.actor, id, { what: 'publish', ...after }, false)
      return t('“{title}” is a draft again.', { title })
    },
  }
}
