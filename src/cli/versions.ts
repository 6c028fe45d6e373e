import { counted } from '../resources/removal.js'
import type { SiteCommand } from './command.js'
import { show } from './command.js'
import { cell, limitIn, showList } from './table.js'

type Work = SiteCommand['work']

export const versionsList: Work = async ({ space }, _actor, io, options, [content_data_id = '']) => {
  await space.content.get(content_data_id)
  const where = { content_data_id }
  await showList(io, options, {
    batches: space.versions.list(where, { limit: limitIn(options) }),
    total: () => space.versions.count(where),
    columns: ['content_version_id', 'version_number', 'trigger', 'date_created', 'label'],
  })
  return 0
}

/** Compares two versions: a line for each changed value, `+` for added entries, `-` for removed ones. */
export const versionsCompare: Work = async ({ space }, _actor, io, options, [from = '', to = '']) => {
  const difference = await space.versions.difference(from, to)
  const { added, removed, values } = difference
  const lines = [
    ...added.map(id => `+ ${id}`),
    ...removed.map(id => `- ${id}`),
    ...values.map(({ content_data_id, field_id, locale, before, after }) =>
      [content_data_id, field_id, locale, cell(before), '->', cell(after)].filter(Boolean).join(' '),
    ),
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
