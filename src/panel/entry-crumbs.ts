import { type Entry, nameOf } from '../resources/entries.js'
import type { PanelContext } from './context.js'
import type { Crumb } from './layout.js'
import type { View } from './view.js'
import { contentPath, entryPath } from './work-table.js'

/** Returns the breadcrumbs of an entry: the list, and the page of a block. */
export async function crumbsTo(entry: Entry, context: PanelContext, { t }: View): Promise<Crumb[]> {
  const list = { word: t('Content'), path: contentPath }
  if (entry.parent_id === null) return [list]
  const root = await context.services.space.content.get(entry.root_id)
  return [list, { word: await nameOf(root, context), path: entryPath(root.content_data_id) }]
}

/** Returns the breadcrumbs of a page about an entry, which end with the entry. */
export async function crumbsOf(id: string, context: PanelContext, view: View): Promise<[...Crumb[], Crumb]> {
  const entry = await context.services.space.content.get(id)
  const own = { word: await nameOf(entry, context), path: entryPath(id) }
  return [...(await crumbsTo(entry, context, view)), own]
}
