import type { Questions, ShownRecord } from '../../../services/import/shown.js'
import { memberOf, memberText, objectsIn } from '../../imports.js'

const recordOf =
  (member: 'documentId' | 'id') =>
  (one: Readonly<Record<string, unknown>>): ShownRecord[] => {
    const id = memberOf(one, member)
    if (typeof id !== 'string' && typeof id !== 'number') return []
    return [
      {
        id: String(id),
        createdAt: memberText(one, 'createdAt'),
        changedAt: memberText(one, 'updatedAt'),
        title: memberText(one, 'title') ?? memberText(one, 'name') ?? memberText(one, 'label'),
        slug: memberText(one, 'slug'),
        members: one,
      },
    ]
  }

/** Documents by their ids, in each locale. Exports of version 4 have numbers. */
export const strapiQuestions: Questions = ({ strapi, isPublic }, entries, locales) => {
  const [first] = entries
  const isDraft = first?.isPublished === false
  const member = first?.ids?.[0]?.kind === 'document' ? 'documentId' : 'id'
  const question = (some: typeof entries, locale: string | undefined) => {
    const ids = some.map(
      ({ ids }, i) => `filters[${member}][$in][${i}]=${encodeURIComponent(ids?.[0]?.id ?? '')}`,
    )
    const also = `${isDraft ? '&status=draft' : ''}${locale === undefined ? '' : `&locale=${locale}`}`
    return {
      path: `/api/${strapi}?${ids.join('&')}&pagination[pageSize]=100${also}`,
      ...{ entries: some, locale, needsKey: isDraft || !isPublic },
      recordsIn: (body: unknown) => objectsIn(body, 'data').flatMap(recordOf(member)),
    }
  }
  const others = locales.flatMap(locale => {
    const some = entries.filter(({ translations = {} }) => Object.hasOwn(translations, locale))
    return some.length > 0 ? [question(some, locale)] : []
  })
  return [question(entries, undefined), ...others]
}
