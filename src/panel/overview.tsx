import type { Actor } from '../actor.js'
import type { ServicesOfSpace } from '../resources/admin-space.js'
import { type RecentGroup, recentGroups, recentRows } from '../resources/views/recent.js'
import { type PanelContext, panelPath } from './context.js'
import { TitledPage } from './layout.js'
import { Needs } from './needs.js'
import { pages } from './pages.js'
import { Empty, Moment } from './parts.js'
import { SubjectLink } from './subjects.js'
import { panelActor, type View } from './view.js'

const [maxEvents, maxChanges, maxNamed] = [60, 8, 6]

/** Records of one action, the first ones by name. */
const Done = ({ view, words, subjects }: RecentGroup['done'][number] & { view: View }) => (
  <div>
    <dt>{words}</dt>
    <dd>
      {subjects.slice(0, maxNamed).map((subject, i) => (
        <>
          {i > 0 && ', '}
          <SubjectLink view={view} subject={subject} bare />
        </>
      ))}
      {subjects.length > maxNamed && ` · ${view.t('{n} more', { n: subjects.length - maxNamed })}`}
    </dd>
  </div>
)

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
        <ul class="recent">
          {recentGroups(shown).map(({ who, at, done }) => (
            <li>
              <p>
                <b>{who}</b>{' '}
                <span class="quiet">
                  <Moment view={view} at={at} />
                </span>
              </p>
              <dl>
                {done.map(one => (
                  <Done view={view} {...one} />
                ))}
              </dl>
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
        actions={
          view.can('content:create') &&
          view.can('routes:create') && (
            <a class="button next" href={`${view.base}/content/new`}>
              {view.t('New page')}
            </a>
          )
        }
      >
        {await Needs({ view, services: context.services })}
        {await Recent({ view, actor: panelActor(c), services: context.services })}
      </TitledPage>
    )
  })
  return set
}
