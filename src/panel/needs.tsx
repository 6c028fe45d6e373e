import type { ServicesOfSpace } from '../resources/admin-space.js'
import { titlesById } from '../resources/entries.js'
import type { StateKind } from '../resources/resource.js'
import { panelPath } from './context.js'
import { Moment, State } from './parts.js'
import type { View } from './view.js'

const maxWebhooks = 20
const maxEntries = 6

interface Need {
  readonly kind: StateKind
  readonly path: string
  readonly words: string
  /** The time since when, or the time when. */
  readonly at?: string
}

async function failedDeliveries({ count }: View, { webhooks }: ServicesOfSpace): Promise<Need[]> {
  const needs: Need[] = []
  for await (const batch of webhooks.list({}, { limit: maxWebhooks }))
    for (const { webhook_id, name } of batch) {
      const { total } = await webhooks.deliveries(webhook_id, { status: 'failed' }, { limit: 0 })
      if (total > 0)
        needs.push({
          kind: 'bad',
          path: `/webhooks/${webhook_id}`,
          words: count(total, '{n} failed delivery of {name}', '{n} failed deliveries of {name}', { name }),
        })
    }
  return needs
}

/** Pages with unpublished changes, and schedules. */
async function ofContent({ t }: View, services: ServicesOfSpace): Promise<Need[]> {
  const { changes, publishing } = services.space
  const waiting = await changes.waiting(maxEntries)
  const planned = await publishing.planned(maxEntries)
  const ids = [...waiting.map(({ root_id }) => root_id), ...planned.map(one => one.content_data_id)]
  const names = await titlesById(ids, { services })
  const nameOf = (id: string) => names.get(id) ?? ''
  return [
    ...waiting.map(
      ({ root_id, since }): Need => ({
        kind: 'changed',
        path: `/content/entry/${root_id}/changes`,
        words: t('{name} has unpublished changes', { name: nameOf(root_id) }),
        at: since,
      }),
    ),
    ...planned.map(({ content_data_id, at, publishes }): Need => {
      const name = nameOf(content_data_id)
      return {
        kind: 'due',
        path: `/content/entry/${content_data_id}`,
        words: publishes
          ? t('{name} will be published', { name })
          : t('{name} will be unpublished', { name }),
        at,
      }
    }),
  ]
}

async function ofReviews({ view, services }: { view: View; services: ServicesOfSpace }): Promise<Need[]> {
  const { reviewRequests } = services
  const open = view.can('content:publish') ? await reviewRequests.open(maxEntries) : []
  const returned = view.user ? await reviewRequests.returned(view.user.user_id, maxEntries) : []
  const all = [...open, ...returned]
  const names = await titlesById(
    all.map(({ content_data_id }) => content_data_id),
    { services },
  )
  return all.map(({ content_data_id, status, date_created, answered_at }) => {
    const name = names.get(content_data_id) ?? ''
    return {
      kind: status === 'open' ? 'due' : 'changed',
      path: `/content/entry/${content_data_id}`,
      words:
        status === 'open'
          ? view.t('{name} needs your review', { name })
          : view.t('{name} was sent back to you', { name }),
      at: answered_at ?? date_created,
    }
  })
}

/** Shows what needs attention, as far as the user may see it. */
export async function Needs({ view, services }: { view: View; services: ServicesOfSpace }) {
  const needs = [
    ...(view.can('webhook:read') ? await failedDeliveries(view, services) : []),
    ...(view.can('content:update') ? await ofReviews({ view, services }) : []),
    ...(view.can('content:update') ? await ofContent(view, services) : []),
  ]
  return (
    <section aria-labelledby="needs">
      <h2 id="needs">{view.t('Needs attention')}</h2>
      {needs.length === 0 ? (
        <p class="lead">{view.t('You are up to date.')}</p>
      ) : (
        <ul class="rows">
          {needs.map(({ kind, path, words, at }) => (
            <li>
              <State kind={kind}>
                <a href={`${panelPath}${path}`}>{words}</a>
              </State>
              {at !== undefined && (
                <span class="quiet">
                  <Moment view={view} at={at} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
