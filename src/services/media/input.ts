import { z } from 'zod'
import type { MediaFilter, MediaRow } from '../../db/queries/media.js'
import { invalid } from '../../errors.js'
import { atOnce } from '../../turns.js'
import { reference } from '../body-parts.js'
import { localeCode } from '../content/locales.js'
import { escapedForLike } from '../matching.js'
import { refuseUnknownMembers } from '../unknown-members.js'
import { MediaRecord } from './record.js'
import { folded, MediaTag, MediaTags, taggedAs, tagsIn, tagText, withoutEdges } from './tags.js'

const line = (limit: number) =>
  z
    .string()
    .max(limit)
    .refine(text => !text.includes('\0') && text.isWellFormed(), 'contains characters that cannot be stored')
const percent = z.int().min(0).max(100)

const texts = {
  display_name: line(255),
  alt_text: line(1024),
  caption: line(1024),
  description: line(65_536),
}
const inLocale = z.strictObject({
  alt_text: texts.alt_text.nullish(),
  caption: texts.caption.nullish(),
  display_name: texts.display_name.nullish(),
})

export type { MediaOrder } from '../../db/queries/media.js'

export const MediaUpdate = z
  .object({
    ...texts,
    translations: z.record(localeCode, inLocale.nullable()).meta({
      description:
        'Texts by locale, such as {"de": {"alt_text": "Eine Wand"}}, merged into the stored ones: null removes a locale or a text.',
    }),
    tags: MediaTags,
    focal_x: percent.nullable(),
    focal_y: percent.nullable(),
    folder_id: reference.nullable(),
  })
  .partial()
const percentText = z
  .string()
  .regex(/^\d{1,3}$/, 'must be a whole number from 0 to 100')
  .transform(Number)
  .pipe(percent)
const tagsText = z.string().transform(tagsIn).pipe(MediaTags).meta({ description: 'With commas between.' })
/** The members of the form beside the file; an empty one counts as left out. */
export const MediaUpload = z
  .object({ ...texts, folder_id: reference, focal_x: percentText, focal_y: percentText, tags: tagsText })
  .partial()
export const MediaMove = z.object({
  media_ids: z.array(reference).min(1).max(1000),
  folder_id: reference.nullable(),
})
export const MediaList = z.object({
  folder_id: reference
    .optional()
    .meta({ description: 'Only items in this folder; `root` for items in no folder.' }),
  type: z
    .string()
    .max(255)
    .regex(/^[a-z0-9.+-]+(\/[a-z0-9.+-]+)?$/, 'must be a type such as image or image/png')
    .optional(),
  text: z
    .string()
    .max(255)
    .optional()
    .meta({ description: 'Only items with this text in their name or one of their texts.' }),
  tag: MediaTag.optional().meta({ description: 'Only items with this tag, without regard to case.' }),
  without: z.enum(['alt_text']).optional().meta({ description: 'Only items with no alt text: `alt_text`.' }),
})

export type Filter = z.output<typeof MediaList>

const escaped = (text: string) => escapedForLike(folded(text))

/** Returns the filters of the list, under the names that the statements have for them. */
export function filtersOf({
  folder_id,
  type,
  text,
  tag,
  without,
}: Filter): Partial<Record<MediaFilter, string>> {
  return {
    ...(folder_id === undefined ? {} : folder_id === 'root' ? { root: '' } : { folder: folder_id }),
    ...(type === undefined ? {} : type.includes('/') ? { type } : { kind: `${escaped(type)}/%` }),
    ...(text === undefined ? {} : { text: `%${escaped(text)}%` }),
    ...(tag === undefined ? {} : { tag: `%${escapedForLike(taggedAs(tag))}%` }),
    ...(without === undefined ? {} : { bare: '' }),
  }
}

type Searched = 'name' | 'display_name' | 'alt_text' | 'caption' | 'description' | 'translations' | 'tags'

/** Returns the text of a media item that the filters `text` and `tag` search. */
export const searchText = ({ translations, tags, ...row }: Pick<MediaRow, Searched>) => {
  const others = Object.values(translations).flatMap(texts => Object.values(texts))
  const own = [row.name, row.display_name, row.alt_text, row.caption, row.description]
  return withoutEdges(folded([...own, ...others].join('\n'))) + tagText(tags ?? [])
}

const shown = new Set(Object.keys(MediaRecord.shape))

/** Reads the fields of an upload form. @throws 400 that names the member, also an unknown one */
export function formOf(fields: ReadonlyMap<string, string>): z.output<typeof MediaUpload> {
  const given = Object.fromEntries([...fields].filter(([, value]) => value !== ''))
  atOnce(refuseUnknownMembers(MediaUpload, given, shown))
  const parsed = MediaUpload.safeParse(given)
  const [issue] = parsed.error?.issues ?? []
  if (issue) throw invalid(issue.path.join('.'), issue.message)
  return parsed.data ?? {}
}
