import { folderChoices } from '../../resources/media.js'
import { MediaFolderCreate, MediaFolderUpdate } from '../../services/media/folders.js'
import { t } from '../../texts/terminal.js'
import { resourceView } from '../resource.js'
import type { AnyView } from '../screen/view.js'
import type { Session } from '../session.js'
import { mediaScreen } from './media.js'

interface FolderRow {
  readonly folder_id: string
  readonly name: string
  readonly parent_id: string | null
  readonly word?: string
}

/** Folders of the media library. */
export function mediaFoldersScreen(session: Session): AnyView {
  const { folders } = session.services.media
  const places = async () => folderChoices(await folders.tree())
  return resourceView<FolderRow>(session, {
    title: t('Media folders'),
    one: t('folder'),
    access: { read: 'media:read', create: 'media:create', update: 'media:update', remove: 'media:delete' },
    service: {
      async *list(_where: never, { after }) {
        // They are read together, because they are nested.
        if (after === undefined)
          yield (await places()).map(({ value, word }) => ({
            folder_id: value,
            name: word,
            parent_id: null,
            word,
          }))
      },
      count: () => folders.count({}),
      get: id => folders.get(id),
      create: folders.create.bind(folders),
      update: folders.update.bind(folders),
      remove: folders.remove.bind(folders),
    },
    key: 'folder_id',
    nameOf: ({ name }) => name,
    empty: t('No folders yet.'),
    columns: [{ label: t('Folder'), of: ({ name, word }) => word ?? name }],
    create: MediaFolderCreate,
    update: MediaFolderUpdate,
    deletes: () => t('It is deleted only if it is empty. This cannot be undone.'),
    listKeys: [
      {
        key: 'f',
        does: t('its files'),
        run: (shell, { folder_id, name }) => shell.open(mediaScreen(session, { folder_id, word: name })),
      },
    ],
    fields: async record => [
      { name: 'name', label: t('Name'), required: true },
      {
        name: 'parent_id',
        label: t('Parent folder'),
        kind: 'choice',
        none: t('None'),
        choices: (await places()).filter(({ value }) => value !== record?.folder_id),
      },
    ],
  })
}
