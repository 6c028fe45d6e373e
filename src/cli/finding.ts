import { decodeHTML } from 'entities'
import type { Actor } from '../actor.js'
import { badRequest, missingPermission } from '../errors.js'
import type { Services } from '../services/index.js'
import type { Io, SiteCommand, Values } from './command.js'
import { cell } from './table.js'
import { visible } from './visible.js'

type Work = SiteCommand['work']

const decoder = new TextDecoder()

/** The part of an address that asks the same. */
function searchOf({ json: _, config: __, ...options }: Values, more: readonly [string, string][]): string {
  const given = Object.entries(options).map(([name, value = '']): [string, string] => [
    name,
    name === 'count' ? 'true' : value,
  ])
  return new URLSearchParams([...given, ...more]).toString()
}

/** A condition such as `price[gte]=10`, as the address of a query has it. */
function conditionOf(text: string): [string, string] {
  const [, name, operator = '', value] = /^([^[=]+)((?:\[[^\]=]*\])*)=([\s\S]*)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw badRequest(`${text}: must be a condition such as price[gte]=10 or category=news`)
  return [`filter[${name}]${operator}`, value]
}

/** Throws what the API would where the caller may not read content. */
const allowing =
  ({ access }: Services, actor: Actor) =>
  async (): Promise<void> => {
    if (!(await access.can(actor, 'content:read'))) throw missingPermission('content:read')
  }

function answer(io: Io, { json }: Values, body: Uint8Array, text: (found: never) => string[]): void {
  const whole = decoder.decode(body)
  const shown =
    json === undefined ? text(JSON.parse(whole) as never).join('\n') || 'Nothing is found.' : whole
  io.write(visible(`${shown}\n`))
}

interface Found {
  readonly data: readonly { readonly id: string; readonly fields: Readonly<Record<string, unknown>> }[]
  readonly meta: { readonly next: string | number | null; readonly count?: number }
}

/** What to ask with for the rest, and how much there is. */
const metaLines = ({ next, count }: Found['meta'], option: string): string[] => [
  ...(count === undefined ? [] : [`found: ${count}`]),
  ...(next === null ? [] : [`more: ${option} ${next}`]),
]

/** Published entries of a datatype, as `/query` gives them. */
export const query: Work = async (services, actor, io, options, [datatype = '', ...conditions]) => {
  const search = searchOf(options, conditions.map(conditionOf))
  const found = await services.space.queries.answer(
    { datatype, search },
    { hasKey: true, allow: allowing(services, actor) },
  )
  answer(io, options, found.body, ({ data, meta }: Found) => [
    ...data.flatMap(({ id, fields }) => [
      id,
      ...Object.entries(fields).map(([name, value]) => `  ${name}: ${cell(value)}`),
    ]),
    ...metaLines(meta, '--cursor'),
  ])
  return 0
}

interface Results {
  readonly data: readonly {
    readonly id: string
    readonly type: string
    readonly page: { readonly slug: string } | null
    readonly highlights: readonly { readonly field: string; readonly html: string }[]
  }[]
  readonly meta: Found['meta']
}

const plain = (html: string): string => decodeHTML(html.replaceAll(/<\/?mark>/g, ''))

/** Published entries by the words in them, as `/search` gives them. */
export const search: Work = async (services, actor, io, options, words) => {
  const found = await services.space.search.answer(searchOf(options, [['q', words.join(' ')]]), {
    mayRead: () => services.access.can(actor, 'content:read'),
    allow: allowing(services, actor),
  })
  answer(io, options, found.body, ({ data, meta }: Results) => [
    ...data.flatMap(({ id, type, page, highlights }) => [
      `${id}  ${type}  ${cell(page?.slug)}`,
      ...highlights.map(({ field, html }) => `  ${field}: ${cell(plain(html))}`),
    ]),
    ...metaLines(meta, '--offset'),
  ])
  return 0
}
