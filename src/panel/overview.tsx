import type { Actor } from '../actor.js'
import type { ServicesOfSpace } from '../resources/admin-space.js'
import { recentRows } from '../resources/views/recent.js'
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

async function Recent({ view, actor, services }: { view: View; actor: Actor; services: ServicesOfSpace }) {
  const changes = await services.recentChanges.list(actor, maxEvents)
  if (!changes) return null
  const shown = await recentRows(changes, maxChanges, services)
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
