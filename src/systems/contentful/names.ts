import { isUlid, storedId } from '../../ids.js'
import type { CompatSite } from '../../services/delivery/compat/compat.js'
import { isObject } from '../imports.js'
import { idsIn, sourcesIn } from '../source-names.js'

const system = 'contentful'
const kinds = { entry: 'Entry', asset: 'Asset' } as const

/** The ids that records had in Contentful, by those here. */
export const contentfulIds = (
  site: CompatSite,
  records: { readonly entries?: Iterable<string>; readonly media?: Iterable<string> },
): Promise<ReadonlyMap<string, string>> => idsIn(site, system, records)

/** The ids here of records by those of Contentful or here, in their order; undefined for an invalid id. */
export async function ownIds(
  site: CompatSite,
  ids: readonly string[],
  kind: 'entry' | 'asset' | 'any',
): Promise<(string | undefined)[]> {
  const wanted = kind === 'any' ? Object.values(kinds) : [kinds[kind]]
  const sources = ids.flatMap(id => wanted.map(kind => ({ kind, id })))
  const known = new Map<string, string>()
  for (const [{ id }, { content_data_id, media_id }] of await sourcesIn(site, system).records(sources)) {
    const record = content_data_id ?? media_id
    if (record) known.set(id, known.get(id) ?? record)
  }
  return ids.map(id => known.get(id) ?? (isUlid(storedId(id)) ? storedId(id) : undefined))
}

const named: ReadonlySet<unknown> = new Set(['Link', 'Entry', 'Asset', 'DeletedEntry', 'DeletedAsset'])

/** Puts ids of Contentful in place of ours, within an object that nothing else has. Returns it. */
export function renamed<T>(value: T, ids: ReadonlyMap<string, string>): T {
  if (ids.size === 0) return value
  const visit = (one: unknown): void => {
    if (Array.isArray(one)) for (const part of one) visit(part)
    if (!isObject(one)) return
    const { sys } = one as { readonly sys?: { type?: unknown; id?: unknown } }
    if (isObject(sys) && named.has(sys.type) && typeof sys.id === 'string') {
      const id = ids.get(sys.id)
      if (id !== undefined) Object.assign(sys, { id })
    }
    for (const part of Object.values(one)) visit(part)
  }
  visit(value)
  return value
}
