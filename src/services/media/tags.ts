import { z } from 'zod'
import { limits } from '../../limits.js'

const { tags: maxTags, tagLength } = limits.media

/** Texts that look the same are found by each other. */
export const folded = (text: string) => text.normalize('NFC').toLowerCase()

const isPlain = (text: string) => !/[\p{Cc}\p{Zl}\p{Zp},]/u.test(text) && text.isWellFormed()

/** One tag. A comma separates tags in a form. */
export const MediaTag = z
  .string()
  .overwrite(text => text.normalize('NFC').trim())
  .min(1)
  .max(tagLength)
  .refine(isPlain, 'must not contain commas or control characters')

/** Returns the tags without those that differ from an earlier one by case alone. */
function unique(tags: readonly string[]): string[] {
  const byFolded = new Map<string, string>()
  for (const tag of tags) if (!byFolded.has(folded(tag))) byFolded.set(folded(tag), tag)
  return [...byFolded.values()]
}

export const MediaTags = z
  .array(MediaTag)
  .max(maxTags)
  .overwrite(unique)
  .meta({ description: 'Short words. Those that differ by case alone are one tag.' })

/** Tags of a form, with commas between. */
export const tagsIn = (text: string): string[] =>
  text
    .split(',')
    .map(tag => tag.trim())
    .filter(Boolean)

/** Returns the tags of an item after some were added and removed. They may be too many. */
export function changedTags(
  before: readonly string[],
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): string[] {
  const gone = new Set(remove.map(folded))
  return unique([...before.filter(tag => !gone.has(folded(tag))), ...add])
}

/** A character around each tag in the text that is searched; nothing else there has it. */
const edge = '\u001f'

/** Returns a text with all tags, in which `taggedAs` finds a whole one. */
export const tagText = (tags: readonly string[]): string =>
  tags.length === 0 ? '' : `${edge}${tags.map(folded).join(edge)}${edge}`
export const taggedAs = (tag: string): string => `${edge}${folded(tag)}${edge}`
export const withoutEdges = (text: string): string => text.replaceAll(edge, ' ')
