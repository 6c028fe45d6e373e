import { localeResource } from '../../resources/locales.js'
import { resourceView } from '../resource.js'
import type { Session } from '../session.js'

/** The languages that content is written in. */
export const localesScreen = (session: Session) => resourceView(session, localeResource(session))
