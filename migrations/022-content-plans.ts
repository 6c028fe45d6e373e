import { createTable, type Migration } from '../src/db/schema.js'

const plans = (prefix: '' | 'admin_') =>
  createTable(
    `${prefix}content_plans`,
    {
      content_data_id: `id key -> ${prefix}content_data.content_data_id cascade`,
      publish_by: 'id?',
      unpublish_by: 'id?',
    },
    { byKey: true },
  )

/** Who scheduled the publication of an entry and its end, so that the scheduled change bears their name. */
export const contentPlans: Migration = {
  name: '022-content-plans',
  steps: [plans(''), plans('admin_')],
}
