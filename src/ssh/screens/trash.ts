import { type TrashRow, trashIsEmpty, trashRow, trashRows } from '../../resources/views/trash.js'
import { resourceView } from '../resource.js'
import type { AnyView } from '../screen/view.js'
import type { Session } from '../session.js'

/** Deleted content, the newest first. */
export function trashScreen(session: Session): AnyView {
  const { trash } = session.services.space
  return resourceView<TrashRow>(session, {
    title: 'Trash',
    one: 'deleted entry',
    access: { read: 'content:update', remove: 'content:delete' },
    service: {
      async *list(_where: never, slice) {
        yield await trashRows(session, slice, session)
      },
      count: () => trash.count({}),
      get: id => trashRow(id, session, session),
      remove: (actor, id) => trash.remove(actor, id),
    },
    key: 'id',
    nameOf: ({ title }) => title,
    empty: trashIsEmpty,
    columns: [
      { label: 'Title', of: ({ title }) => title },
      { label: 'Address', of: ({ address }) => ({ code: address }), room: 'much' },
      { label: 'Entries', of: ({ entries }) => entries, room: 'much' },
      { label: 'Deleted by', of: ({ by }) => by },
      { label: 'Deleted', of: ({ at }) => ({ at }) },
    ],
    deletes: () => 'It is deleted permanently. This cannot be undone.',
    listKeys: [
      {
        key: 'r',
        does: 'restore',
        access: 'content:delete',
        run: (shell, { id, title }) =>
          shell.work('content:delete', async () => {
            await trash.restore(session.actor, id)
            shell.set(state => ({
              ...state,
              records: state.records.filter(row => row.id !== id),
              total: state.total - 1,
            }))
            shell.say(`“${title}” is restored.`)
          }),
      },
    ],
    fields: async record => [
      { name: 'title', label: 'Title', kind: 'fixed', value: record?.title ?? '' },
      { name: 'kind', label: 'Datatype', kind: 'fixed', value: record?.kind ?? '' },
      { name: 'address', label: 'Address', kind: 'fixed', value: record?.address ?? '' },
      { name: 'until', label: 'Kept until', kind: 'fixed', value: record?.until ?? '' },
    ],
  })
}
