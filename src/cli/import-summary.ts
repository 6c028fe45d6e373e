import type { Verified } from '../services/import/report.js'
import type { Imported } from '../services/import/settings.js'
import type { Changes, LeftRecord } from '../services/import/update-entries.js'

/** Returns the result of an import as text for people. */
export function summary(imported: Imported): string {
  const { datatypes, fields, entries, known, files, left_out, redirects, verified, notes } = imported
  const { changes, compat, compat_stored } = imported
  const made = `Created ${datatypes} datatypes, ${fields} fields, ${entries} entries and ${files} files.`
  const without = left_out > 0 ? [`${left_out} records were left out.`] : []
  const moved = redirects > 0 ? [`Redirects from old addresses: ${redirects}.`] : []
  const kept = known > 0 && !changes ? [`${known} entries already existed and are unchanged.`] : []
  const names =
    !compat_stored && Object.keys(compat).length > 0
      ? [`Add this to cms.config.json for the front end: ${JSON.stringify({ compat })}`]
      : []
  const checked = verified ? verifiedLines(verified) : []
  const losses = notes.map(note => `- ${note}`)
  const changed = changes ? changesLines(changes) : []
  return [made, ...changed, ...kept, ...without, ...moved, ...losses, ...checked, ...names].join('\n')
}

/** Such as `Compared with the export: 18 equal, 1 different, 1 missing.`, and the differences. */
function verifiedLines({ equal, different, missing, unasked, aspects, named }: Verified): string[] {
  const compared = Object.entries(aspects).map(([name, { equal: same, of }]) => `${name} ${same} of ${of}`)
  const counts = `${equal} equal, ${different} different, ${missing} missing`
  const without = unasked > 0 ? `, ${unasked} without an id in the other system` : ''
  const others = different + missing - named.length
  return [
    `Compared with the export: ${counts}${without}.`,
    ...(compared.length > 0 ? [`Same as in the export: ${compared.join(', ')}.`] : []),
    ...named.map(one => `* ${one}`),
    ...(others > 0 ? [`* and ${others} others: see --report`] : []),
  ]
}

/** Most records that are named for a person; `--json` has all. */
const mostNamed = 50

const lineOf = ({ record, id, why, reason }: LeftRecord): string =>
  `* ${record} (${id}): ${why}${reason === undefined ? '' : `: ${reason}`}`

/** Such as `Updated 3 entries.`, and the records that were left as they are. */
export function changesLines({ updated, deleted, left }: Changes): string[] {
  const more = left.length - mostNamed
  return [
    `Updated ${updated} entries.`,
    ...(deleted > 0 ? [`Deleted ${deleted} entries that were deleted there.`] : []),
    ...(left.length > 0 ? [`Left as they are: ${left.length}.`] : []),
    ...left.slice(0, mostNamed).map(lineOf),
    ...(more > 0 ? [`* and ${more} others: see --json`] : []),
  ]
}
