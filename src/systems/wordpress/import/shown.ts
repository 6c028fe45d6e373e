import type { Questions, ShownRecord } from '../../../services/import/shown.js'
import { isObject, memberOf, memberText } from '../../imports.js'
import { plainText } from './html.js'

const routes: Readonly<Record<string, string>> = { author: 'users', category: 'categories', tag: 'tags' }

const timeOf = (record: unknown, name: string): string | undefined => {
  const text = memberText(record, name)
  return text === undefined ? undefined : `${text}Z`
}

function recordOf(one: unknown): ShownRecord[] {
  const id = memberOf(one, 'id')
  if (typeof id !== 'number') return []
  const acf = memberOf(one, 'acf')
  return [
    {
      id: String(id),
      changedAt: timeOf(one, 'modified_gmt'),
      publishedAt: timeOf(one, 'date_gmt'),
      title: plainText(memberText(memberOf(one, 'title'), 'rendered') ?? memberText(one, 'name') ?? ''),
      slug: memberText(one, 'slug'),
      members: isObject(acf) ? acf : {},
    },
  ]
}

/** Lists of posts, terms and authors by their numbers. */
export const wordpressQuestions: Questions = ({ wordpress, isPublic }, entries) => {
  const [first] = entries
  const isPost = first?.ids?.[0]?.kind === 'post'
  const route = (isPost ? undefined : routes[first?.type ?? '']) ?? wordpress
  const ids = entries.map(({ ids: own }) => own?.[0]?.id).join()
  const isDraft = first?.isPublished === false
  return [
    {
      path: `/wp-json/wp/v2/${route}?include=${ids}&per_page=100${isDraft ? '&status=any' : ''}`,
      ...{ entries, needsKey: isDraft || !isPublic },
      recordsIn: body => (Array.isArray(body) ? body.flatMap(recordOf) : []),
    },
  ]
}
