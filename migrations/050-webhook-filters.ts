import { addColumn, type Migration } from '../src/db/schema.js'

/** Which events a webhook gets, and what the body of its requests is made of. It only adds (`+`). */
export const webhookFilters: Migration = {
  name: '050+webhook-filters',
  steps: [addColumn('webhooks', 'filter', 'json?'), addColumn('webhooks', 'body_template', 'longtext?')],
}
