import { MediaUpdate } from '../services/media/input.js'
import { tagsIn } from '../services/media/tags.js'
import type { Choice, Texts } from './form-field.js'
import { type ResourceParts, resource } from './resource.js'
import { translationFields, withTranslations } from './translations.js'

const tenths = (language: string) =>
  new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false })

/** Returns a size in words. */
export const sizeWords = (bytes: number, language = 'en'): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 2 ** 20
      ? `${Math.round(bytes / 1024)} kB`
      : `${tenths(language).format(bytes / 2 ** 20)} MB`

export interface Folder {
  readonly folder_id: string
  readonly name: string
  readonly children: readonly Folder[]
}

/** Returns folders as choices, each with the names of its parents. */
export function folderChoices(folders: readonly Folder[]): Choice[] {
  const choices: Choice[] = []
  const open = folders.map(folder => ({ folder, word: folder.name })).toReversed()
  for (let at = open.pop(); at; at = open.pop()) {
    const { folder, word } = at
    choices.push({ value: folder.folder_id, word })
    const inside = folder.children.map(child => ({ folder: child, word: `${word} / ${child.name}` }))
    open.push(...inside.toReversed())
  }
  return choices
}

const withTags = ({ tags, ...texts }: Texts): Texts =>
  tags === undefined ? texts : { ...texts, tags: tagsIn(String(tags)) }

/** Media: files with their texts. */
export const mediaResource = (parts: ResourceParts) => {
  const { items, folders } = parts.services.media
  return resource({
    title: 'Media',
    one: 'file',
    words: { delete: 'Delete file' },
    access: { read: 'media:read', update: 'media:update', remove: 'media:delete' },
    service: {
      list: (where: Parameters<typeof items.list>[0], { newestFirst = false, ...slice }) =>
        items.list(where, { ...slice, newest: newestFirst }),
      count: (where: Parameters<typeof items.count>[0]) => items.count(where),
      get: items.get.bind(items),
      update: items.update.bind(items),
      remove: items.remove.bind(items),
    },
    key: 'media_id',
    nameOf: ({ display_name, name }) => display_name || name,
    empty: 'No files yet.',
    columns: [
      { label: 'Name', of: ({ display_name, name }) => display_name || name },
      { label: 'Type', of: ({ mimetype }) => mimetype },
      { label: 'Size', of: ({ size }) => sizeWords(size) },
      { label: 'Pixels', of: ({ width, height }) => (width ? `${width}×${height}` : '') },
      { label: 'Uploaded', of: ({ date_created }) => ({ at: date_created }), room: 'much' },
    ],
    update: MediaUpdate,
    deletes: (_file, { t }) => t('You can delete it only if no content uses it. This cannot be undone.'),
    fields: async (record, viewer) => [
      { name: 'alt_text', label: viewer.t('Alt text'), hint: viewer.t('describe it; empty if decorative') },
      { name: 'display_name', label: viewer.t('Name') },
      { name: 'caption', label: viewer.t('Caption') },
      { name: 'description', label: viewer.t('Description'), kind: 'lines' },
      {
        name: 'folder_id',
        label: viewer.t('Folder'),
        kind: 'choice',
        none: viewer.t('None'),
        choices: folderChoices(await folders.tree()),
      },
      {
        name: 'tags',
        label: viewer.t('Tags'),
        hint: viewer.t('separate them with commas'),
        value: (record?.tags ?? []).join(', '),
      },
      ...(record?.width
        ? ([
            {
              name: 'focal_x',
              label: viewer.t('Focal point from the left'),
              kind: 'number',
              hint: viewer.t('0 to 100'),
            },
            {
              name: 'focal_y',
              label: viewer.t('Focal point from the top'),
              kind: 'number',
              hint: viewer.t('0 to 100'),
              beside: true,
            },
          ] as const)
        : []),
      ...(await translationFields(
        parts,
        record?.translations ?? {},
        [
          { member: 'alt_text', label: viewer.t('Alt text') },
          { member: 'display_name', label: viewer.t('Name') },
          { member: 'caption', label: viewer.t('Caption'), beside: true },
        ],
        viewer,
      )),
    ],
    prepare: texts => withTranslations(withTags(texts)),
  })
}
