import type { Services } from '../../services/index.js'
import type { Wording } from '../../texts/wording.js'
import { all, modelOf, type SpaceParts } from '../entries.js'
import { authorsOf } from './audit-subjects.js'

type Trashed = Awaited<ReturnType<Services['space']['trash']['get']>>

/** Deleted content as one row of a list. */
export interface TrashRow {
  /** The row in the trash that it shows. */
  readonly trashed: Trashed
  readonly id: string
  readonly title: string
  readonly kind: string
  readonly address: string
  readonly entries: number
  readonly by: string
  readonly at: string
  readonly until: string
}

export const trashIsEmpty = 'The trash is empty.'

interface Slice {
  readonly limit: number
  readonly after?: string
  readonly newestFirst?: boolean
}

interface TrashParts extends SpaceParts {
  readonly services: SpaceParts['services'] & Pick<Services, 'users'>
}

/** Returns what is in the trash, the newest first unless otherwise requested. */
export async function trashRows(
  parts: TrashParts,
  { limit, after, newestFirst = true }: Slice,
  wording: Wording,
): Promise<TrashRow[]> {
  const { trash } = parts.services.space
  const found = await all(trash.list({}, { limit, newestFirst, ...(after ? { after } : {}) }))
  return rowsOf(found, parts, wording)
}

/** @throws 404 */
export async function trashRow(id: string, parts: TrashParts, wording: Wording): Promise<TrashRow> {
  const [row] = await rowsOf([await parts.services.space.trash.get(id)], parts, wording)
  return row as TrashRow
}

async function rowsOf(found: readonly Trashed[], parts: TrashParts, wording: Wording): Promise<TrashRow[]> {
  const { space } = parts.services
  const { datatypes } = await modelOf(parts)
  const nameOf = await authorsOf(
    found.map(({ deleted_by }) => ({ user_id: deleted_by })),
    parts.services,
    wording,
  )
  return found.map(trashed => {
    const { trash_id, title, datatype_id, slug, entries, deleted_by, deleted_at } = trashed
    return {
      ...{ trashed, id: trash_id, title, entries },
      kind: datatypes.get(datatype_id)?.label ?? '',
      address: slug ?? '',
      by: nameOf({ user_id: deleted_by }),
      at: deleted_at,
      until: new Date(Date.parse(deleted_at) + space.trash.retentionMs()).toISOString(),
    }
  })
}

/** Returns the ids in the trash of entries that were just deleted; an empty list without a trash. */
export async function trashedIds(
  entries: readonly string[],
  { services: { space } }: SpaceParts,
): Promise<string[]> {
  const found = await Promise.all(
    entries.map(content_data_id =>
      all(space.trash.list({ content_data_id }, { limit: 1, newestFirst: true })),
    ),
  )
  return found.flat().map(({ trash_id }) => trash_id)
}
