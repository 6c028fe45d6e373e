import { type TrashRow, trashIsEmpty, trashRow, trashRows } from '../../resources/views/trash.js'
import { t } from '../../texts/terminal.js'
import { resourceView } from '../resource.js'
import type { AnyView } from '../screen/view.js'
import type { Session } from '../session.js'

/** Deleted content, the newest first. */
export function trashScreen(session: Session): AnyView {
  const { trash } = session.services.space
  return resourceView<TrashRow>(session, {
    title: t('Trash'),
    one: t('deleted entry'),
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
    byAge: t('Deleted'),
    columns: [
      { label: t('Title'), of: ({ title }) => title },
      { label: t('Address'), of: ({ address }) => ({ code: address }), room: 'much' },
      { label: t('Entries'), of: ({ entries }) => entries, room: 'much' },
      { label: t('Deleted by'), of: ({ by }) => by },
      { label: t('Deleted'), of: ({ at }) => ({ at }) },
    ],
    deletes: () => t('It is deleted permanently. This cannot be undone.'),
    listKeys: [
      {
        key: 'r',
        does: t('restore'),
        access: 'content:delete',
        run: (shell, { id, title }) =>
          shell.work('content:delete', async () => {
            await trash.restore(session.actor, id)
            shell.set(state => ({
              ...state,
              records: state.records.filter(row => row.id !== id),
              total: state.total - 1,
            }))
            shell.say(t('“{title}” is restored.', { title }))
          }),
      },
    ],
    fields: async record => [
      { name: 'title', label: t('Title'), kind: 'fixed', value: record?.title ?? '' },
      { name: 'kind', label: t('Datatype'), kind: 'fixed', value: record?.kind ?? '' },
      { name: 'address', label: t('Address'), kind: 'fixed', value: record?.address ?? '' },
      { name: 'until', label: t('Kept until'), kind: 'fixed', value: record?.until ?? '' },
    ],
  })
}
