import { badRequest, missingPermission } from '../errors.js'
import { Publish } from '../services/content/publishing.js'
import { PageCreate } from '../services/content/routes.js'
import { Schedule } from '../services/content/schedule.js'
import { type SiteCommand, show, type Values } from './command.js'
import { inputJson, parsed } from './given.js'
import { idOf } from './names.js'

type Work = SiteCommand['work']
type EntryStatus = { readonly content_data_id: string; readonly status: string }

const told = (io: Parameters<Work>[2], options: Values, entry: EntryStatus) =>
  show(io, options, entry, `${entry.content_data_id} ${entry.status}`)

export const contentPublish: Work = async (services, actor, io, options, [text = '']) => {
  const { space } = services
  const content_data_id = await idOf('content', text, services, actor)
  const { locale } = options
  told(io, options, await space.publishing.publish(actor, parsed(Publish, { content_data_id, locale })))
  return 0
}

export const contentUnpublish: Work = async (services, actor, io, options, [text = '']) => {
  const { space } = services
  const given = parsed(Publish, { content_data_id: await idOf('content', text, services, actor) })
  told(io, options, await space.publishing.unpublish(actor, given.content_data_id))
  return 0
}

/** Converts the time; `never` cancels the schedule. */
const time = (text: string | undefined) => (text === 'never' ? null : text)

export const contentSchedule: Work = async (services, actor, io, options, [text = '']) => {
  const { space } = services
  const { publish, unpublish } = options
  if (publish === undefined && unpublish === undefined)
    throw badRequest('give --publish or --unpublish with a time or never')
  const content_data_id = await idOf('content', text, services, actor)
  const plan = { content_data_id, publish_at: time(publish), unpublish_at: time(unpublish) }
  told(io, options, await space.publishing.schedule(actor, parsed(Schedule, plan)))
  return 0
}

/** Creates a route with its entry and all entries under it, from the JSON of standard input. */
export const pagesCreate: Work = async ({ access, space }, actor, io, options) => {
  if (!(await access.can(actor, 'routes:create'))) throw missingPermission('routes:create')
  const made = await space.content.createPage(actor, await inputJson(io, PageCreate, ['route', 'entry']))
  show(io, options, made, `${made.route.route_id} ${made.entry.content_data_id}`)
  return 0
}
