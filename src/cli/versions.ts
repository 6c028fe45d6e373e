import { counted } from '../resources/removal.js'
import { comparisonOf } from '../resources/views/versions.js'
import type { SiteCommand } from './command.js'
import { show } from './command.js'
import { idOf } from './names.js'
import { limitIn, showList } from './table.js'

type Work = SiteCommand['work']

/** More versions of an entry than are kept. */
const maxVersions = 1000

async function* oneBatch<R>(found: Promise<readonly R[]>) {
  yield await found
}

/** Lists versions without their snapshots, which hold all values of each. */
export const versionsList: Work = async (services, actor, io, options, [text = '']) => {
  const { space } = services
  const content_data_id = await idOf('content', text, services, actor)
  await space.content.get(content_data_id)
  await showList(io, options, {
    batches: oneBatch(space.versions.summaries(content_data_id, limitIn(options) ?? maxVersions)),
    total: () => space.versions.count({ content_data_id }),
    columns: ['content_version_id', 'version_number', 'trigger', 'date_created', 'label'],
  })
  return 0
}

/** Compares two versions: a line for each changed value, `+` for added entries, `-` for removed ones. */
export const versionsCompare: Work = async (services, _actor, io, options, [from = '', to = '']) => {
  const difference = await services.space.versions.difference(from, to)
  const { added, removed, values } = await comparisonOf(from, to, { services })
  const signed = (sign: string, text: string | null) =>
    text ? text.split('\n').map(line => `  ${sign} ${line}`) : []
  const lines = [
    ...added.map(title => `+ ${title}`),
    ...removed.map(title => `- ${title}`),
    ...values.flatMap(({ title, field, locale, before, after }) => [
      [title, field, locale].filter(Boolean).join(' · '),
      ...signed('-', before),
      ...signed('+', after),
    ]),
  ]
  show(io, options, difference, lines.join('\n') || 'They are the same.')
  return 0
}

export const versionsRestore: Work = async ({ space }, actor, io, options, [id = '']) => {
  await space.versions.get(id)
  const done = await space.versions.restore(actor, id)
  const { restored, recreated, kept_version_id } = done
  const words = `Restored ${counted(restored, 'values')} and ${counted(recreated.length, 'entries')}. The previous state is version ${kept_version_id}`
  show(io, options, done, words)
  return 0
}
