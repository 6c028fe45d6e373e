import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest files, each first of what is left, so that all workers end at about the same time. */
const longest = [
  'operation/install',
  'faults/services-away',
  'operation/acme',
  'panel/every-page',
  'panel/keyboard-story',
  'panel/editor',
  'panel/drafts',
  'attacks/hostile-groq',
  'faults/kill-writes',
  'whole/openapi-tools',
  'whole/example-site',
  'api/public-index',
  'faults/kill-index',
  'faults/webhooks',
  'faults/media-storage',
  'api/webhook-delivery',
  'api/publish-orders',
  'attacks/database-away',
  'attacks/slow-database',
  'faults/kill-migrations',
  'api/query',
  'api/search',
  'compat/sanity-random',
  'compat/strapi-memory',
  'api/references',
  'attacks/hostile-groq',
  'attacks/hostile-shapes',
  'attacks/unread-lists',
  'attacks/full-disk',
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
  'whole/drafts',
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

/** Each engine's long files first, then the rest as vitest puts it. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const engines = [...new Set(sorted.map(({ project }) => project))]
    return engines.flatMap(engine =>
      sorted.filter(({ project }) => project === engine).sort((a, b) => rank(a) - rank(b)),
    )
  }
}
