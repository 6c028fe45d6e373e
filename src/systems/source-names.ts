import { SourceIds } from '../services/content/source-ids.js'
import type { CompatSite } from '../services/delivery/compat/compat.js'
import type { NamedRecords, RecordNames } from '../services/delivery/shown-documents.js'

/** The kind of ids that are no numbers. */
export const documentKind = 'document'

/** The ids that imported records had in a system, and the records by these. */
export const sourcesIn = ({ documents }: CompatSite, system: string): SourceIds =>
  new SourceIds(documents.read, system)

/** The first id that each record had in a system with one kind of ids for it, by the ids here. */
export async function idsIn(
  site: CompatSite,
  system: string,
  records: { readonly entries?: Iterable<string>; readonly media?: Iterable<string> },
): Promise<ReadonlyMap<string, string>> {
  const found = await sourcesIn(site, system).of(records)
  return new Map([...found].flatMap(([record, [first]]) => (first ? [[record, first.id] as const] : [])))
}

/** Names records as a system knows them that has numbers. */
export const namesIn =
  (site: CompatSite, system: string) =>
  async (records: NamedRecords): Promise<RecordNames> => {
    const numbers = new Map<string, number>()
    const ids = new Map<string, string>()
    for (const [record, sources] of await sourcesIn(site, system).of(records))
      for (const { kind, id } of sources)
        if (kind === documentKind) ids.set(record, ids.get(record) ?? id)
        else if (/^\d{1,15}$/.test(id)) numbers.set(record, numbers.get(record) ?? Number(id))
    return { numbers, ids }
  }
