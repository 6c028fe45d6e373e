import type { Actor } from '../actor.js'
import type { ServicesOfSpace } from '../resources/admin-space.js'
import type { Verb } from '../resources/views/audit-subjects.js'
import { recentRows } from '../resources/views/recent.js'
import type { Text } from '../texts/text.js'
import { type PanelContext, panelPath } from './context.js'
import { TitledPage } from './layout.js'
import { Needs } from './needs.js'
import { pages } from './pages.js'
import { Empty, Moment } from './parts.js'
import { SubjectLink } from './subjects.js'
import { panelActor, type View } from './view.js'

const maxEvents = 60
const maxChanges = 12

/** Words for an action, by the verb of the change. */
const doneBy = {
  created: 'created by {name}, {time}',
  changed: 'changed by {name}, {time}',
  deleted: 'deleted by {name}, {time}',
  begun: 'started by {name}, {time}',
  ended: 'ended by {name}, {time}',
  downloaded: 'downloaded by {name}, {time}',
  published: 'published by {name}, {time}',
  'not published as planned': 'not published on schedule by {name}, {time}',
} as const satisfies Record<Verb, Text>

async function Recent({ view, actor, services }: { view: View; actor: Actor; services: ServicesOfSpace }) {
  const changes = await services.recentChanges.list(actor, maxEvents)
  if (!changes) return null
  const shown = await recentRows(changes, maxChanges, services, view)
  const mayReadAll = view.can('audit:read')
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">{view.t('Recent changes')}</h2>
      {shown.length === 0 ? (
        <Empty>{view.t('No changes yet.')}</Empty>
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
                {view.parts(doneBy[verb], {
                  name: who,
                  time: <Moment view={view} at={at} />,
                })}
              </span>
            </li>
          ))}
        </ul>
      )}
      {mayReadAll && (
        <p class="actions after">
          <a href={`${panelPath}/audit`}>{view.t('All changes')}</a>
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
      <TitledPage
        view={view}
        title={view.t('Overview')}
        heading={view.t('Hello, {name}', { name: view.user?.name ?? '' })}
        column
      >
        <p class="lead">{view.t('You are signed in as {role}.', { role: view.user?.role ?? '' })}</p>
        {await Needs({ view, services: context.services })}
        {await Recent({ view, actor: panelActor(c), services: context.services })}
      </TitledPage>
    )
  })
  return set
}
