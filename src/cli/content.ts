import type { Actor } from '../actor.js'
import type { Services, SpaceServices } from '../services/index.js'
import { type SiteCommand, show } from './command.js'

interface SpaceReport {
  readonly space: 'content' | 'admin_content'
  readonly damage: Omit<Awaited<ReturnType<SpaceServices['healing']['heal']>>, 'dry_run'>
  readonly broken_values: readonly BrokenField[]
}

interface BrokenField {
  readonly field_id: string
  readonly name: string
  readonly published: number
  readonly drafts: number
}

async function brokenFields({ fields }: SpaceServices): Promise<BrokenField[]> {
  const found: BrokenField[] = []
  for await (const some of fields.list({}, {}))
    for (const field of some) {
      const { published, drafts } = await fields.brokenValues(field)
      if (published + drafts > 0)
        found.push({ field_id: field.field_id, name: field.name, published, drafts })
    }
  return found
}

async function look(services: Services, actor: Actor, dry_run: boolean): Promise<SpaceReport[]> {
  const spaces = [
    ['content', services.space],
    ['admin_content', services.adminSpace],
  ] as const
  const reports: SpaceReport[] = []
  for (const [space, of] of spaces) {
    const { dry_run: _, ...damage } = await of.healing.heal(actor, { dry_run })
    reports.push({ space, damage, broken_values: await brokenFields(of) })
  }
  return reports
}

const kinds = {
  circular: 'entries are their own ancestors',
  orphaned: 'entries have a parent that does not exist',
  misplaced: 'entries are stored under the wrong tree',
  without_tree: 'roots can be neither locked nor delivered',
} as const

function damageLines({ space, damage }: SpaceReport): string[] {
  return (Object.keys(kinds) as (keyof typeof kinds)[])
    .filter(kind => damage[kind].length > 0)
    .map(kind => `${space}: ${damage[kind].length} ${kinds[kind]}: ${damage[kind].join(', ')}`)
}

const valueLines = ({ space, broken_values }: SpaceReport): string[] =>
  broken_values.map(
    ({ name, field_id, published, drafts }) =>
      `${space}: the field ${name} (${field_id}) has values that break its rules: published ${published}, drafts ${drafts}`,
  )

/** Finds damage of content trees, and values that break the rules of their field. @returns 1 if it finds any */
export const contentCheck: SiteCommand['work'] = async (services, actor, io, options) => {
  const reports = await look(services, actor, true)
  const lines = reports.flatMap(report => [...damageLines(report), ...valueLines(report)])
  show(io, options, { spaces: reports }, lines.join('\n') || 'Nothing is damaged.')
  return lines.length > 0 ? 1 : 0
}

/** Repairs damaged trees. Invalid values are left for people to change. @returns 1 if there are any */
export const contentRepair: SiteCommand['work'] = async (services, actor, io, options) => {
  const isDry = options['dry-run'] !== undefined
  const reports = await look(services, actor, isDry)
  const verb = isDry ? 'would be repaired' : 'repaired'
  const repaired = reports.flatMap(damageLines).map(line => `${verb}: ${line}`)
  const left = reports.flatMap(valueLines)
  show(io, options, { spaces: reports }, [...repaired, ...left].join('\n') || 'Nothing is damaged.')
  return left.length > 0 ? 1 : 0
}
