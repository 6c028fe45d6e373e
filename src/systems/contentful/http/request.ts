import { invalid } from '../../../errors.js'
import type { Ctx } from '../../../middleware/context.js'
import { localeCode } from '../../../services/content/locales.js'
import type { FilterCondition } from '../../../services/delivery/query/query-request.js'
import { numberOf } from '../../brackets.js'
import { searchOf } from '../../root.js'
import { initialSync, readSyncToken, type SyncState, syncTypes } from '../find/sync.js'

const [standardLimit, maxLimit, maxInclude] = [100, 1000, 10]
const maxSynced = 200

/** A condition of a request. */
export interface ContentfulCondition {
  readonly parameter: string
  /** `fields.<name>`, `fields.<name>.fields.<name>`, or of `sys` the word behind it. */
  readonly path: readonly [string] | readonly [string, string]
  readonly operator: FilterCondition['operator'] | 'nin' | 'all'
  readonly values: readonly string[]
}

const operators: Readonly<Record<string, ContentfulCondition['operator']>> = {
  '': 'eq',
  ne: 'ne',
  in: 'in',
  nin: 'nin',
  all: 'all',
  lt: 'lt',
  lte: 'lte',
  gt: 'gt',
  gte: 'gte',
  exists: 'exists',
  match: 'contains',
}
const systemMembers: Readonly<Record<string, string>> = {
  'sys.id': 'id',
  'sys.createdAt': 'date_created',
  'sys.updatedAt': 'date_modified',
  'sys.publishedAt': 'published_at',
  'sys.firstPublishedAt': 'published_at',
}
const name = '([A-Za-z0-9_]{1,255})'
const member = new RegExp(
  `^fields\\.${name}(?:\\.(sys\\.id|fields\\.${name}))?(?:\\.[a-z]{2,3}(?:-[A-Z]{2})?)?$`,
)
/** Parameters that do not filter here: others read them, or they repeat a choice that is already made. */
const ignored =
  /^fields\.[A-Za-z0-9_]{1,255}\.sys\.contentType\.sys\.id$|^(?:access_token|content_type|include|skip|limit|order|select|locale|query|links_to_entry|links_to_asset|cursor|pageNext|sys\.id|sys\.id\[in\])$/

function conditionOf(parameter: string, value: string): ContentfulCondition | undefined {
  if (ignored.test(parameter)) return undefined
  const [, path = '', given = ''] = /^([^[\]]+)(?:\[([a-z]+)\])?$/.exec(parameter) ?? []
  const operator = Object.hasOwn(operators, given) ? operators[given] : undefined
  const found = member.exec(path)
  const column = Object.hasOwn(systemMembers, path) ? systemMembers[path] : undefined
  if (!operator || (!found && !column)) throw invalid(parameter.slice(0, 100), 'is not supported')
  const [, field = '', , inner] = found ?? []
  if (value === '') throw invalid(parameter.slice(0, 100), 'must have a value')
  if (operator === 'exists' && value !== 'true' && value !== 'false')
    throw invalid(parameter, 'must be true or false')
  const own =
    column !== undefined
      ? ([column] as const)
      : inner === undefined
        ? ([field] as const)
        : ([field, inner] as const)
  const values =
    operator === 'in' || operator === 'nin' || operator === 'all'
      ? value.split(',').filter(one => one !== '')
      : [value]
  if (values.length === 0) throw invalid(parameter.slice(0, 100), 'must have a value')
  return { parameter, path: own, operator, values }
}

function orderOf(text: string | null) {
  const parts = (text ?? '').split(',').filter(part => part !== '')
  if (parts.length > 4) throw invalid('order', 'has more than 4 keys')
  return parts.map(part => {
    const [, minus = '', of = '', field = ''] =
      /^(-?)((?:fields\.([A-Za-z0-9_]{1,255}))|sys\.[A-Za-z]{1,40})$/.exec(part) ?? []
    // Ids are in the order in which entries were made.
    const column =
      of === 'sys.createdAt' ? 'id' : Object.hasOwn(systemMembers, of) ? systemMembers[of] : undefined
    const name = field || column
    if (!name) throw invalid('order', `${part.slice(0, 60)} is not supported`)
    return { name, descending: minus === '-' }
  })
}

function localeOf(locale: string): string {
  if (locale !== '' && locale !== '*' && !localeCode.safeParse(locale).success)
    throw invalid('locale', 'must be a language tag such as de or de-AT, or *')
  return locale
}

export type ContentfulRequest = ReturnType<typeof requestOf>

/** @param images what the addresses of pictures begin with */
export function requestOf(c: Ctx, images: string) {
  const query = new URLSearchParams(searchOf(c.req.url))
  const number = (parameter: string, most: number, standard: number) =>
    numberOf(parameter, query.get(parameter) ?? undefined, { least: 0, most, standard })
  const one = query.get('sys.id')
  const some = query.get('sys.id[in]')
  const ids = one !== null ? [one] : some?.split(',')
  if (ids && ids.length > maxLimit) throw invalid('sys.id[in]', `must have at most ${maxLimit} ids`)
  const linksTo = query.get('links_to_entry') ?? query.get('links_to_asset')
  const select = query.get('select')
  const conditions = [...query].flatMap(([parameter, value]) => conditionOf(parameter, value) ?? [])
  return {
    contentType: query.get('content_type') ?? undefined,
    ids,
    conditions,
    query: query.get('query') ?? '',
    linksTo: linksTo ?? undefined,
    order: orderOf(query.get('order')),
    skip: number('skip', 10_000, 0),
    limit: Math.max(number('limit', maxLimit, standardLimit), 1),
    include: number('include', maxInclude, 1),
    select: select === null ? undefined : new Set(select.split(',')),
    locale: localeOf(query.get('locale') ?? ''),
    cursor: query.get('cursor') === 'true' ? { after: query.get('pageNext') ?? undefined } : undefined,
    images,
  }
}

/** Reads the first request of a synchronisation, or one that goes on with a token. */
export function syncOf(c: Ctx): SyncState {
  const query = new URLSearchParams(searchOf(c.req.url))
  const token = query.get('sync_token')
  if (token !== null) return readSyncToken(token)
  if (query.get('initial') !== 'true') throw invalid('sync_token', 'is missing: start with initial=true')
  const contentType = query.get('content_type')
  const given = query.get('type') ?? (contentType === null ? 'all' : 'Entry')
  const type = syncTypes.find(one => one === given)
  if (!type) throw invalid('type', `must be one of ${syncTypes.join(', ')}`)
  if (contentType !== null && type !== 'Entry') throw invalid('content_type', 'needs type=Entry')
  const limit = numberOf('limit', query.get('limit') ?? undefined, {
    least: 1,
    most: 1000,
    standard: maxSynced,
  })
  return initialSync(type, contentType, Math.min(limit, maxSynced))
}
