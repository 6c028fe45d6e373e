import type { Config } from '../config.js'
import type { Database } from '../db/database.js'
import { tables } from '../db/tables.js'
import { duration } from '../durations.js'
import { access } from './access.js'
import { auth } from './auth.js'
import { content } from './content.js'
import { contentFields } from './content-fields.js'
import { datatypes } from './datatypes.js'
import { fieldTypeRecords } from './field-types.js'
import { fields } from './fields.js'
import { pages } from './pages.js'
import type { Ports } from './ports.js'
import { routes } from './routes.js'

export type Services = ReturnType<typeof createServices>

/** Everything the product can do, over one database. Every surface calls these. */
export function createServices(db: Database, ports: Ports, config: () => Config) {
  const { clock, random, hashing, log } = ports
  const rights = access(db)
  return {
    access: rights,
    auth: auth(db, rights, {
      clock,
      random,
      hashing,
      sessionLength: () => duration(config().cookie_duration),
    }),
    routes: routes(db, tables),
    datatypes: datatypes(db, tables),
    fields: fields(db, tables),
    fieldTypes: fieldTypeRecords(db, tables),
    content: content(db, tables, 'content'),
    contentFields: contentFields(db, tables, 'content'),
    pages: pages(db, tables, { hashing, log, cacheBytes: config().page_cache_bytes }),
    health: async () => ({
      environment: config().environment,
      checks: { database: await db.answers(), storage: null },
    }),
  }
}
