import { userResource } from '../../resources/users.js'
import { resourceView } from '../resource.js'
import type { Session } from '../session.js'

/** People with an account. */
export const usersScreen = (session: Session) => resourceView(session, userResource(session))
