import type { Actor } from '../../actor.js'
import { VersionCreate } from '../../services/content/versions.js'
import type { Services } from '../../services/index.js'
import type { Wording } from '../../texts/wording.js'
import type { SpaceParts } from '../entries.js'
import { type ChangedText, namesIn } from './changed-texts.js'

type Version = Awaited<ReturnType<Services['space']['versions']['summaries']>>[number]

const maxVersions = 1000

/** Words for the triggers of versions. */
const triggers = {
  publish: 'Published',
  manual: 'Saved by hand',
  restore: 'Before a restore',
  schedule: 'Published on schedule',
} as const

/** A version as one row of the list. */
export interface VersionRow {
  readonly id: string
  readonly number: number
  readonly name: string
  readonly why: string
  readonly at: string
  readonly before: string | undefined
}

export const noVersions = 'No versions yet. Each publish saves one.'

function triggerWord(trigger: string, { t }: Wording): string {
  return Object.hasOwn(triggers, trigger) ? t(triggers[trigger as keyof typeof triggers]) : trigger
}

const rowOf = (version: Version, before: Version | undefined, wording: Wording): VersionRow => ({
  id: version.content_version_id,
  number: version.version_number,
  name: `v${version.version_number}`,
  why: [triggerWord(version.trigger, wording), version.label, version.locale].filter(Boolean).join(' · '),
  at: version.date_created,
  before: before?.content_version_id,
})

/** Returns the versions of an entry, the newest first. */
export async function versionRows(
  id: string,
  { services: { space } }: SpaceParts,
  wording: Wording,
): Promise<VersionRow[]> {
  const found = await space.versions.summaries(id, maxVersions)
  return found.map((version, i) => rowOf(version, found[i + 1], wording))
}

/** Keeps the current state as a version. */
export const keepVersion = (actor: Actor, content_data_id: string, { services: { space } }: SpaceParts) =>
  space.versions.create(actor, VersionCreate.parse({ content_data_id }))

/** The changes from one version to another. */
export interface Comparison {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly values: readonly ChangedText[]
}

export const onlyPlaces = 'Only the order changed.'

/** Compares two versions by their ids. */
export async function comparisonOf(from: string, to: string, parts: SpaceParts): Promise<Comparison> {
  const { added, removed, values } = await parts.services.space.versions.difference(from, to)
  const ids = [...values.map(one => one.content_data_id), ...added, ...removed]
  const { titleOf, labelOf } = await namesIn(ids, parts)
  return {
    added: added.map(titleOf),
    removed: removed.map(titleOf),
    values: values.map(({ content_data_id, field_id, ...one }) => ({
      ...one,
      title: titleOf(content_data_id),
      field: labelOf(field_id),
    })),
  }
}
