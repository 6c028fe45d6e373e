import { planIn } from '../../resources/entry-mark.js'
import { parsed } from '../../routes/form-values.js'
import { Schedule } from '../../services/content/schedule.js'
import { count, t } from '../../texts/terminal.js'
import { unlessChanged } from '../resource.js'
import { formView } from '../screen/form.js'
import type { ListState } from '../screen/list-spec.js'
import type { AnyView, Shell } from '../screen/view.js'
import type { Session } from '../session.js'
import { storedTimes, timeField } from '../times.js'
import { actOnEach, type Item } from './several.js'

const timesOf = (record: unknown, session: Session) => [
  timeField({ name: 'publish_at', label: t('Public from'), kind: 'datetime' }, record, session),
  timeField({ name: 'unpublish_at', label: t('Public until'), kind: 'datetime' }, record, session),
]

/** When an entry is published, and when it is unpublished. */
export function scheduleScreen(session: Session, id: string, title: string): AnyView {
  const { content, publishing } = session.services.space
  return formView(
    {
      readAccess: 'content:update',
      saveAccess: 'content:publish',
      async load() {
        const record = await content.get(id)
        return {
          record,
          title: t('Schedule {title}', { title }),
          lead: [t('Leave both empty to cancel the schedule.')],
          fields: timesOf(record, session),
        }
      },
      async save(texts, { fields, record }) {
        const plan = parsed(Schedule, { ...storedTimes(fields, texts, session), content_data_id: id })
        const check = unlessChanged(record && planIn(record))
        await publishing.schedule(session.actor, plan, before => check(planIn(before)))
        return shell => {
          shell.back()
          shell.say(t('Scheduled.'))
        }
      },
      keys: [],
    },
    t('Schedule'),
  )
}

/** When several entries of a list are published, and when they are unpublished. */
export function scheduleSeveral<R>(
  session: Session,
  list: Shell<ListState<R>>,
  items: readonly Item[],
  refused: (n: number) => string,
): AnyView {
  const { publishing } = session.services.space
  const title = count(items.length, 'Schedule {n} entry', 'Schedule {n} entries')
  return formView(
    {
      readAccess: 'content:update',
      saveAccess: 'content:publish',
      load: async () => ({
        record: undefined,
        title,
        lead: [t('Leave both empty to cancel the schedule.')],
        fields: timesOf({}, session),
      }),
      async save(texts, { fields }) {
        const times = storedTimes(fields, texts, session)
        const plan = parsed(Schedule, { ...times, content_data_id: items[0]?.id ?? '' })
        return shell => {
          shell.back()
          actOnEach(session, list, items, {
            title: t('Schedule'),
            access: 'content:publish',
            act: (actor, id) => publishing.schedule(actor, { ...plan, content_data_id: id }),
            done: n => count(n, '{n} entry scheduled.', '{n} entries scheduled.'),
            refused,
          })
        }
      },
      keys: [],
    },
    title,
  )
}
