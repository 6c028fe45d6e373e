import { fieldResource } from '../../resources/fields.js'
import { t } from '../../texts/terminal.js'
import { resourceView } from '../resource.js'
import type { Session } from '../session.js'

/** The fields of a datatype. */
export const fieldsScreen = (
  session: Session,
  { datatype_id, label }: { datatype_id: string; label: string },
) =>
  resourceView(session, {
    ...fieldResource(session),
    title: t('Fields of {label}', { label }),
    where: { parent_id: datatype_id },
    under: datatype_id,
    async says(record) {
      const { published, drafts } = await session.services.space.fields.brokenValues(record)
      return published + drafts === 0
        ? []
        : [
            t('Values break these rules in {published} published and {drafts} draft entries.', {
              published,
              drafts,
            }),
          ]
    },
  })
