import type { EntryRow } from '../../db/tables.js'

/** An entry with the entries of the request that are under it; `children` is missing if there are no such entries. */
export type EntryTree = EntryRow & { children?: EntryTree[] }

/** Entries of one request as trees. @param entries the first is the root, and parents come before what is under them */
export function nested(entries: readonly EntryRow[]): EntryTree {
  const trees = new Map<string, EntryTree>()
  for (const entry of entries) {
    const tree = { ...entry }
    const parent = trees.get(entry.parent_id ?? '')
    if (parent?.children) parent.children.push(tree)
    else if (parent) parent.children = [tree]
    trees.set(entry.content_data_id, tree)
  }
  return trees.values().next().value as EntryTree
}

/** The entry as it is read later. */
export const withoutChildren = ({ children: _, ...entry }: EntryTree): EntryRow => entry
