import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import type { Clock, Log } from '../../ports.js'
import { matching, matchingEntries } from '../matching.js'
import { calendar } from './calendar.js'
import { cascades } from './cascades.js'
import { content } from './content.js'
import { contentFields } from './content-fields.js'
import type { ContentContext } from './context.js'
import { datatypes } from './datatypes.js'
import { contentCopies } from './duplicate.js'
import { fieldTypeRecords } from './field-types.js'
import { fields } from './fields.js'
import { locales } from './locales.js'
import { pageSlugs } from './page-slugs.js'
import { contentChanges } from './pending-changes.js'
import { presence } from './presence.js'
import { publicBook } from './public-book.js'
import { publishing } from './publishing.js'
import { recordEvents } from './record-events.js'
import { redirects } from './redirects.js'
import { contentHeal } from './repair.js'
import { routes } from './routes.js'
import { siblings } from './siblings.js'
import { trash } from './trash.js'
import { contentUndo } from './undo.js'
import { contentVersions } from './versions.js'
import { workList } from './work-list.js'

/** Services for the content of one space: the model, and entries. */
export function contentOfSpace(
  context: ContentContext & { clock: Clock; log: Log; trashRetentionMs: () => number },
) {
  const { db, space, events, redirects } = context
  return {
    routes: routes(db, space, { events, redirects }),
    /** Ids of routes by a part of their title or slug, whoever may see them: the first 20, and whether there are more. */
    matchingRoutes: matching(db, space.routes, ['title', 'slug']),
    matchingEntries: matchingEntries(db, space),
    slugs: pageSlugs(db, space),
    datatypes: datatypes(db, space),
    fields: fields(db, space),
    fieldTypes: fieldTypeRecords(db, space),
    calendar: calendar(db, space),
    cascades: cascades(context),
    content: content(context),
    siblings: siblings(db, space),
    changes: contentChanges(context),
    copies: contentCopies(context),
    healing: contentHeal(db, space),
    publishing: publishing(context),
    versions: contentVersions(context),
    undoing: contentUndo(context),
    trash: trash(context, { ...context, retentionMs: context.trashRetentionMs }),
    contentFields: contentFields(context),
    publicBook: publicBook(db, space),
    workList: workList(db, space),
  }
}

/** Content that both spaces share. Made after the spaces, whose public book its events read. */
export function sharedContent({ db, clock, config }: { db: Database; clock: Clock; config: () => Config }) {
  recordEvents(db)
  return {
    locales: locales(db),
    presence: presence(db, clock),
    redirects: redirects(db, { mode: () => config().redirect_mode }),
  }
}
