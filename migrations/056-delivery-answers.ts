import { addColumn, type Migration } from '../src/db/schema.js'

/** What a receiver responded to the last attempt of a delivery, and how long that took. It only adds (`+`). */
export const deliveryAnswers: Migration = {
  name: '056+delivery-answers',
  steps: [
    addColumn('webhook_deliveries', 'last_duration_ms', 'integer?'),
    addColumn('webhook_deliveries', 'last_response', 'longtext?'),
  ],
}
