import { planIn } from '../../resources/entry-mark.js'
import { fieldTime, withZone } from '../../resources/times.js'
import { parsed } from '../../routes/form-values.js'
import { Schedule } from '../../services/content/schedule.js'
import { unlessChanged } from '../resource.js'
import { formView } from '../screen/form.js'
import type { AnyView } from '../screen/view.js'
import type { Session } from '../session.js'

/** When an entry is published, and when it is unpublished. */
export function scheduleScreen(session: Session, id: string, title: string): AnyView {
  const { content, publishing } = session.services.space
  const zoned = withZone('publish_at', 'unpublish_at')
  return formView(
    {
      readAccess: 'content:update',
      saveAccess: 'content:publish',
      async load() {
        const record = await content.get(id)
        return {
          record,
          title: `Schedule ${title}`,
          lead: ['Times are in UTC, such as 2027-01-31T12:00. Leave both empty to cancel the schedule.'],
          fields: [
            {
              name: 'publish_at',
              label: 'Public from',
              kind: 'datetime',
              value: fieldTime(record.publish_at),
            },
            {
              name: 'unpublish_at',
              label: 'Public until',
              kind: 'datetime',
              value: fieldTime(record.unpublish_at),
            },
          ],
        }
      },
      async save(texts, { record }) {
        const plan = parsed(Schedule, { ...zoned(texts), content_data_id: id })
        const check = unlessChanged(record && planIn(record))
        await publishing.schedule(session.actor, plan, before => check(planIn(before)))
        return shell => {
          shell.back()
          shell.say('Scheduled.')
        }
      },
      keys: [],
    },
    'Schedule',
  )
}
