import { idParam } from '../middleware/context.js'
import { type Folder, folderChoices } from '../resources/media.js'
import { MediaFolderCreate } from '../services/media/folders.js'
import type { PanelContext } from './context.js'
import { Fields } from './controls.js'
import { type Pages, saved } from './pages.js'
import { Form, Icon, Submit } from './parts.js'
import { panelActor, type View } from './view.js'

export function nameOfFolder(tree: readonly Folder[], id: string): string {
  if (id === 'root') return 'Media'
  return folderChoices(tree).find(({ value }) => value === id)?.word ?? 'Media'
}

const FolderRows = ({ view, tree, folder }: { view: View; tree: readonly Folder[]; folder: string }) => (
  <ul class="folders">
    {tree.map(({ folder_id, name, children }) => (
      <li>
        <a
          class="node"
          href={`${view.base}/media?folder=${folder_id}`}
          aria-current={folder === folder_id ? 'page' : undefined}
        >
          <Icon view={view} name="folder" />
          <span class="label">{name}</span>
        </a>
        {children.length > 0 && <FolderRows view={view} tree={children} folder={folder} />}
      </li>
    ))}
  </ul>
)

/** The folders at the left of the library. */
export const Folders = ({ view, tree, folder }: { view: View; tree: readonly Folder[]; folder: string }) => (
  <>
    <div class="pane-head">
      <h2>Folders</h2>
    </div>
    <div class="nodes">
      <a class="node" href={`${view.base}/media`} aria-current={folder === 'root' ? 'page' : undefined}>
        <Icon view={view} name="media" />
        <span class="label">In no folder</span>
      </a>
      <FolderRows view={view} tree={tree} folder={folder} />
      {view.can('media:create') && (
        <details class="new-folder">
          <summary>New folder</summary>
          <Form view={view} action="/media-folders">
            <input type="hidden" name="parent_id" value={folder === 'root' ? '' : folder} />
            <Fields view={view} fields={[{ name: 'name', label: 'Name', required: true }]} />
            <Submit>Create</Submit>
          </Form>
        </details>
      )}
      {folder !== 'root' && view.can('media:delete') && (
        <Form view={view} action={`/media-folders/${folder}/delete`}>
          <Submit kind="bare">Delete this folder</Submit>
        </Form>
      )}
    </div>
  </>
)

/** Making and deleting folders. */
export function folderActions({ submit, act }: Pages, context: PanelContext): void {
  const { folders } = context.services.media
  submit('/media-folders', 'media:create', MediaFolderCreate, c => ({
    names: [],
    async save({ body }) {
      const { folder_id } = await folders.create(panelActor(c), body)
      return saved(`/media?folder=${folder_id}`)
    },
  }))
  act('/media-folders/:folder_id/delete', 'media:delete', async c => {
    await folders.remove(panelActor(c), idParam(c, 'folder_id'))
    return saved('/media')
  })
}
