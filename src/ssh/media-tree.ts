import type { Actor } from '../actor.js'
import { visible } from '../cli/visible.js'
import { missingPermission, notFound } from '../errors.js'
import { limits } from '../limits.js'
import type { MediaRecord } from '../services/media/record.js'
import type { Site } from './terminal.js'

/** A folder or a file at a path. */
export type MediaNode =
  | { readonly kind: 'folder'; readonly name: string; readonly id: string | null }
  | { readonly kind: 'file'; readonly name: string; readonly item: Item }

type Item = Pick<
  ReturnType<(typeof MediaRecord)['parse']>,
  'media_id' | 'name' | 'size' | 'mimetype' | 'date_modified'
>

interface Folders {
  readonly folder_id: string
  readonly name: string
  readonly children: readonly Folders[]
}

/** The most items of one folder that clients see: a client holds all of them in memory. */
const maxItems = limits.ssh.listedItems
/** Characters of an id at the end of a name, which distinguish two files of one folder with equal names. */
const idLength = 8

const shownName = (name: string): string => visible(name).replaceAll(/[/\n\t]/g, '_')

/** Splits a path, without `.`, `..` and empty parts; nothing is above its root. */
export function partsOf(path: string): string[] {
  const parts: string[] = []
  for (const part of path.split('/'))
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  return parts
}

/** Names the files of a folder: the first with a name keeps it, further ones have their id in it too. */
function* named(items: Iterable<Item>): Generator<MediaNode> {
  const taken = new Set<string>()
  for (const item of items) {
    const plain = shownName(item.name)
    const dot = plain.lastIndexOf('.')
    const at = dot > 0 ? dot : plain.length
    const name = taken.has(plain)
      ? `${plain.slice(0, at)}~${item.media_id.slice(-idLength)}${plain.slice(at)}`
      : plain
    taken.add(plain)
    yield { kind: 'file', name, item }
  }
}

/** Media by paths, with the rights of an actor. Paths lead to nothing else. */
export class MediaTree {
  constructor(
    private readonly site: Site,
    private readonly actor: Actor,
  ) {}

  /** @throws 403 as the API does */
  async require(permission: `media:${string}`): Promise<void> {
    if (!(await this.site.services.access.can(this.actor, permission))) throw missingPermission(permission)
  }

  /** @throws 403, 404 */
  async find(path: string): Promise<MediaNode> {
    await this.require('media:read')
    const parts = partsOf(path)
    const last = parts.pop()
    const folder = await this.#folder(parts)
    if (last === undefined) return { kind: 'folder', name: '/', id: null }
    for await (const node of this.#inside(folder)) if (node.name === last) return node
    throw notFound()
  }

  /** Lists a folder, its folders first. @throws 403, 404 */
  async list(path: string): Promise<MediaNode[]> {
    await this.require('media:read')
    const nodes: MediaNode[] = []
    for await (const node of this.#inside(await this.#folder(partsOf(path)))) nodes.push(node)
    return nodes
  }

  /** Returns the folder and the name for a new file. @throws 403, 404, and 400 without a name */
  async place(path: string): Promise<{ folderId: string | null; name: string }> {
    await this.require('media:create')
    const parts = partsOf(path)
    const name = parts.pop()
    if (name === undefined) throw notFound()
    return { folderId: (await this.#folder(parts)).id, name }
  }

  async #folder(parts: readonly string[]): Promise<{ id: string | null; children: readonly Folders[] }> {
    let at: { id: string | null; children: readonly Folders[] } = {
      id: null,
      children: await this.site.services.media.folders.tree(),
    }
    for (const part of parts) {
      const next = at.children.find(({ name }) => shownName(name) === part)
      if (!next) throw notFound()
      at = { id: next.folder_id, children: next.children }
    }
    return at
  }

  async *#inside(folder: { id: string | null; children: readonly Folders[] }): AsyncGenerator<MediaNode> {
    const folders = new Set<string>()
    for (const { name, folder_id } of folder.children) {
      folders.add(shownName(name))
      yield { kind: 'folder', name: shownName(name), id: folder_id }
    }
    const found: Item[] = []
    const { items } = this.site.services.media
    for await (const some of items.list({ folder_id: folder.id ?? 'root' }, { limit: maxItems }))
      found.push(...some)
    for (const node of named(found)) if (!folders.has(node.name)) yield node
  }
}
