import { badRequest } from '../errors.js'
import { isObject, memberOf, memberText, objectsIn } from '../systems/imports.js'
import type { Ask } from '../systems/live.js'

/** The records of a list, in pieces that are asked for together. */
export interface List {
  readonly name: string
  /** One page of the old system; empty after the last. */
  page(ask: Ask, number: number, size: number): Promise<unknown>
  /** The records of both systems by their ids. */
  records(body: unknown): ReadonlyMap<string, unknown>
  /** The question to the new system about these records. */
  some(ids: readonly string[]): string
}

export interface ComparedSystem {
  /** Whether an address is one of this system's API. */
  isAt(url: URL): boolean
  /** @param types names of lists, where the system does not tell them */
  lists(ask: Ask, types: readonly string[]): Promise<readonly List[]>
}

const byId = (records: readonly unknown[], idOf: (one: unknown) => unknown): ReadonlyMap<string, unknown> =>
  new Map(
    records.flatMap(one => {
      const id = idOf(one)
      return typeof id === 'string' || typeof id === 'number' ? [[String(id), one] as const] : []
    }),
  )

const listed = (body: unknown): readonly unknown[] => (Array.isArray(body) ? body : [])

const ownTypes =
  /^(?:attachment|nav_menu_item|wp_.+|custom_css|customize_changeset|oembed_cache|user_request)$/

const wordpressList = (base: string): List => ({
  name: base,
  page: (ask, number, size) =>
    ask(`/wp/v2/${base}?per_page=${size}&page=${number}&orderby=id&order=asc`).catch(error => {
      // WordPress refuses a page behind the last one.
      if (number > 1 && error instanceof Error && error.message.includes('HTTP 400')) return []
      throw error
    }),
  records: body => byId(listed(body), one => memberOf(one, 'id')),
  some: ids => `/wp/v2/${base}?include=${ids.join()}&per_page=100`,
})

const contentfulList = (type: string): List => ({
  name: type,
  page: (ask, number, size) =>
    ask(
      `/entries?content_type=${encodeURIComponent(type)}&include=0&order=sys.createdAt&limit=${size}&skip=${(number - 1) * size}`,
    ),
  records: body => byId(objectsIn(body, 'items'), one => memberOf(memberOf(one, 'sys'), 'id')),
  some: ids => `/entries?sys.id[in]=${ids.map(encodeURIComponent).join()}&include=0&limit=100`,
})

const query = (groq: string, params: Readonly<Record<string, unknown>>): string =>
  `?${new URLSearchParams([['query', groq], ...Object.entries(params).map(([name, value]) => [`$${name}`, JSON.stringify(value)])])}`

const sanityList = (type: string): List => ({
  name: type,
  page: (ask, number, size) => {
    const from = (number - 1) * size
    return ask(query(`*[_type == $type] | order(_id) [${from}...${from + size}]`, { type }))
  },
  records: body => byId(listed(memberOf(body, 'result')), one => memberOf(one, '_id')),
  some: ids => query('*[_type == $type && _id in $ids]', { type, ids }),
})

const strapiList = (plural: string): List => ({
  name: plural,
  page: (ask, number, size) =>
    ask(`/${plural}?populate=*&sort=documentId&pagination[page]=${number}&pagination[pageSize]=${size}`),
  records: body => byId(objectsIn(body, 'data'), one => memberOf(one, 'documentId') ?? memberOf(one, 'id')),
  some: ids =>
    `/${plural}?populate=*&pagination[pageSize]=100&${ids.map((id, i) => `filters[documentId][$in][${i}]=${encodeURIComponent(id)}`).join('&')}`,
})

function named(types: readonly string[], system: string): readonly string[] {
  if (types.length > 0) return types
  throw badRequest(`${system} does not list its types: add them, such as --types post,page`)
}

/** The systems that can be compared with this one. */
export const comparedSystems: Readonly<Record<string, ComparedSystem>> = {
  wordpress: {
    isAt: ({ pathname }) => pathname.includes('/wp-json'),
    async lists(ask, types) {
      const found = types.length > 0 ? {} : await ask('/wp/v2/types')
      const bases = Object.entries(isObject(found) ? found : {}).flatMap(([name, type]) =>
        ownTypes.test(name) ? [] : (memberText(type, 'rest_base') ?? []),
      )
      return (types.length > 0 ? types : [...bases, 'categories', 'tags', 'users']).map(wordpressList)
    },
  },
  contentful: {
    isAt: ({ pathname }) => pathname.includes('/spaces/'),
    async lists(ask, types) {
      const found = types.length > 0 ? [] : objectsIn(await ask('/content_types?limit=1000'), 'items')
      const ids = found.flatMap(type => memberText(memberOf(type, 'sys'), 'id') ?? [])
      return (types.length > 0 ? types : ids).map(contentfulList)
    },
  },
  sanity: {
    isAt: ({ pathname }) => pathname.includes('/data/query/'),
    async lists(ask, types) {
      const all = query('array::unique(*[!(_type match "sanity.*" || _type match "system.*")]._type)', {})
      const found =
        types.length > 0 ? types : listed(memberOf(await ask(all).catch(() => undefined), 'result'))
      const names = found.filter(name => typeof name === 'string')
      return named(names, 'the old address').map(sanityList)
    },
  },
  strapi: {
    isAt: ({ pathname }) => /\/api\/?$/.test(pathname),
    lists: async (_, types) => named(types, 'Strapi').map(strapiList),
  },
}
