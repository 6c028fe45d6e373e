import { z } from 'zod'
import { authorOf } from '../../actor.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { type ContentSpace, internalTables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { badRequest, conflict, duplicate, invalid, missingReference } from '../../errors.js'
import { limits } from '../../limits.js'
import { authorId, reference } from '../body-parts.js'
import { type Crud, crud } from '../crud.js'
import { label } from '../text.js'

const name = label().refine(value => !/[/\\]/.test(value), 'must not have "/" or "\\"')

export const MediaFolderCreate = z.object({
  name,
  parent_id: reference.nullable().default(null),
  author_id: authorId,
})
export const MediaFolderUpdate = z.object({
  name: name.optional(),
  parent_id: reference.nullable().optional(),
})

const maxDepth = limits.media.folderLevels

type Table = ContentSpace['mediaFolders']
type Folder = RowOf<Table>
type Create = z.output<typeof MediaFolderCreate>

type FolderTree = Pick<Folder, 'folder_id' | 'name' | 'parent_id'> & { children: FolderTree[] }

export interface MediaFolderService extends Crud<Table, Create, z.output<typeof MediaFolderUpdate>> {
  tree(): Promise<FolderTree[]>
}

interface Shape {
  readonly all: ReadonlyMap<string, Folder>
  readonly childrenOf: ReadonlyMap<string | null, readonly Folder[]>
}

function shapeOf(folders: readonly Folder[]): Shape {
  const childrenOf = new Map<string | null, Folder[]>()
  for (const folder of folders) {
    const siblings = childrenOf.get(folder.parent_id)
    if (siblings) siblings.push(folder)
    else childrenOf.set(folder.parent_id, [folder])
  }
  return { all: new Map(folders.map(folder => [folder.folder_id, folder])), childrenOf }
}

function depthOf({ all }: Shape, id: string | null): number {
  let depth = 0
  for (let at = id; at !== null && depth <= all.size; at = all.get(at)?.parent_id ?? null) depth++
  return depth
}

function heightOf({ childrenOf }: Shape, id: string): number {
  let height = 0
  for (let level = [id]; level.length > 0 && height <= maxDepth; height++)
    level = level.flatMap(id => (childrenOf.get(id) ?? []).map(({ folder_id }) => folder_id))
  return height
}

const isUnder = ({ all }: Shape, id: string, above: string): boolean => {
  for (let at: string | null = id; at !== null; at = all.get(at)?.parent_id ?? null)
    if (at === above) return true
  return false
}

const byName = (a: FolderTree, b: FolderTree): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : a.folder_id < b.folder_id ? -1 : 1

function treeUnder({ childrenOf }: Shape, parent: string | null): FolderTree[] {
  return (childrenOf.get(parent) ?? [])
    .map(({ folder_id, name, parent_id }) => ({
      folder_id,
      name,
      parent_id,
      children: treeUnder({ childrenOf, all: new Map() }, folder_id),
    }))
    .sort(byName)
}

/** Folders of media, at most ten inside each other. */
export function mediaFolders(db: Database, space: ContentSpace): MediaFolderService {
  const table = space.mediaFolders

  /** Changes of the shape run one after another, so that together they keep the limits that each keeps alone. */
  async function lockShape(tx: Writer): Promise<Shape> {
    await tx.lock(internalTables.locks, table.name)
    return shapeOf(await tx.findAll(table))
  }

  function refusePlace(shape: Shape, parent: string | null, height: number, doing: string): void {
    if (parent !== null && !shape.all.has(parent)) throw missingReference('parent_id', table.name)
    if (depthOf(shape, parent) + height > maxDepth)
      throw badRequest(`${doing} this folder would exceed maximum folder depth of ${maxDepth}`, 'parent_id')
  }

  function refuseName({ childrenOf }: Shape, parent: string | null, name: string, own?: string): void {
    const known = childrenOf.get(parent)?.find(folder => folder.name === name)
    if (known && known.folder_id !== own) throw duplicate(`there is a folder ${name} already`)
  }

  return {
    ...crud(db, table),
    async tree() {
      return treeUnder(shapeOf(await db.findAll(table)), null)
    },
    create: (actor, given) =>
      db.write(actor, async tx => {
        const shape = await lockShape(tx)
        refusePlace(shape, given.parent_id, 1, 'creating')
        refuseName(shape, given.parent_id, given.name)
        return tx.insert(table, { ...given, author_id: authorOf(actor, given.author_id) })
      }),
    update: (actor, id, patch, check) =>
      db.write(actor, async tx => {
        const shape = await lockShape(tx)
        const { after } = await tx.update(table, id, patch, before => {
          check?.(before)
          const parent = patch.parent_id === undefined ? before.parent_id : patch.parent_id
          if (parent !== before.parent_id) {
            if (parent !== null && isUnder(shape, parent, id))
              throw invalid('parent_id', 'a folder cannot be moved into itself')
            refusePlace(shape, parent, heightOf(shape, id), 'moving')
          }
          refuseName(shape, parent, patch.name ?? before.name, id)
        })
        return after
      }),
    remove: (actor, id, check) =>
      db.write(actor, async tx => {
        const shape = await lockShape(tx)
        await tx.remove(table, id, async before => {
          check?.(before)
          const folders = shape.childrenOf.get(id)?.length ?? 0
          const items = await tx.count(space.media, { folder_id: id })
          if (folders + items > 0)
            throw conflict(
              `cannot delete folder: contains ${folders} child folder(s) and ${items} media item(s)`,
            )
        })
      }),
  }
}
