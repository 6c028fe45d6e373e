import type { Actor } from '../actor.js'
import type { ServicesOfSpace } from '../resources/admin-space.js'
import { authorsOf, published, type Subject, subjectsOf, verbOf } from '../resources/views/audit-subjects.js'
import type { RecentChange } from '../services/operation/recent-changes.js'
import { type PanelContext, panelPath } from './context.js'
import { TitledPage } from './layout.js'
import { Needs } from './needs.js'
import { pages } from './pages.js'
import { Empty, Moment } from './parts.js'
import { SubjectLink } from './subjects.js'
import { panelActor, type View } from './view.js'

/** How many events are read, and how many changes are shown. */
const maxEvents = 60
const maxChanges = 12

interface Shown {
  readonly subject: Subject
  readonly verb: string
  readonly who: string
  readonly at: string
  /** The time of the first of them. */
  readonly since: string
  readonly event: string
}

/** Joins changes of one record by one person, if nothing came between or they were made at once. */
async function together(changes: readonly RecentChange[], services: ServicesOfSpace): Promise<Shown[]> {
  const nameOf = await authorsOf(changes, services)
  const subjects = await subjectsOf(changes, services)
  const shown: Shown[] = []
  for (const [i, change] of changes.entries()) {
    const subject = subjects[i] as Subject
    const [who, verb] = [nameOf(change), verbOf(change)]
    const { occurred_at: at, audit_event_id: event } = change
    const known = shown.findIndex(
      (one, before) =>
        one.who === who &&
        one.subject.words === subject.words &&
        one.subject.at?.id === subject.at?.id &&
        (before === shown.length - 1 || one.since === at),
    )
    const last = shown[known]
    // The verb of the oldest change stays: a new record is filled in at once. A publish replaces any other verb.
    if (last) shown[known] = { ...last, verb: last.verb === published ? published : verb, since: at }
    else shown.push({ subject, verb, who, at, since: at, event })
  }
  return shown.slice(0, maxChanges)
}

async function Recent({ view, actor, services }: { view: View; actor: Actor; services: ServicesOfSpace }) {
  const changes = await services.recentChanges.list(actor, maxEvents)
  if (!changes) return null
  const shown = await together(changes, services)
  const mayReadAll = view.can('audit:read')
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Recent changes</h2>
      {shown.length === 0 ? (
        <Empty>Nothing has been changed yet.</Empty>
      ) : (
        <ul class="rows">
          {shown.map(({ subject, verb, who, at, event }) => (
            <li>
              <SubjectLink
                view={view}
                subject={subject}
                otherwise={mayReadAll ? `${panelPath}/audit/${event}` : undefined}
              />
              <span class="quiet">
                {verb} by {who}, <Moment view={view} at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {mayReadAll && (
        <p class="actions after">
          <a href={`${panelPath}/audit`}>All changes</a>
        </p>
      )}
    </section>
  )
}

/** The overview: what needs attention, and recent changes. */
export function overviewPages(context: PanelContext) {
  const set = pages(context, 'overview')
  set.get('/', 'signed-in', async (view, c) => {
    return (
      <TitledPage view={view} title="Overview" heading={`Hello, ${view.user?.name}`} column>
        <p class="lead">You are signed in as {view.user?.role}.</p>
        {await Needs({ view, services: context.services })}
        {await Recent({ view, actor: panelActor(c), services: context.services })}
      </TitledPage>
    )
  })
  return set
}
