import type { Ctx } from '../middleware/context.js'
import { plannedEvents } from '../resources/views/calendar.js'
import { originOf } from '../services/site-origin.js'
import { type PanelContext, panelPath } from './context.js'
import { calendarFile } from './icalendar.js'
import type { Pages } from './pages.js'
import { Act } from './parts.js'
import { panelActor, type View } from './view.js'
import { entryPath } from './work-table.js'

const path = '/calendar.ics'

/** The configured address, else that of the request: nobody but its sender gets the response. */
const originFor = (c: Ctx, { config }: PanelContext): string =>
  originOf(config()) || new URL(c.req.url).origin

const summaries = {
  publish: 'Publish: {name}',
  unpublish: 'Unpublish: {name}',
} as const

async function feedOf(view: View, c: Ctx, context: PanelContext): Promise<string> {
  const origin = `${originFor(c, context)}${panelPath}`
  const events = await plannedEvents(view.now, context)
  return calendarFile(
    view.t('Scheduled content'),
    events.map(({ content_data_id, what, at, changed, name }) => ({
      uid: `${content_data_id}-${what}@slugline`,
      at,
      changed,
      summary: view.t(summaries[what], { name }),
      url: `${origin}${entryPath(content_data_id)}`,
    })),
  )
}

/** The schedule for calendar programs, at an address that a user makes and revokes. */
export function calendarFeed({ get, act }: Pages, context: PanelContext): void {
  const { calendarAddress } = context.services
  get(path, 'public', async (view, c) => {
    await calendarAddress.open(c.req.query('key') ?? '')
    c.header('Cache-Control', 'private, no-cache')
    c.header('X-Robots-Tag', 'noindex')
    c.header('Content-Type', 'text/calendar; charset=utf-8')
    return c.body(await feedOf(view, c, context))
  })
  act('/calendar/address', 'content:update', async c => {
    await calendarAddress.create(panelActor(c))
    return '/calendar#subscribe'
  })
  act('/calendar/address/revoke', 'content:update', async c => {
    await calendarAddress.revoke(panelActor(c))
    return '/calendar#subscribe'
  })
}

/** Makes, shows and revokes the user's address. */
export async function Subscription({ view, c, context }: { view: View; c: Ctx; context: PanelContext }) {
  const key = await context.services.calendarAddress.key(panelActor(c))
  const address = `${originFor(c, context)}${panelPath}${path}?key=${key}`
  return (
    <section class="subscription" aria-labelledby="subscribe">
      <h2 id="subscribe">{view.t('Subscribe')}</h2>
      <p class="quiet">
        {view.t(
          'Add a secret address to your calendar program to see the schedule there. Anyone with the address can read titles and times.',
        )}
      </p>
      {key === undefined ? (
        <Act view={view} action="/calendar/address">
          {view.t('Create a calendar address')}
        </Act>
      ) : (
        <>
          <p>
            <code class="breaks">{address}</code>
          </p>
          <div class="actions">
            <button type="button" class="button scripted" data-copy={address}>
              {view.t('Copy')}
            </button>
            <Act view={view} action="/calendar/address/revoke" kind="bad">
              {view.t('Revoke')}
            </Act>
          </div>
        </>
      )}
    </section>
  )
}
