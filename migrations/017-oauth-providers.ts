import { createTable, type Migration } from '../src/db/schema.js'

/** Which provider has a name now, so that another one under the same name gets no accounts of the first. */
export const oauthProviders: Migration = {
  name: '017-oauth-providers',
  steps: [createTable('oauth_providers', { name: 'text(255) key', source_hash: 'text(64)' })],
}
