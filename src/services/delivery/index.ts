import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import type { ContentSpace } from '../../db/tables.js'
import type { Clock, Log, Sandbox } from '../../ports.js'
import type { TypeSettings } from '../../systems/mapping.js'
import { originOf } from '../site-origin.js'
import { Answers } from './answers.js'
import { changeRetention } from './changes/change-log.js'
import { changeStreams } from './changes/streams.js'
import { compatAnswers } from './compat/compat.js'
import { schemas } from './content-model.js'
import { pageContext } from './format-context.js'
import { modelTypes } from './model-types.js'
import { type PageSettings, pages } from './pages.js'
import { previewLinks } from './preview-links.js'
import { publishedPagesOf } from './published-pages.js'
import { publishedRecords, type RecordSettings } from './published-records.js'
import { queries } from './query/queries.js'
import { search } from './search/search.js'

export type DeliverySettings = Omit<PageSettings, 'answers'> &
  RecordSettings & {
    cacheBytes: number
    clock: Clock
    sandbox: Sandbox
    typeSettings: () => Readonly<Record<string, TypeSettings>>
  }

/** Services that read the content of one space, in all shapes. */
export function deliveryOfSpace(db: Database, space: ContentSpace, given: DeliverySettings) {
  const settings = { ...given, answers: new Answers(db, given.cacheBytes) }
  const model = schemas(db, space)
  const shown = pageContext(db, space, settings)
  const searching = search(db, space, model, shown)
  return {
    modelTypes: modelTypes(db, space, settings),
    pages: pages(db, space, model, shown, settings),
    publishedPages: publishedPagesOf(db, space, model, shown, settings),
    queries: queries(db, space, model, shown, settings),
    search: searching,
    compat: compatAnswers(db, space, model, shown, searching, settings),
    /** Records that a caller may see in the lists of management; `content`, `routes` and others read everything. */
    records: publishedRecords(db, space, model, shown, settings),
  }
}

type PreviewNeeds = Parameters<typeof previewLinks>[1]
type StreamNeeds = Parameters<typeof changeStreams>[1]

interface Needs {
  db: Database
  config: () => Config
  clock: Clock
  log: Log
  pages: PreviewNeeds['pages']
  rights: PreviewNeeds['rights'] & StreamNeeds['rights']
  liveCallers: StreamNeeds['liveCallers']
}

/** Services that show drafts before they are published, and that report changes. */
export function previewServices({ db, config, clock, log, pages, rights, liveCallers }: Needs) {
  const links = previewLinks(db, { pages, rights, clock, origin: originOf(config()), config })
  return {
    previewLinks: links,
    changeStreams: changeStreams(db, {
      rights,
      liveCallers,
      previewLinks: links,
      log,
      maxStreams: () => config().event_streams_max,
    }),
    removeExpired: changeRetention(db, clock),
  }
}
