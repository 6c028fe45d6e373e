import { badRequest, invalid, missingPermission } from '../errors.js'
import { typedTime } from '../resources/typed-times.js'
import {
  publicationOf,
  publicationsOf,
  publishQuestion,
  unpublishQuestion,
} from '../resources/views/publication.js'
import { Publish } from '../services/content/publishing.js'
import { PageCreate } from '../services/content/routes.js'
import { Schedule } from '../services/content/schedule.js'
import type { Services } from '../services/index.js'
import { type Io, type SiteCommand, show, type Values } from './command.js'
import { agree } from './deletion.js'
import { inputJson, parsed } from './given.js'
import { actOnEach, selected } from './several.js'
import { partsOf } from './whole-entries.js'

type Work = SiteCommand['work']
type EntryStatus = { readonly content_data_id: string; readonly status: string }

const told = (io: Parameters<Work>[2], options: Values, entry: EntryStatus) =>
  show(io, options, entry, `${entry.content_data_id} ${entry.status}`)

type Does = 'publish' | 'unpublish'
type Reach = Awaited<ReturnType<typeof publicationOf | typeof publicationsOf>>

/** Shows what publications would do with `--dry-run`; asks a person before one of several entries. */
async function isAgreed(
  services: Services,
  io: Io,
  options: Values,
  { ids, reach, does }: { ids: readonly string[]; reach: Reach; does: Does },
): Promise<boolean> {
  const words = does === 'publish' ? publishQuestion(reach) : unpublishQuestion(reach)
  if (options['dry-run'] !== undefined) {
    const checks = []
    if (does === 'publish')
      for (const id of ids) checks.push(...(await services.space.publishing.check(id)).errors)
    const broken = checks.map(({ error }) => `\nThe publication would be refused: ${error}`).join('')
    const { entries, drafts } = reach
    const would = 'title' in reach ? ids[0] : ids
    const tops = 'title' in reach ? '' : ids.map(id => `\n${id}`).join('')
    show(
      io,
      options,
      { [`would_${does}`]: would, entries, drafts, errors: checks },
      `This would ${words.charAt(0).toLowerCase()}${words.slice(1).replace('?\n', '.\n')}${tops}${broken}`,
    )
    return false
  }
  if (io.ask && (reach.entries > 1 || reach.drafts > 0)) await agree(io, options, words)
  return true
}

/** Publishes or unpublishes one tree or several. */
const change =
  (does: Does): Work =>
  async (services, actor, io, options, given) => {
    const { publishing } = services.space
    const { locale } = options
    const publicationIn = (content_data_id: string) => parsed(Publish, { content_data_id, locale })
    const act = (id: string) =>
      does === 'publish' ? publishing.publish(actor, publicationIn(id)) : publishing.unpublish(actor, id)
    const found = await selected('content', { services, actor, io, options, given })
    const parts = partsOf(services)
    if ('one' in found) {
      const ids = [publicationIn(found.one).content_data_id]
      const reach = await publicationOf(found.one, parts)
      if (await isAgreed(services, io, options, { ids, reach, does })) told(io, options, await act(found.one))
      return 0
    }
    const reach = await publicationsOf(found.ids, parts)
    const { ids } = reach
    ids.forEach(publicationIn)
    if (ids.length > 0 && !(await isAgreed(services, io, options, { ids, reach, does }))) return 0
    return actOnEach(io, options, ids, { done: `${does}ed`, act })
  }

export const contentPublish = change('publish')
export const contentUnpublish = change('unpublish')

/** Reads the time, in the zone of the person; `never` cancels the schedule. */
function time(io: Io, option: 'publish' | 'unpublish', text: string | undefined): string | null | undefined {
  if (text === undefined || text === 'never') return text && null
  const found = typedTime(text, { now: Date.now(), zone: io.zone })
  if ('problem' in found) throw invalid(option, found.problem)
  return found.time
}

export const contentSchedule: Work = async (services, actor, io, options, given) => {
  const { space } = services
  const { publish, unpublish } = options
  if (publish === undefined && unpublish === undefined)
    throw badRequest('add --publish or --unpublish, with a time or never')
  const times = { publish_at: time(io, 'publish', publish), unpublish_at: time(io, 'unpublish', unpublish) }
  const act = (id: string) =>
    space.publishing.schedule(actor, parsed(Schedule, { content_data_id: id, ...times }))
  const found = await selected('content', { services, actor, io, options, given })
  if ('ids' in found) return actOnEach(io, options, found.ids, { done: 'scheduled', act })
  const content_data_id = found.one
  const entry = await act(content_data_id)
  const { publish_at, unpublish_at } = entry
  const shown = (word: string, at: string | null) => (at === null ? [] : [`${word} ${at}`])
  const planned = [...shown('publish', publish_at), ...shown('unpublish', unpublish_at)].join(', ')
  show(io, options, entry, [content_data_id, entry.status, planned].join(' ').trimEnd())
  return 0
}

/** Creates a route with its entry and all entries under it, from the JSON of standard input. */
export const pagesCreate: Work = async ({ access, space }, actor, io, options) => {
  if (!(await access.can(actor, 'routes:create'))) throw missingPermission('routes:create')
  const made = await space.content.createPage(actor, await inputJson(io, PageCreate, ['route', 'entry']))
  show(io, options, made, `${made.route.route_id} ${made.entry.content_data_id}`)
  return 0
}
