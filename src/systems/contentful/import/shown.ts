import type { Questions, ShownRecord } from '../../../services/import/shown.js'
import { isObject, memberOf, memberText, objectsIn } from '../../imports.js'

/** The text of a field in the locale that has it first, which is the default one. */
function fieldText(fields: unknown, names: readonly string[]): string | undefined {
  for (const name of names) {
    const [text] = Object.values(memberOf(fields, name) ?? {})
    if (typeof text === 'string') return text
  }
  return undefined
}

function recordOf(one: unknown): ShownRecord[] {
  const [sys, fields] = [memberOf(one, 'sys'), memberOf(one, 'fields')]
  const id = memberText(sys, 'id')
  if (id === undefined) return []
  return [
    {
      id,
      createdAt: memberText(sys, 'createdAt'),
      changedAt: memberText(sys, 'updatedAt'),
      title: fieldText(fields, ['title', 'name', 'label']),
      slug: fieldText(fields, ['slug']),
      members: isObject(fields) ? fields : {},
    },
  ]
}

/** `entries` by their ids, in all locales at once. */
export const contentfulQuestions: Questions = ({ isPublic }, entries) => {
  const isDraft = entries[0]?.isPublished === false
  const ids = entries.map(({ ids: own }) => encodeURIComponent(own?.[0]?.id ?? '')).join()
  return [
    {
      path: `${isDraft ? '/preview' : ''}/spaces/site/environments/master/entries?sys.id[in]=${ids}&locale=*&include=0&limit=100`,
      ...{ entries, needsKey: isDraft || !isPublic },
      recordsIn: body => objectsIn(body, 'items').flatMap(recordOf),
    },
  ]
}
