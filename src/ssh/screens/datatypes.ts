import { datatypeResource } from '../../resources/datatypes.js'
import { t } from '../../texts/terminal.js'
import { resourceView } from '../resource.js'
import type { Session } from '../session.js'
import { fieldsScreen } from './fields.js'

/** Datatypes. */
export const datatypesScreen = (session: Session) =>
  resourceView(session, {
    ...datatypeResource(session),
    byAge: t('Created'),
    listKeys: [
      {
        key: 'f',
        does: t('fields'),
        access: 'fields:read',
        run: (shell, record) => shell.open(fieldsScreen(session, record)),
      },
    ],
  })
