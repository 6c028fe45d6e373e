import type { Format, LaterFormat } from '../../src/services/delivery/formats/format.js'
import { type FormatName, formats } from '../../src/services/delivery/formats/index.js'

const loaded = new Map(
  await Promise.all(
    [...formats].map(
      async ([name, format]) => [name, format.reads === 'later' ? await format.load() : format] as const,
    ),
  ),
)

/** Returns a format with everything that it needs. */
export const formatNamed = (name: FormatName): Exclude<Format, LaterFormat> => {
  const format = loaded.get(name)
  if (!format) throw new Error(`there is no format ${name}`)
  return format
}
