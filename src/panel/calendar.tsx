import type { StateKind } from '../resources/resource.js'
import { knownZone } from '../resources/typed-times.js'
import {
  type DatedEvent,
  dayAt,
  eventsByDay,
  type Month,
  monthAfter,
  monthIn,
  weeksOf,
} from '../resources/views/calendar.js'
import type { PlainText } from '../texts/text.js'
import { calendarFeed, Subscription } from './calendar-feed.js'
import type { PanelContext } from './context.js'
import { TitledPage } from './layout.js'
import { pages } from './pages.js'
import { StateMark } from './parts.js'
import type { View } from './view.js'
import { entryPath } from './work-table.js'

const path = '/calendar'
const maxShown = 8

const shown = {
  publish: { kind: 'due', word: 'Will be published' },
  unpublish: { kind: 'off', word: 'Will be unpublished' },
  published: { kind: 'live', word: 'Published' },
} as const satisfies Record<DatedEvent['what'], { kind: StateKind; word: PlainText }>

/** Days and months have no time, so that they are shown as they are in UTC. */
const dated = (language: string, at: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(Date.parse(`${at}T00:00:00Z`))

const Event = ({ view, event }: { view: View; event: DatedEvent }) => {
  const { content_data_id, what, name, time, at } = event
  const { kind, word } = shown[what]
  return (
    <li>
      <a href={`${view.base}${entryPath(content_data_id)}`}>
        <StateMark kind={kind} word={view.t(word)} />
        <time datetime={at}>{time}</time> <span>{name}</span>
      </a>
    </li>
  )
}

interface DayProps {
  view: View
  day: string | undefined
  today: string
  events: readonly DatedEvent[]
}

const Day = ({ view, day, today, events }: DayProps) => {
  if (day === undefined) return <td class="no-day" />
  return (
    <td class={events.length === 0 && day !== today ? 'free' : undefined}>
      <p class="day" aria-current={day === today ? 'date' : undefined}>
        <span class="number">{Number(day.slice(8))}</span>
        <span class="long">
          {dated(view.language, day, { weekday: 'long', day: 'numeric', month: 'long' })}
        </span>
      </p>
      {events.length > 0 && (
        <ul>
          {events.slice(0, maxShown).map(event => (
            <Event view={view} event={event} />
          ))}
        </ul>
      )}
      {events.length > maxShown && <p class="quiet">{view.t('{n} more', { n: events.length - maxShown })}</p>}
    </td>
  )
}

interface MonthProps {
  view: View
  month: Month
  today: string
  days: ReadonlyMap<string, readonly DatedEvent[]>
}

/** A month as a table of weeks; a narrow screen shows its days with events as a list. */
const MonthTable = ({ view, month, today, days }: MonthProps) => (
  <div class="table-frame">
    <table class="calendar">
      <caption class="hidden-text">
        {dated(view.language, `${month}-01`, { month: 'long', year: 'numeric' })}
      </caption>
      <thead>
        <tr>
          {/* The first of January 2024 was a Monday. */}
          {[1, 2, 3, 4, 5, 6, 7].map(day => (
            <th scope="col" abbr={dated(view.language, `2024-01-0${day}`, { weekday: 'long' })}>
              {dated(view.language, `2024-01-0${day}`, { weekday: 'short' })}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(month).map(week => (
          <tr>
            {week.map(day => (
              <Day view={view} day={day} today={today} events={days.get(day ?? '') ?? []} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** The calendar: schedules, and what was published, by month in the time zone of the reader. */
export function calendarPages(context: PanelContext) {
  const set = pages(context, 'calendar')
  calendarFeed(set, context)
  set.get(path, 'content:update', async (view, c) => {
    const zone = knownZone(view.zone)
    const today = dayAt(view.now, zone)
    const month = monthIn(c.req.query('month'), today)
    const days = await eventsByDay(month, zone, context)
    const linkTo = (other: Month) => `${view.base}${path}?month=${other}`
    return (
      <TitledPage
        view={view}
        title={view.t('Calendar')}
        heading={dated(view.language, `${month}-01`, { month: 'long', year: 'numeric' })}
      >
        <nav class="actions" aria-label={view.t('Months')}>
          <a class="button" href={linkTo(monthAfter(month, -1))} rel="prev">
            {view.t('Previous month')}
          </a>
          <a class="button" href={`${view.base}${path}`}>
            {view.t('Today')}
          </a>
          <a class="button" href={linkTo(monthAfter(month, 1))} rel="next">
            {view.t('Next month')}
          </a>
        </nav>
        {days.size === 0 && <p class="lead">{view.t('Nothing is scheduled or published in this month.')}</p>}
        <MonthTable view={view} month={month} today={today} days={days} />
        <p class="quiet">{view.t('Times in {zone}.', { zone })}</p>
        {await Subscription({ view, c, context })}
      </TitledPage>
    )
  })
  return set
}
