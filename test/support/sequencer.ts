import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest files, each first of what is left, so that all workers end at about the same time. */
const longest = [
  'whole/openapi-tools',
  'attacks/blocked-output',
  'attacks/stop-under-load',
  'attacks/descriptors',
  'attacks/full-disk',
  'attacks/unread-lists',
  'attacks/slow-database',
  'attacks/reset-connections',
  'faults/kill-writes',
  'whole/drafts',
  'api/public-index',
  'api/publish-orders',
  'faults/kill-migrations',
  'faults/kill-pages',
  'faults/media-storage',
  'faults/webhooks',
  'api/hostile-texts',
  'services/random-trees',
  'api/webhook-delivery',
  'faults/two-instances',
  'faults/planned',
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
