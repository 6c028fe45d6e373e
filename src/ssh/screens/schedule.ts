import { planIn } from '../../resources/entry-mark.js'
import { parsed } from '../../routes/form-values.js'
import { Schedule } from '../../services/content/schedule.js'
import { t } from '../../texts/terminal.js'
import { unlessChanged } from '../resource.js'
import { formView } from '../screen/form.js'
import type { AnyView } from '../screen/view.js'
import type { Session } from '../session.js'
import { storedTimes, timeField } from '../times.js'

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
          fields: [
            timeField({ name: 'publish_at', label: t('Public from'), kind: 'datetime' }, record, session),
            timeField({ name: 'unpublish_at', label: t('Public until'), kind: 'datetime' }, record, session),
          ],
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
