import type { Actor } from '../../actor.js'
import { VersionCreate } from '../../services/content/versions.js'
import type { Services } from '../../services/index.js'
import type { Wording } from '../../texts/wording.js'
import type { ServicesOfSpace } from '../admin-space.js'
import type { SpaceParts } from '../entries.js'
import { authorsOf } from './audit-subjects.js'
import { type ChangedText, namesIn } from './changed-texts.js'

type Version = Awaited<ReturnType<Services['space']['versions']['summaries']>>[number]

const maxVersions = 1000

/** The services that versions are listed with. */
interface VersionParts {
  readonly services: Pick<ServicesOfSpace, 'space' | 'audit' | 'users'>
}

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
  /** Empty if it is unknown. */
  readonly who: string
  readonly at: string
  readonly before: string | undefined
}

export const noVersions = 'No versions yet. Each publish saves one.'

function triggerWord(trigger: string, { t }: Wording): string {
  return Object.hasOwn(triggers, trigger) ? t(triggers[trigger as keyof typeof triggers]) : trigger
}

/** The most versions without a publisher whose author is looked up in the audit log. */
const maxLookedUp = 100

/** Returns who saved each version: the publisher, else the author of its event. */
async function saversOf(
  versions: readonly Version[],
  { services }: VersionParts,
  wording: Wording,
): Promise<(version: Version) => string> {
  const events = new Map<string, { user_id: string | null }>()
  const others = versions.filter(({ published_by }) => published_by === null).slice(0, maxLookedUp)
  await Promise.all(
    others.map(async ({ content_version_id: record_id }) => {
      for await (const [event] of services.audit.list({ record_id, operation: 'INSERT' }, 1))
        if (event) events.set(record_id, event)
    }),
  )
  const authorOf = ({ published_by, content_version_id }: Version) =>
    published_by === null ? events.get(content_version_id) : { user_id: published_by }
  const nameOf = await authorsOf(
    versions.flatMap(version => authorOf(version) ?? []),
    services,
    wording,
  )
  return version => {
    const author = authorOf(version)
    return author ? nameOf(author) : ''
  }
}

const rowOf = (version: Version, before: Version | undefined, who: string, wording: Wording): VersionRow => ({
  id: version.content_version_id,
  number: version.version_number,
  name: `v${version.version_number}`,
  why: [triggerWord(version.trigger, wording), version.label, version.locale].filter(Boolean).join(' · '),
  who,
  at: version.date_created,
  before: before?.content_version_id,
})

/** Returns the versions of an entry, the newest first. */
export async function versionRows(id: string, parts: VersionParts, wording: Wording): Promise<VersionRow[]> {
  const found = await parts.services.space.versions.summaries(id, maxVersions)
  const saverOf = await saversOf(found, parts, wording)
  return found.map((version, i) => rowOf(version, found[i + 1], saverOf(version), wording))
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

/** The present state of an entry, in place of the id of a version. */
export const present = 'now'

/** Compares two versions by their ids, or a version with the present state. */
export async function comparisonOf(from: string, to: string, parts: SpaceParts): Promise<Comparison> {
  const { versions } = parts.services.space
  const { added, removed, values } = await (to === present
    ? versions.differenceToNow(from)
    : versions.difference(from, to))
  const ids = [...values.map(one => one.content_data_id), ...added, ...removed]
  const { titleOf, labelOf, isRich } = await namesIn(ids, parts)
  return {
    added: added.map(titleOf),
    removed: removed.map(titleOf),
    values: values.map(({ content_data_id, field_id, ...one }) => ({
      ...one,
      title: titleOf(content_data_id),
      field: labelOf(field_id),
      isRich: isRich(field_id),
    })),
  }
}
