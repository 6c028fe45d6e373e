import { HttpError } from '../../errors.js'
import type { TreesAsked, TreesOrder } from '../../services/content/work-list.js'
import type { Wording } from '../../texts/wording.js'
import { all, type Entry, isTitle, type Model, type SpaceParts } from '../entries.js'
import type { Choice } from '../form-field.js'
import { kindsOfTrees } from '../kinds.js'

/** The filters and the order of the list of trees, as the address has them. */
export interface WorkListAsked {
  readonly q: string
  /** A datatype, `pages` or `shared`. */
  readonly kind: string | undefined
  readonly state: TreesAsked['state']
  readonly author: string | undefined
  readonly by: TreesOrder['by']
  readonly descending: boolean
  readonly page: number
}

/** Returns the choices as the address has them. `draft` and `published` are the status, regardless of changes and schedules. */
export const stateChoices = ({
  t,
}: Wording): readonly (Choice & { value: NonNullable<TreesAsked['state']> })[] => [
  { value: 'draft', word: t('Draft') },
  { value: 'published', word: t('Published') },
  { value: 'scheduled', word: t('Scheduled') },
  { value: 'changed', word: t('Unpublished changes') },
]

/** Returns the datatypes of trees, after choices that stand for several. */
export const kindChoices = (model: Model, { t }: Wording): Choice[] => [
  { value: 'pages', word: t('All pages') },
  { value: 'shared', word: t('Shared content') },
  ...kindsOfTrees(model).map(({ datatype_id, label }) => ({ value: datatype_id, word: label })),
]

export const treesOnPage = 100
/** The most trees that a search lists. */
export const maxFoundTrees = 500

/** Finds roots of trees by words in titles, addresses and texts, drafts too. Only for users who may see drafts. */
export async function foundRoots(
  text: string,
  most: number,
  { services: { space } }: SpaceParts,
): Promise<string[]> {
  const ids = await space.search.ids(text.slice(0, 200), most).catch(error => {
    // The search rejects more words than it supports.
    if (error instanceof HttpError && error.status === 400) return []
    throw error
  })
  const entries = ids.length === 0 ? [] : await all(space.content.list({ content_data_id: [...ids] }, {}))
  const rootOf = new Map(entries.map(({ content_data_id, root_id }) => [content_data_id, root_id]))
  const roots = await space.workList.withWords(text, most)
  return [...new Set([...ids.flatMap(id => rootOf.get(id) ?? []), ...roots])].slice(0, most)
}

const titleFields = (model: Model): string[] =>
  kindsOfTrees(model).flatMap(
    ({ datatype_id }) => model.fieldsOf.get(datatype_id)?.find(isTitle)?.field_id ?? [],
  )

interface WorkListPage {
  readonly roots: readonly Entry[]
  readonly total: number
  readonly isCut: boolean
}

/** Returns the slice of a page of the list. */
const sliceOf = ({ page }: WorkListAsked) => ({ limit: treesOnPage, offset: (page - 1) * treesOnPage })

/** Returns one page of the list, or another slice of it. */
export async function workListPage(
  asked: WorkListAsked,
  model: Model,
  parts: SpaceParts,
  slice: { readonly limit: number; readonly offset: number } = sliceOf(asked),
): Promise<WorkListPage> {
  const { content, workList } = parts.services.space
  const { q, kind, state, author, by, descending } = asked
  const isPlace = kind === 'pages' || kind === 'shared'
  const place = kind === 'pages' ? 'page' : kind === 'shared' ? 'shared' : undefined
  const roots = q === '' ? undefined : await foundRoots(q, maxFoundTrees, parts)
  const which: TreesAsked = {
    datatype_id: isPlace ? undefined : kind,
    author_id: author,
    state,
    place,
    roots,
  }
  const order = { by, descending, titleFields: titleFields(model) }
  const total = await workList.count(which)
  const ids = await workList.list(which, order, { ...slice, total })
  const found = ids.length === 0 ? [] : await all(content.list({ content_data_id: ids }, {}))
  const byId = new Map(found.map(entry => [entry.content_data_id, entry]))
  return {
    roots: ids.flatMap(id => byId.get(id) ?? []),
    total,
    isCut: roots !== undefined && roots.length >= maxFoundTrees,
  }
}
