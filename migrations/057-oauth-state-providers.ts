import { addColumn, type Migration } from '../src/db/schema.js'

/** The provider at which a sign-in began; null for `default`. It only adds (`+`): older instances know only that one. */
export const oauthStateProviders: Migration = {
  name: '057+oauth-state-providers',
  steps: [addColumn('oauth_states', 'provider', 'text(32)?')],
}
