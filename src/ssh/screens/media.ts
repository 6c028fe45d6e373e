import { folderChoices, mediaResource, sizeWords } from '../../resources/media.js'
import { entriesIn } from '../../resources/views/audit-subjects.js'
import type { MediaRecord } from '../../services/media/record.js'
import { count, t } from '../../texts/terminal.js'
import { resourceView } from '../resource.js'
import type { ListState } from '../screen/list-spec.js'
import { pickView } from '../screen/over.js'
import { pageView } from '../screen/page.js'
import type { AnyView, Shell } from '../screen/view.js'
import type { Session } from '../session.js'
import { entryScreen } from './entry.js'
import { pictureView } from './picture.js'
import { askOnce, type Item, unmark } from './several.js'

type Files = Shell<ListState<MediaRecord>>

const nameOf = ({ display_name, name }: MediaRecord): string => display_name || name
const itemOf = (file: MediaRecord): Item => ({
  key: file.media_id,
  id: file.media_id,
  title: nameOf(file),
})

/** Moves files together into a folder, or out of all folders. */
function askMove(session: Session, shell: Files, files: readonly MediaRecord[]): void {
  const { items, folders } = session.services.media
  const n = files.length
  const media_ids = files.map(({ media_id }) => media_id)
  shell.work('media:update', async () => {
    const choices = [{ value: '', word: t('None') }, ...folderChoices(await folders.tree())]
    shell.open(
      pickView({
        title: count(n, 'Move {n} file', 'Move {n} files'),
        choices,
        picked: ([folder_id]) =>
          shell.work('media:update', async () => {
            await items.move(session.actor, { media_ids, folder_id: folder_id || null })
            unmark(shell, media_ids)
            shell.say(count(n, '{n} file moved.', '{n} files moved.'))
          }),
      }),
    )
  })
}

const askDelete = (session: Session, shell: Files, files: readonly MediaRecord[]): void =>
  askOnce(session, shell, files.map(itemOf), {
    title: t('Delete'),
    access: 'media:delete',
    word: t('delete'),
    question: () =>
      [
        count(files.length, 'Delete {n} file?', 'Delete {n} files?'),
        t('Files that content uses are not deleted. This cannot be undone.'),
      ].join('\n'),
    act: (actor, id) => session.services.media.items.remove(actor, id),
    done: n => count(n, '{n} file deleted.', '{n} files deleted.'),
    refused: n => count(n, '{n} file was not deleted.', '{n} files were not deleted.'),
  })

/** Media files and their texts; pictures can be viewed at their addresses. */
export function mediaScreen(session: Session, folder?: { folder_id: string; word: string }): AnyView {
  const { items } = session.services.media
  return resourceView(session, {
    ...mediaResource(session),
    byAge: t('Uploaded'),
    ...(folder ? { title: folder.word, where: { folder_id: folder.folder_id } } : {}),
    empty: t('No files yet. Upload files by SFTP, in the panel or with the API.'),
    says: ({ url }) => [url],
    removeSeveral: (shell, files) => askDelete(session, shell, files),
    listKeys: [
      {
        key: 'v',
        does: t('view'),
        run: (shell, file) => {
          const { media_id, mimetype, size, width, height, url } = file
          shell.open(
            pictureView(session, {
              ...{ media_id, url, name: nameOf(file) },
              facts: [mimetype, sizeWords(size), width ? `${width}×${height}` : '']
                .filter(Boolean)
                .join(' · '),
            }),
          )
        },
      },
      {
        key: 'w',
        does: t('used by'),
        run: (shell, { media_id }) =>
          shell.work('media:read', async () => {
            const uses = await items.references(session.actor, media_id)
            const [first] = uses
            // Only people who may change content see what is not public of its names.
            const ids = session.can('content:update') ? uses.map(one => one.content_data_id) : []
            const known = await entriesIn(ids, session)
            const rows = uses.map(({ content_data_id, field_id, locale }) => ({
              text: [
                known?.titles.get(content_data_id) ?? content_data_id,
                known?.fields.get(field_id)?.label,
                locale,
              ]
                .filter(Boolean)
                .join(' · '),
            }))
            shell.open(
              pageView(
                t('Used by'),
                rows.length > 0 ? rows : [{ text: t('Nothing uses it.') }],
                first && session.can('content:update')
                  ? [
                      {
                        key: 'e',
                        does: t('open the first'),
                        run: inner => inner.open(entryScreen(session, first.content_data_id)),
                      },
                    ]
                  : [],
              ),
            )
          }),
      },
      {
        key: 'm',
        does: t('move to a folder'),
        access: 'media:update',
        run: (shell, file) => askMove(session, shell, [file]),
        several: (shell, files) => askMove(session, shell, files),
      },
    ],
  })
}
