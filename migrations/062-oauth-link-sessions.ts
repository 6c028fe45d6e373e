import { addColumn, type Migration } from '../src/db/schema.js'

/** The session that links a provider to its account; null for a sign-in. It only adds (`+`): older instances link nothing. */
export const oauthLinkSessions: Migration = {
  name: '062+oauth-link-sessions',
  steps: [addColumn('oauth_states', 'session_id', 'id?')],
}
