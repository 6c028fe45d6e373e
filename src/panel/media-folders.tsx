import { notFound } from '../errors.js'
import { idParam } from '../middleware/context.js'
import { type Folder, folderChoices } from '../resources/media.js'
import { MediaFolderCreate, MediaFolderUpdate } from '../services/media/folders.js'
import type { Wording } from '../texts/wording.js'
import type { PanelContext } from './context.js'
import { Fields } from './controls.js'
import { TitledPage } from './layout.js'
import { type Pages, saved } from './pages.js'
import { Act, Form, Icon, Submit } from './parts.js'
import { panelActor, type View } from './view.js'

const Renamed = MediaFolderUpdate.pick({ name: true }).required()

const places = [
  ['', 'All files'],
  ['root', 'Not in a folder'],
] as const

export function nameOfFolder(tree: readonly Folder[], id: string, { t }: Wording): string {
  const choices = [...places.map(([value, word]) => ({ value, word: t(word) })), ...folderChoices(tree)]
  return choices.find(({ value }) => value === id)?.word ?? t('Media')
}

const FolderRows = ({ view, tree, folder }: { view: View; tree: readonly Folder[]; folder: string }) => (
  <ul class="folders">
    {tree.map(({ folder_id, name, children }) => (
      <li>
        <a
          class="node"
          href={`${view.base}/media?folder=${folder_id}`}
          data-folder={folder_id}
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

/** The folders on the left of the library. */
export function Folders({ view, tree, folder }: { view: View; tree: readonly Folder[]; folder: string }) {
  const isFolder = places.every(([value]) => value !== folder)
  return (
    <>
      <div class="pane-head">
        <h2>{view.t('Folders')}</h2>
      </div>
      <div class="nodes">
        {places.map(([value, word]) => (
          <a
            class="node"
            href={`${view.base}/media${value && `?folder=${value}`}`}
            data-folder={value === 'root' ? '' : undefined}
            aria-current={folder === value ? 'page' : undefined}
          >
            <Icon view={view} name="media" />
            <span class="label">{view.t(word)}</span>
          </a>
        ))}
        <FolderRows view={view} tree={tree} folder={folder} />
        {view.can('media:create') && (
          <details class="new-folder">
            <summary>{view.t('New folder')}</summary>
            <Form view={view} action="/media-folders">
              <input type="hidden" name="parent_id" value={folder === 'root' ? '' : folder} />
              <Fields view={view} fields={[{ name: 'name', label: view.t('Name'), required: true }]} />
              <Submit>{view.t('Create')}</Submit>
            </Form>
          </details>
        )}
        {isFolder && view.can('media:update') && (
          <details class="new-folder">
            <summary>{view.t('Rename this folder')}</summary>
            <Form view={view} action={`/media-folders/${folder}`}>
              <label class="field">
                {view.t('New name')}
                <input class="input" name="name" required value={folderNamed(tree, folder)?.name ?? ''} />
              </label>
              <Submit>{view.t('Rename')}</Submit>
            </Form>
          </details>
        )}
        {isFolder && view.can('media:delete') && (
          <a class="button bare" href={`${view.base}/media-folders/${folder}/delete`}>
            {view.t('Delete this folder…')}
          </a>
        )}
      </div>
    </>
  )
}

function folderNamed(tree: readonly Folder[], id: string): Folder | undefined {
  const open = [...tree]
  for (let at = open.pop(); at; at = open.pop()) {
    if (at.folder_id === id) return at
    open.push(...at.children)
  }
  return undefined
}

/** Says what is in a folder, and what to do first. */
function contentWords({ t, count }: Wording, files: number, folders: number): string {
  const inFiles = count(files, '{n} file', '{n} files')
  const inFolders = count(folders, '{n} folder', '{n} folders')
  if (folders === 0) return t('The folder contains {files}. Move or delete them first.', { files: inFiles })
  if (files === 0)
    return t('The folder contains {folders}. Move or delete them first.', { folders: inFolders })
  return t('The folder contains {files} and {folders}. Move or delete them first.', {
    files: inFiles,
    folders: inFolders,
  })
}

const Question = ({ view, folder, files }: { view: View; folder: Folder; files: number }) => {
  const { folder_id, name, children } = folder
  const path = `/media?folder=${folder_id}`
  const isEmpty = files === 0 && children.length === 0
  return (
    <TitledPage
      view={view}
      title={view.t('Delete “{name}”?', { name })}
      crumbs={[{ word: view.t('Media'), path }]}
      column
    >
      <p class="lead">
        {isEmpty
          ? view.t('The folder is empty. This cannot be undone.')
          : contentWords(view, files, children.length)}
      </p>
      <div class="actions">
        {isEmpty && (
          <Act view={view} action={`/media-folders/${folder_id}/delete`} kind="bad">
            {view.t('Delete')}
          </Act>
        )}
        <a class="button bare" href={`${view.base}${path}`}>
          {isEmpty ? view.t('Cancel') : view.t('Back to the folder')}
        </a>
      </div>
    </TitledPage>
  )
}

/** Actions that create, rename and delete folders. */
export function folderActions({ get, submit, act }: Pages, context: PanelContext): void {
  const { folders, items } = context.services.media
  const at = '/media-folders/:folder_id'
  submit('/media-folders', 'media:create', MediaFolderCreate, c => ({
    names: [],
    async save({ body }) {
      const { folder_id } = await folders.create(panelActor(c), body)
      return saved(`/media?folder=${folder_id}`)
    },
  }))
  submit(at, 'media:update', Renamed, c => ({
    names: [],
    async save({ body }) {
      const { folder_id } = await folders.update(panelActor(c), idParam(c, 'folder_id'), body)
      return saved(`/media?folder=${folder_id}`)
    },
  }))
  get(`${at}/delete`, 'media:delete', async (view, c) => {
    const { folder_id } = await folders.get(idParam(c, 'folder_id'))
    const folder = folderNamed((await folders.tree()) as Folder[], folder_id)
    if (!folder) throw notFound()
    return <Question view={view} folder={folder} files={await items.count({ folder_id })} />
  })
  act(`${at}/delete`, 'media:delete', async c => {
    await folders.remove(panelActor(c), idParam(c, 'folder_id'))
    return saved('/media')
  })
}
