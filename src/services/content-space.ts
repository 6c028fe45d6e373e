import type { Actor } from '../actor.js'
import type { Database } from '../db/database.js'
import type { ContentSpace } from '../db/tables.js'
import { missingPermission } from '../errors.js'
import { adminPublish } from '../permissions.js'
import type { Clock, Sandbox } from '../ports.js'
import type { Access, AccessService } from './accounts/access.js'
import { cascades } from './content/cascades.js'
import { content } from './content/content.js'
import { contentFields } from './content/content-fields.js'
import type { ContentContext } from './content/context.js'
import { datatypes } from './content/datatypes.js'
import { contentCopies } from './content/duplicate.js'
import { contentEvents, type EventPrefix } from './content/events.js'
import { fieldTypeRecords } from './content/field-types.js'
import { fields } from './content/fields.js'
import type { LeftRedirects } from './content/left-redirects.js'
import { contentChanges } from './content/pending-changes.js'
import { publicBook } from './content/public-book.js'
import { publishing } from './content/publishing.js'
import { contentHeal } from './content/repair.js'
import { routes } from './content/routes.js'
import { siblings } from './content/siblings.js'
import { contentVersions } from './content/versions.js'
import { Answers } from './delivery/answers.js'
import { compatAnswers } from './delivery/compat/compat.js'
import type { TypeSettings } from './delivery/compat/mapping.js'
import { schemas } from './delivery/content-model.js'
import { pageContext } from './delivery/format-context.js'
import { modelTypes } from './delivery/model-types.js'
import { type PageSettings, pages } from './delivery/pages.js'
import { publishedPagesOf } from './delivery/published-pages.js'
import { publishedRecords, type RecordSettings } from './delivery/published-records.js'
import { queries } from './delivery/query/queries.js'
import { search } from './delivery/search/search.js'
import { treeImport } from './import/store-trees.js'
import { matching, matchingEntries } from './matching.js'

export type SpaceServices = ReturnType<typeof spaceServices>

/** Everything about content, over the tables of the public space or of the admin space. */
export const spaceServices = (
  db: Database,
  space: ContentSpace,
  prefix: EventPrefix,
  given: Omit<PageSettings, 'answers'> &
    RecordSettings & {
      /** How much memory answers may take, in bytes. */
      cacheBytes: number
      clock: Clock
      access: AccessService
      sandbox: Sandbox
      maxVersions: () => number
      /** Whether edits of published trees stay pending until the next publish. */
      isStaged: () => boolean
      redirects?: LeftRedirects
      /** What datatypes are called in other systems. */
      typeSettings: () => Readonly<Record<string, TypeSettings>>
    },
) => {
  const { cacheBytes, maxVersions, isStaged, redirects, access } = given
  const settings = { ...given, answers: new Answers(db, cacheBytes) }
  const publish: Access = prefix === 'content' ? 'content:publish' : adminPublish
  const events = contentEvents(space, prefix)
  const model = schemas(db, space)
  const shown = pageContext(db, space, settings)
  const searching = search(db, space, model, shown, settings)
  const refuseNonPublisher = async (actor: Actor) => {
    // What the service itself does was allowed when it was planned.
    if (actor.surface !== 'system' && !(await access.can(actor, publish))) throw missingPermission(publish)
  }
  const context: ContentContext = {
    ...{ db, space, prefix, events, redirects },
    ...{ isStaged, maxVersions, refuseNonPublisher },
  }
  const planning = { ...context, clock: settings.clock, log: settings.log }
  return {
    routes: routes(db, space, { events, redirects }),
    /** Ids of routes by a part of their title or slug, whoever may see them: the first 20, and whether there are more. */
    matchingRoutes: matching(db, space.routes, ['title', 'slug']),
    /** Ids of entries, drafts too, by words in the fields that they are called by. */
    matchingEntries: matchingEntries(db, space),
    datatypes: datatypes(db, space),
    fields: fields(db, space),
    fieldTypes: fieldTypeRecords(db, space),
    cascades: cascades(context),
    content: content(context),
    siblings: siblings(db, space),
    changes: contentChanges(context),
    copies: contentCopies(context),
    healing: contentHeal(db, space),
    publishing: publishing(planning),
    imports: treeImport(planning),
    versions: contentVersions(context),
    contentFields: contentFields(context),
    publicBook: publicBook(db, space),
    modelTypes: modelTypes(db, space, settings),
    pages: pages(db, space, model, shown, settings),
    publishedPages: publishedPagesOf(db, space, model, shown, settings),
    queries: queries(db, space, model, shown, settings),
    search: searching,
    compat: compatAnswers(db, space, model, shown, searching, settings),
    /** What a caller may read in the lists of management; `content`, `routes` and others read everything. */
    records: publishedRecords(db, space, model, shown, settings),
  }
}
