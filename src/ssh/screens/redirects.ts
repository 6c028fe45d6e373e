import { redirectResource } from '../../resources/redirects.js'
import { resourceView } from '../resource.js'
import type { Session } from '../session.js'

/** Addresses that lead to where their page is now. */
export const redirectsScreen = (session: Session) => resourceView(session, redirectResource(session))
