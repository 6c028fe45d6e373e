import { trashedIds } from '../resources/views/trash.js'
import type { PanelContext } from './context.js'
import { saved } from './pages.js'

/** Returns the path of a page that offers to undo the deletion of these entries. */
export async function withUndo(
  path: string,
  entries: readonly string[],
  context: PanelContext,
): Promise<string> {
  const ids = await trashedIds(entries, context)
  if (ids.length === 0) return saved(path)
  return `${path}${path.includes('?') ? '&' : '?'}deleted=${ids.join('.')}`
}
