import { setTimeout as sleep } from 'node:timers/promises'
import { inPublicSpace, rightsOf } from '../resources/admin-space.js'
import { sinceWord } from '../ssh/screens/words.js'
import { VitalsReader } from '../ssh/vitals.js'
import { type SiteCommand, show } from './command.js'

const countedMs = 1000

/** Shows what happens in the service at this moment, as far as the caller may see it. */
export const top: SiteCommand['work'] = async (services, actor, io, options) => {
  const parts = inPublicSpace(services)
  const rights = await rightsOf(parts.access, actor)
  const watcher = { services: parts, actor, can: (word: string) => rights.has(word), now: Date.now }
  const reader = new VitalsReader(watcher)
  await reader.read()
  await sleep(countedMs, undefined, { signal: io.stopped }).catch(() => undefined)
  const vitals = await reader.read()
  const { surfaces, deliveries, changes = [], planned = [], here = [], instances, ...numbers } = vitals
  const now = Date.now()
  const lines = [
    ...surfaces.map(
      ({ name, perSecond, p95, total }) =>
        `${name}: ${(perSecond.at(-1) ?? 0).toFixed(1)} requests a second, p95 ${p95 ?? '-'} ms, ${total} in all`,
    ),
    ...(instances ?? []).map(
      ({ host, pid, version, role, started_at, clock_ms }) =>
        `${role}: ${host}, process ${pid}, version ${version}, started ${sinceWord(started_at, now)}${clock_ms === 0 ? '' : `, clock ${clock_ms} ms ahead`}`,
    ),
    ...changes.map(
      ({ subject, verb, who, at }) => `changed: ${subject.words}: ${verb} by ${who}, ${sinceWord(at, now)}`,
    ),
    ...planned.map(
      ({ title, at, publishes }) =>
        `planned: ${publishes ? 'publish' : 'unpublish'} ${title} ${sinceWord(at, now)}`,
    ),
    ...here.map(({ name, at }) => `here: ${name}, active ${sinceWord(at, now)}`),
  ]
  const shown = {
    ...numbers,
    surfaces: surfaces.map(({ perSecond, ...one }) => ({ ...one, per_second: perSecond.at(-1) ?? 0 })),
    deliveries: deliveries && Object.fromEntries(deliveries),
    instances: instances?.map(({ host, pid, version, role, started_at, clock_ms }) => ({
      ...{ role, host, pid, version, started_at, clock_ahead_ms: clock_ms },
    })),
    changes,
    planned,
    here,
  }
  show(io, options, shown, lines.join('\n') || 'Your role has no permission to see activity.')
  return 0
}
