import type { Migration } from '../src/db/schema.js'
import { identity } from './001-identity.js'
import { content } from './002-content.js'
import { media } from './003-media.js'
import { webhooks } from './004-webhooks.js'
import { operation } from './005-operation.js'
import { authLimits } from './006-auth-limits.js'
import { links } from './007-links.js'
import { waiting } from './008-public-trees.js'
import { deliveries } from './009-deliveries.js'
import { mediaAgain } from './010-media.js'
import { auditIndexes } from './011-audit-indexes.js'
import { pageAnswers } from './012-page-answers.js'
import { snapshotFormat } from './013-snapshot-format.js'
import { counters } from './014-counters.js'
import { renderedPages } from './015-rendered-pages.js'
import { publishedSnapshots } from './016-published-snapshots.js'
import { oauthProviders } from './017-oauth-providers.js'
import { rulesOfValues } from './018-rules-of-values.js'
import { idempotencyKeys } from './019-idempotency-keys.js'
import { limitedKeys } from './020-limited-keys.js'
import { routeTranslations } from './021-route-translations.js'
import { contentPlans } from './022-content-plans.js'
import { pendingWork } from './023-pending-work.js'
import { publicIndex } from './024-public-index.js'
import { publishedRecords } from './025-published-records.js'
import { certificates } from './026-certificates.js'
import { contentReferences } from './028-references.js'
import { publicSearch } from './029-search.js'
import { redirects } from './030-redirects.js'
import { publicTrees } from './031-public-trees.js'
import { previewLinks } from './032-preview-links.js'
import { visibility } from './033-visibility.js'
import { pagesInMemory } from './034-pages-in-memory.js'
import { publicBook } from './035-public-book.js'
import { trashBin } from './036-trash.js'
import { review } from './037-review.js'
import { sourceIds } from './038-source-ids.js'
import { mediaTexts } from './039-media-texts.js'
import { severalInstances } from './040-several-instances.js'
import { instances } from './041-instances.js'
import { indexVersions } from './042-index-versions.js'
import { imports } from './046-imports.js'
import { userPreferences } from './047-user-preferences.js'
import { changedTrees } from './048-changed-trees.js'
import { webhookFilters } from './050-webhook-filters.js'
import { deviceSignIns } from './051-device-sign-ins.js'
import { secondFactors } from './052-second-factors.js'
import { passkeys } from './053-passkeys.js'
import { roleLimits } from './055-role-limits.js'
import { deliveryAnswers } from './056-delivery-answers.js'
import { oauthStateProviders } from './057-oauth-state-providers.js'
import { keyLimits } from './058-key-limits.js'
import { draftsByStatus } from './059-drafts-by-status.js'
import { importStates } from './060-import-states.js'
import { mediaCrop } from './061-media-crop.js'
import { oauthLinkSessions } from './062-oauth-link-sessions.js'
import { mediaTags } from './063-media-tags.js'
import { titlesInOrder } from './064-titles-in-order.js'

/** Every migration in its order. A released one is never changed: later changes are a new file. */
export const migrations: readonly Migration[] = [
  identity,
  content,
  media,
  webhooks,
  operation,
  authLimits,
  links,
  waiting,
  deliveries,
  mediaAgain,
  auditIndexes,
  pageAnswers,
  snapshotFormat,
  counters,
  renderedPages,
  publishedSnapshots,
  oauthProviders,
  rulesOfValues,
  idempotencyKeys,
  limitedKeys,
  routeTranslations,
  contentPlans,
  pendingWork,
  publicIndex,
  publishedRecords,
  certificates,
  contentReferences,
  publicSearch,
  redirects,
  publicTrees,
  previewLinks,
  visibility,
  pagesInMemory,
  publicBook,
  trashBin,
  review,
  sourceIds,
  mediaTexts,
  severalInstances,
  instances,
  indexVersions,
  imports,
  userPreferences,
  changedTrees,
  webhookFilters,
  deviceSignIns,
  secondFactors,
  passkeys,
  roleLimits,
  deliveryAnswers,
  oauthStateProviders,
  keyLimits,
  draftsByStatus,
  importStates,
  mediaCrop,
  oauthLinkSessions,
  mediaTags,
  titlesInOrder,
]
