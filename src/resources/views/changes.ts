import type { Wording } from '../../texts/wording.js'
import type { SpaceParts } from '../entries.js'
import { type ChangedText, namesIn } from './changed-texts.js'

const words = { created: 'new', updated: 'changed', moved: 'moved', deleted: 'deleted' } as const

/** An entry that the next publish changes for the public. */
export interface ChangedEntry {
  readonly id: string | undefined
  readonly title: string
  readonly word: string
  readonly values: readonly ChangedText[]
}

export const changesTitle = 'Not published yet'
export const noChanges = 'No unpublished changes.'

/** Returns the unpublished changes that the next publish of an entry's tree makes public. */
export async function changedEntries(id: string, parts: SpaceParts, { t }: Wording): Promise<ChangedEntry[]> {
  const { changes } = await parts.services.space.changes.list(id)
  const { titleOf, labelOf, isRich } = await namesIn(
    changes.map(one => one.content_data_id),
    parts,
  )
  return changes.map(({ content_data_id, change, fields }) => ({
    id: change === 'deleted' ? undefined : content_data_id,
    title: change === 'deleted' ? t('A deleted entry') : titleOf(content_data_id),
    word: t(words[change]),
    values: fields.map(({ field_id, name, locale, public: before, working: after }) => ({
      field: labelOf(field_id, name),
      isRich: isRich(field_id),
      locale,
      before,
      after,
    })),
  }))
}
