import type { Database } from '../db/database.js'
import type { ContentSpace } from '../db/tables.js'
import { content } from './content.js'
import { contentCopies } from './content-copies.js'
import type { EventPrefix } from './content-events.js'
import { contentFields } from './content-fields.js'
import { contentHeal } from './content-heal.js'
import { contentVersions } from './content-versions.js'
import { datatypes } from './datatypes.js'
import { fieldTypeRecords } from './field-types.js'
import { fields } from './fields.js'
import { type PageSettings, pages } from './pages.js'
import type { Clock } from './ports.js'
import { publishing } from './publishing.js'
import { routes } from './routes.js'

export type SpaceServices = ReturnType<typeof spaceServices>

/** Everything about content, over the tables of the public space or of the admin space. */
export const spaceServices = (
  db: Database,
  space: ContentSpace,
  prefix: EventPrefix,
  settings: PageSettings & { clock: Clock; versionsAtMost: () => number },
) => ({
  routes: routes(db, space),
  datatypes: datatypes(db, space),
  fields: fields(db, space),
  fieldTypes: fieldTypeRecords(db, space),
  content: content(db, space, prefix, settings),
  copies: contentCopies(db, space),
  healing: contentHeal(db, space),
  publishing: publishing(db, space, prefix, settings),
  versions: contentVersions(db, space, prefix, settings),
  contentFields: contentFields(db, space, prefix),
  pages: pages(db, space, settings),
})
