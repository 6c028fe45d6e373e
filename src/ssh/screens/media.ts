import { mediaResource, sizeWords } from '../../resources/media.js'
import { t } from '../../texts/terminal.js'
import { resourceView } from '../resource.js'
import { pageView } from '../screen/over.js'
import type { AnyView } from '../screen/view.js'
import type { Session } from '../session.js'
import { entryScreen } from './entry.js'
import { pictureView } from './picture.js'

/** Media files and their texts; pictures can be viewed at their addresses. */
export function mediaScreen(session: Session, folder?: { folder_id: string; word: string }): AnyView {
  const { items } = session.services.media
  return resourceView(session, {
    ...mediaResource(session),
    ...(folder ? { title: folder.word, where: { folder_id: folder.folder_id } } : {}),
    empty: t('No files yet. Upload files by SFTP, in the panel or with the API.'),
    says: ({ url }) => [url],
    listKeys: [
      {
        key: 'v',
        does: t('view'),
        run: (shell, { media_id, display_name, name, mimetype, size, width, height, url }) =>
          shell.open(
            pictureView(session, {
              ...{ media_id, url, name: display_name || name },
              facts: [mimetype, sizeWords(size), width ? `${width}×${height}` : '']
                .filter(Boolean)
                .join(' · '),
            }),
          ),
      },
      {
        key: 'w',
        does: t('used by'),
        run: (shell, { media_id }) =>
          shell.work('media:read', async () => {
            const uses = await items.references(session.actor, media_id)
            const [first] = uses
            const rows = uses.map(({ content_data_id, locale }) => ({
              text: [content_data_id, locale].filter(Boolean).join(' · '),
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
    ],
  })
}
