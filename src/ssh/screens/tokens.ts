import { keyIn, tokenResource } from '../../resources/tokens.js'
import { t } from '../../texts/terminal.js'
import { resourceView } from '../resource.js'
import type { Session } from '../session.js'

/** API keys. */
export const tokensScreen = (session: Session) =>
  resourceView(session, {
    ...tokenResource(session),
    byAge: t('Created'),
    made: record => [t('Your new key. It is shown only once:'), '', keyIn(record)],
  })
