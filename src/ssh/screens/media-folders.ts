import { folderChoices } from '../../resources/media.js'
import { MediaFolderCreate, MediaFolderUpdate } from '../../services/media/folders.js'
import { resourceView } from '../resource.js'
import type { AnyView } from '../screen/view.js'
import type { Session } from '../session.js'
import { mediaScreen } from './media.js'

interface Row {
  readonly folder_id: string
  readonly name: string
  readonly parent_id: string | null
  readonly word?: string
}

/** Folders of the media library. */
export function mediaFoldersScreen(session: Session): AnyView {
  const { folders } = session.services.media
  const places = async () => folderChoices(await folders.tree())
  return resourceView<Row>(session, {
    title: 'Media folders',
    one: 'folder',
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
    empty: 'No folders yet.',
    columns: [{ label: 'Folder', of: ({ name, word }) => word ?? name }],
    create: MediaFolderCreate,
    update: MediaFolderUpdate,
    deletes: () => 'It is deleted only if it is empty. This cannot be undone.',
    listKeys: [
      {
        key: 'f',
        does: 'its files',
        run: (shell, { folder_id, name }) => shell.open(mediaScreen(session, { folder_id, word: name })),
      },
    ],
    fields: async record => [
      { name: 'name', label: 'Name', required: true },
      {
        name: 'parent_id',
        label: 'In',
        kind: 'choice',
        none: 'None',
        choices: (await places()).filter(({ value }) => value !== record?.folder_id),
      },
    ],
  })
}
