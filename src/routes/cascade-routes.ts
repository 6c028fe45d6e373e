import { z } from 'zod'
import { invalid } from '../errors.js'
import { refusingWithout } from '../middleware/authenticate.js'
import { actorOf } from '../middleware/context.js'
import { type CascadeKind, Removal } from '../services/content/cascades.js'
import type { SpaceContext } from './context.js'
import { idOf, idQuery, nounsOf } from './crud-routes.js'
import type { Endpoints } from './endpoints.js'

const yesOrNo = z.enum(['true', 'false']).optional()

interface Cascade {
  kind: CascadeKind
  flag: 'recursive' | 'values'
  dependents: string
  /** Resources whose records are deleted as well; the caller needs the right to delete them. */
  also: readonly string[]
}

/** The deletion of a record, alone or with everything that hangs on it. */
export function cascadeRoute(
  api: Endpoints,
  context: SpaceContext,
  { kind, flag, dependents, also }: Cascade,
): void {
  const { space, prefix, permission, recordResponses, authentication } = context
  const { [kind]: service, cascades } = space
  const refuseWithout = refusingWithout(authentication)
  api.delete(
    `${prefix}/${kind}`,
    `${permission(kind)}:delete`,
    {
      summary: `Delete ${nounsOf(`/${kind}`)[0]}`,
      description: `\`${flag}=true\` also deletes ${dependents}, and \`dry_run=true\` with it only counts the records.`,
      query: z.object({ ...idQuery.shape, [flag]: yesOrNo, dry_run: yesOrNo }),
      item: service.table.key,
      ifMatch: true,
      answers: { status: 204 },
      dryRun: Removal,
    },
    async (c, { query }) => {
      const given = query as Record<string, string | undefined>
      const id = idOf(given, undefined, service.table.key)
      const check = recordResponses.ifMatch(c)
      const isCascade = given[flag] === 'true'
      const isDry = given.dry_run === 'true'
      if (isDry && !isCascade) throw invalid('dry_run', `needs ${flag}=true`)
      if (isCascade) for (const resource of also) await refuseWithout(c, `${permission(resource)}:delete`)
      if (isDry) return c.json(await cascades.count(kind, id))
      await (isCascade ? cascades.remove(actorOf(c), kind, id, check) : service.remove(actorOf(c), id, check))
      return c.body(null, 204)
    },
  )
}
