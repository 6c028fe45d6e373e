import { badRequest, missingPermission } from '../errors.js'
import { inPublicSpace, rightsOf } from '../resources/admin-space.js'
import { titlesById } from '../resources/entries.js'
import { foundAnything } from '../resources/views/find.js'
import { searchRequest, searchText } from '../routes/search-text.js'
import type { Services } from '../services/index.js'
import type { Io, SiteCommand, Values } from './command.js'
import { cell, showList } from './table.js'
import { visible } from './visible.js'

type Work = SiteCommand['work']

const maxTitles = 200

const decoder = new TextDecoder()

const parametersOf = ({ json: _, config: __, ...options }: Values): [string, string][] =>
  Object.entries(options).map(([name, value = '']) => [name, name === 'count' ? 'true' : value])

function conditionOf(text: string): [string, string] {
  const [, name, operator = '', value] = /^([^[=]+)((?:\[[^\]=]*\])*)=([\s\S]*)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw badRequest(`${text}: must be a condition such as price[gte]=10 or category=news`)
  return [`filter[${name}]${operator}`, value]
}

function write(io: Io, text: string): number {
  io.write(visible(`${text}\n`))
  return 0
}
const writeFound = (io: Io, lines: readonly string[]) => write(io, lines.join('\n') || 'No results.')

interface Meta {
  readonly next: string | number | null
  readonly count?: number | undefined
}

interface Found {
  readonly data: readonly { readonly id: string; readonly fields: Readonly<Record<string, unknown>> }[]
  readonly meta: Meta
}

const metaLines = ({ next, count }: Meta, option: string): string[] => [
  ...(count === undefined ? [] : [`found: ${count}`]),
  ...(next === null ? [] : [`more: ${option} ${next}`]),
]

async function titlesOfFound(services: Services, ids: readonly string[]): Promise<(id: string) => string> {
  const titles = await titlesById(ids.slice(0, maxTitles), { services: inPublicSpace(services) })
  return id => cell(titles.get(id))
}

/** Shows published entries of a datatype, as `/query` returns them. */
export const query: Work = async (services, actor, io, options, [datatype = '', ...conditions]) => {
  const search = new URLSearchParams([...parametersOf(options), ...conditions.map(conditionOf)]).toString()
  const allow = async () => {
    if (!(await services.access.can(actor, 'content:read'))) throw missingPermission('content:read')
  }
  const { body } = await services.space.queries.answer({ datatype, search }, { hasKey: true, allow })
  const text = decoder.decode(body)
  if (options.json !== undefined) return write(io, text)
  const { data, meta }: Found = JSON.parse(text)
  const titles = await titlesOfFound(
    services,
    data.map(({ id }) => id),
  )
  return writeFound(io, [
    ...data.flatMap(({ id, fields }) => [
      `${id}  ${titles(id)}`,
      ...Object.entries(fields).map(([name, value]) => `  ${name}: ${cell(value)}`),
    ]),
    ...metaLines(meta, '--cursor'),
  ])
}

/** Shows published entries by words, as `/search` returns them. */
export const search: Work = async (services, actor, io, options, words) => {
  const request = searchRequest([...parametersOf(options), ['q', words.join(' ')]])
  const mayRead = await services.access.can(actor, 'content:read')
  const searcher = mayRead ? 'reader' : { refusal: missingPermission('content:read') }
  const found = await services.space.search.find(searcher, request)
  if (options.json !== undefined) return write(io, searchText(found))
  const titles = await titlesOfFound(
    services,
    found.results.map(({ id }) => id),
  )
  return writeFound(io, [
    ...found.results.flatMap(({ id, type, page, highlights }) => [
      `${id}  ${type}  ${cell(page?.slug)}  ${titles(id)}`,
      ...highlights.map(({ field, parts }) => `  ${field}: ${cell(parts.map(({ text }) => text).join(''))}`),
    ]),
    ...metaLines(found, '--offset'),
  ])
}

/** Shows pages, entries, datatypes, files and people with the words, drafts too, as far as the caller may see them. */
export const go: Work = async (services, actor, io, options, words) => {
  const parts = inPublicSpace(services)
  const rights = await rightsOf(parts.access, actor)
  const finder = { services: parts, actor, can: (word: string) => rights.has(word) }
  const found = await foundAnything(finder, words.join(' '))
  const batches = (async function* () {
    yield found.map(one => ({ ...one }))
  })()
  await showList(io, { ...options, limit: '0' }, { batches, columns: ['kind', 'id', 'name', 'about'] })
  return 0
}
