import { nameOf } from '../resources/entries.js'
import { counted } from '../resources/removal.js'
import { type Comparison, comparisonOf } from '../resources/views/versions.js'
import type { SiteCommand } from './command.js'
import { show } from './command.js'
import { agree } from './deletion.js'
import { idOf } from './names.js'
import { limitIn, showList } from './table.js'
import { unifiedDiff } from './unified-diff.js'
import { visible } from './visible.js'
import { partsOf } from './whole-entries.js'

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

/** Returns a changed value as a diff of a file that is named by its entry, field and language. */
function patchOf({ title, field, locale, before, after }: Comparison['values'][number]): string {
  const name = [title, field, locale]
    .filter(Boolean)
    .map(part => String(part).replaceAll(/[\s/\\]+/g, '-'))
    .join('/')
  return unifiedDiff(name, before ?? '', after ?? '')
}

/** Compares two versions: a line for each changed value, `+` for added entries, `-` for removed ones. */
export const versionsCompare: Work = async (services, _actor, io, options, [from = '', to = '']) => {
  const difference = await services.space.versions.difference(from, to)
  const compared = await comparisonOf(from, to, { services })
  if (options.patch !== undefined) {
    io.write(visible(compared.values.map(patchOf).join('')))
    return 0
  }
  const { added, removed, values } = compared
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

/** Restores a version, after a question to a person: it replaces the values of today, which stay as a version. */
export const versionsRestore: Work = async (services, actor, io, options, [id = '']) => {
  const { space } = services
  const { content_data_id, version_number } = await space.versions.get(id)
  const title = await nameOf(await space.content.get(content_data_id), partsOf(services))
  const words = `version ${version_number} of “${title}”`
  const kept = 'The current state is saved as a version first.'
  if (options['dry-run'] !== undefined) {
    show(io, options, { would_restore: id, version_number }, `This would restore ${words}. ${kept}`)
    return 0
  }
  if (io.ask) await agree(io, options, `Restore ${words}? ${kept}`)
  const done = await space.versions.restore(actor, id)
  const { restored, recreated, kept_version_id } = done
  const said = `Restored ${counted(restored, 'values')} and ${counted(recreated.length, 'entries')}. The previous state is version ${kept_version_id}`
  show(io, options, done, said)
  return 0
}
