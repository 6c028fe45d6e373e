import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest files; each starts before all shorter ones, so that all workers end at about the same time. */
const longest = [
  'whole/starters',
  'faults/services-away',
  'faults/read-only',
  'faults/workers',
  'api/surrogate-keys',
  'whole/astro-site',
  'operation/acme',
  'operation/install',
  'panel/every-page',
  'panel/keyboard-story',
  'panel/eleven-tasks',
  'panel/field-list',
  'panel/editor',
  'panel/drafts',
  'panel/languages',
  'panel/hostile',
  'services/random-trees',
  'whole/client-runtimes',
  'whole/client.',
  'api/imports',
  'attacks/hostile-groq',
  'api/publish-orders',
  'faults/kill-writes',
  'faults/kill-migrations',
  'whole/openapi-tools',
  'whole/example-site',
  'api/public-index',
  'faults/kill-index',
  'faults/webhooks',
  'faults/media-storage',
  'api/webhook-delivery',
  'attacks/database-away',
  'api/query',
  'api/search',
  'compat/sanity-random',
  'compat/strapi-memory',
  'whole/drafts',
  'ssh/lost-words',
  'whole/safe-by-default',
  'attacks/holes',
  'cli/every-command',
  'cli/site-commands',
  'cli/start-refusals',
  'api/large-subtrees',
  'api/media-hostile',
  'compat/random',
  'db/page-version',
  'api/references',
  'attacks/hostile-shapes',
  'attacks/unread-lists',
  'attacks/full-disk',
  'whole/docs-site',
  'whole/quickstart',
  'whole/package',
  'attacks/blocked-output',
  'cli/first-password',
  'cli/user-password',
  'faults/kill-pages',
  'faults/two-instances',
  'faults/planned',
  'cli/backup',
  'operation/backup-dump',
  'api/backups',
  'attacks/stop-under-load',
  'api/hostile-texts',
  'services/regular-expressions',
  'document/webhooks',
  'document/operation',
  'ssh/crowd',
  'ssh/tmux',
  'ssh/fuzz',
  'operation/https',
]

const rank = ({ moduleId }: TestSpecification) => {
  const at = longest.findIndex(name => moduleId.includes(`/test/${name}`))
  return at < 0 ? longest.length : at
}

/**
 * SQLite comes first, because its files mostly wait while others run; then each engine's long files, then the rest in
 * vitest's order.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isServer = ({ name }: { name: string }) => Number(name !== 'sqlite')
    const engines = [...new Set(sorted.map(({ project }) => project))].sort(
      (a, b) => isServer(a) - isServer(b),
    )
    return engines.flatMap(engine =>
      sorted.filter(({ project }) => project === engine).sort((a, b) => rank(a) - rank(b)),
    )
  }
}
