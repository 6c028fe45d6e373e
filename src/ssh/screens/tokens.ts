import { keyIn, tokenResource } from '../../resources/tokens.js'
import { resourceView } from '../resource.js'
import type { Session } from '../session.js'

/** API keys. */
export const tokensScreen = (session: Session) =>
  resourceView(session, {
    ...tokenResource(session),
    made: record => ['Your new key. It is shown only once:', '', keyIn(record)],
  })
