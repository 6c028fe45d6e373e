import type { LeanEntry, LeanValue } from '../../db/queries/trees.js'
import type { Log } from '../../ports.js'
import { Turns } from '../../turns.js'
import { parseRichText } from '../content/rich-text/parse.js'
import { type FormatContext, valuesIn, type WriteRich } from './formats/format.js'
import { type Node, walk } from './tree.js'

type Values = Pick<Node<LeanEntry, LeanValue>, 'values'>

/**
 * The rich texts that a format shows, as it writes them. This is what takes longest of a page, so it is done in
 * pieces between which others have their turn.
 */
export async function richValues(
  root: Node<LeanEntry, LeanValue> | Values,
  context: Pick<FormatContext, 'chain' | 'all' | 'linked' | 'media'>,
  write: WriteRich,
  log: Log,
): Promise<ReadonlyMap<LeanValue, unknown>> {
  const written = new Map<LeanValue, unknown>()
  const turns = new Turns()
  const shownIn = (node: Values) => (context.all ? node.values : valuesIn(node, context))
  const writeAll = async (node: Values) => {
    for (const { field, value } of shownIn(node)) {
      if (field.field_type !== 'richtext' || value.field_value === '') continue
      await turns.next()
      const { root, problem } = parseRichText(value.field_value)
      if (problem) {
        const { content_data_id, field_id, locale } = value
        log.warn(
          { content_data_id, field_id, locale },
          `a stored rich text ${problem}: it is shown in part as plain text`,
        )
      }
      await turns.next()
      written.set(value, await turns.run(write(root, richKey(value), context.media)))
    }
  }
  if ('children' in root) for (const node of walk(root)) await writeAll(node)
  else await writeAll(root)
  for (const { node } of context.linked.values()) await writeAll(node)
  await turns.next()
  return written
}

/** Formats with rich text read whole rows. */
const richKey = (value: LeanValue): string =>
  'content_field_id' in value && typeof value.content_field_id === 'string' ? value.content_field_id : ''
