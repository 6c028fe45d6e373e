import { type UndoMark, undoable } from '../services/content/undo.js'
import type { PanelContext } from './context.js'

/** Returns the path of a page that offers to undo what has just been done to an entry. */
export async function withUndoOf(
  path: string,
  what: UndoMark['what'],
  id: string,
  { services }: PanelContext,
): Promise<string> {
  const { revision, version } = await services.space.undoing.mark(id, what)
  return `${path}${path.includes('?') ? '&' : '?'}undo=${what}.${revision}.${version}`
}

/** Returns the mark in the address of such a page, or in its form. */
export function undoMarkIn(given: string | undefined): UndoMark | undefined {
  const [name, revision = '', version = ''] = given?.split('.') ?? []
  const what = undoable.find(one => one === name)
  if (!what || !/^\d{1,15}$/.test(revision) || !/^\d{1,15}$/.test(version)) return undefined
  return { what, revision: Number(revision), version: Number(version) }
}

export const undoText = ({ what, revision, version }: UndoMark): string => `${what}.${revision}.${version}`
