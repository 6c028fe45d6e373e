import { badRequest, invalid, missingPermission } from '../errors.js'
import { typedTime } from '../resources/typed-times.js'
import { publicationOf, publishQuestion, unpublishQuestion } from '../resources/views/publication.js'
import { Publish } from '../services/content/publishing.js'
import { PageCreate } from '../services/content/routes.js'
import { Schedule } from '../services/content/schedule.js'
import type { Services } from '../services/index.js'
import { type Io, type SiteCommand, show, type Values } from './command.js'
import { agree } from './deletion.js'
import { inputJson, parsed } from './given.js'
import { idOf } from './names.js'
import { partsOf } from './whole-entries.js'

type Work = SiteCommand['work']
type EntryStatus = { readonly content_data_id: string; readonly status: string }

const told = (io: Parameters<Work>[2], options: Values, entry: EntryStatus) =>
  show(io, options, entry, `${entry.content_data_id} ${entry.status}`)

/** Shows what a publication would do with `--dry-run`; asks a person before one of several entries. */
async function isAgreed(
  services: Services,
  io: Io,
  options: Values,
  { id, does }: { id: string; does: 'publish' | 'unpublish' },
): Promise<boolean> {
  const reach = await publicationOf(id, partsOf(services))
  const words = does === 'publish' ? publishQuestion(reach) : unpublishQuestion(reach)
  if (options['dry-run'] !== undefined) {
    const errors = does === 'publish' ? (await services.space.publishing.check(id)).errors : []
    const broken = errors.map(({ error }) => `\nThe publication would be refused: ${error}`).join('')
    const { entries, drafts } = reach
    show(
      io,
      options,
      { [`would_${does}`]: id, entries, drafts, errors },
      `This would ${words.charAt(0).toLowerCase()}${words.slice(1).replace('?\n', '.\n')}${broken}`,
    )
    return false
  }
  if (io.ask && (reach.entries > 1 || reach.drafts > 0)) await agree(io, options, words)
  return true
}

export const contentPublish: Work = async (services, actor, io, options, [text = '']) => {
  const { space } = services
  const content_data_id = await idOf('content', text, services, actor)
  const { locale } = options
  const given = parsed(Publish, { content_data_id, locale })
  if (await isAgreed(services, io, options, { id: content_data_id, does: 'publish' }))
    told(io, options, await space.publishing.publish(actor, given))
  return 0
}

export const contentUnpublish: Work = async (services, actor, io, options, [text = '']) => {
  const { space } = services
  const given = parsed(Publish, { content_data_id: await idOf('content', text, services, actor) })
  const id = given.content_data_id
  if (await isAgreed(services, io, options, { id, does: 'unpublish' }))
    told(io, options, await space.publishing.unpublish(actor, id))
  return 0
}

/** Reads the time, in the zone of the person; `never` cancels the schedule. */
function time(io: Io, option: 'publish' | 'unpublish', text: string | undefined): string | null | undefined {
  if (text === undefined || text === 'never') return text && null
  const found = typedTime(text, { now: Date.now(), zone: io.zone })
  if ('problem' in found) throw invalid(option, found.problem)
  return found.time
}

export const contentSchedule: Work = async (services, actor, io, options, [text = '']) => {
  const { space } = services
  const { publish, unpublish } = options
  if (publish === undefined && unpublish === undefined)
    throw badRequest('add --publish or --unpublish, with a time or never')
  const content_data_id = await idOf('content', text, services, actor)
  const plan = {
    content_data_id,
    publish_at: time(io, 'publish', publish),
    unpublish_at: time(io, 'unpublish', unpublish),
  }
  const entry = await space.publishing.schedule(actor, parsed(Schedule, plan))
  const { publish_at, unpublish_at } = entry
  const shown = (word: string, at: string | null) => (at === null ? [] : [`${word} ${at}`])
  const times = [...shown('publish', publish_at), ...shown('unpublish', unpublish_at)].join(', ')
  show(io, options, entry, [content_data_id, entry.status, times].join(' ').trimEnd())
  return 0
}

/** Creates a route with its entry and all entries under it, from the JSON of standard input. */
export const pagesCreate: Work = async ({ access, space }, actor, io, options) => {
  if (!(await access.can(actor, 'routes:create'))) throw missingPermission('routes:create')
  const made = await space.content.createPage(actor, await inputJson(io, PageCreate, ['route', 'entry']))
  show(io, options, made, `${made.route.route_id} ${made.entry.content_data_id}`)
  return 0
}
