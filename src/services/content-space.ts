import type { Database } from '../db/database.js'
import type { ContentSpace } from '../db/tables.js'
import type { Clock } from '../ports.js'
import { content } from './content/content.js'
import { contentFields } from './content/content-fields.js'
import { datatypes } from './content/datatypes.js'
import { contentCopies } from './content/duplicate.js'
import { contentEvents, type EventPrefix } from './content/events.js'
import { fieldTypeRecords } from './content/field-types.js'
import { fields } from './content/fields.js'
import { contentChanges } from './content/pending-changes.js'
import { publishing } from './content/publishing.js'
import { contentHeal } from './content/repair.js'
import { routes } from './content/routes.js'
import { staging } from './content/staging.js'
import { contentVersions } from './content/versions.js'
import { type PageSettings, pages } from './delivery/pages.js'

export type SpaceServices = ReturnType<typeof spaceServices>

/** Everything about content, over the tables of the public space or of the admin space. */
export const spaceServices = (
  db: Database,
  space: ContentSpace,
  prefix: EventPrefix,
  settings: PageSettings & {
    clock: Clock
    maxVersions: () => number
    /** Whether edits of published trees wait for the next publish. */
    staged: () => boolean
  },
) => {
  const stage = staging(space, settings.staged)
  const parts = { ...settings, staging: stage, events: contentEvents(space, prefix, stage) }
  return {
    routes: routes(db, space, parts),
    datatypes: datatypes(db, space),
    fields: fields(db, space),
    fieldTypes: fieldTypeRecords(db, space),
    content: content(db, space, prefix, parts),
    changes: contentChanges(db, space, prefix, parts),
    copies: contentCopies(db, space, parts),
    healing: contentHeal(db, space),
    publishing: publishing(db, space, prefix, parts),
    versions: contentVersions(db, space, prefix, parts),
    contentFields: contentFields(db, space, parts),
    pages: pages(db, space, settings),
  }
}
