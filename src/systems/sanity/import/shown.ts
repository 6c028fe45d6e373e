import type { Questions, ShownRecord } from '../../../services/import/shown.js'
import { memberOf, memberText, objectsIn } from '../../imports.js'
import { timeOf } from '../../text-types.js'

function recordOf(one: Readonly<Record<string, unknown>>): ShownRecord[] {
  const id = memberText(one, '_id')
  if (id === undefined) return []
  return [
    {
      id: id.replace(/^drafts\./, ''),
      createdAt: timeOf(memberText(one, '_createdAt')),
      changedAt: timeOf(memberText(one, '_updatedAt')),
      title: memberText(one, 'title') ?? memberText(one, 'name') ?? memberText(one, 'label'),
      slug: memberText(memberOf(one, 'slug'), 'current'),
      members: one,
    },
  ]
}

/** Documents by their ids. */
export const sanityQuestions: Questions = ({ isPublic }, entries) => {
  const isDraft = entries[0]?.isPublished === false
  const ids = entries.map(({ ids: own }) => encodeURIComponent(own?.[0]?.id ?? '')).join()
  return [
    {
      path: `/v2025-02-19/data/doc/production/${ids}${isDraft ? '?perspective=drafts' : ''}`,
      ...{ entries, needsKey: isDraft || !isPublic },
      recordsIn: body => objectsIn(body, 'documents').flatMap(recordOf),
    },
  ]
}
