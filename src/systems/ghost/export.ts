import { z } from 'zod'
import { badRequest } from '../../errors.js'
import { limits } from '../../limits.js'
import { isDeep } from '../../services/delivery/formats/typed-value.js'
import type { ExportFiles } from '../../services/import/site.js'
import type { UnreadRecords } from '../../services/import/unread.js'
import { isObject, type Json, memberOf, objectsIn } from '../imports.js'

/** The file that Ghost writes under Settings > Import/Export, as far as it is read. */

/** Levels of arrays and objects; texts of the editor are texts in it. */
const maxDepth = 100

const id = z.union([z.string().min(1).max(255), z.number().int()]).transform(String)
const text = z
  .string()
  .nullish()
  .catch(undefined)
  .transform(value => value ?? '')
const time = text.transform(value => {
  const at = Date.parse(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value) ? `${value.replace(' ', 'T')}Z` : value,
  )
  return at >= 0 && at < 253_402_300_800_000 ? new Date(at).toISOString() : undefined
})
const flag = z.union([z.boolean(), z.number()]).nullish().catch(undefined).transform(Boolean)

const postSchema = z.object({
  id,
  ...{ title: text, slug: text, html: text, lexical: text, mobiledoc: text },
  ...{
    type: text,
    status: text,
    visibility: text,
    custom_excerpt: text,
    feature_image: text,
    author_id: id.nullish().catch(undefined),
  },
  ...{ featured: flag, page: flag },
  ...{ created_at: time, updated_at: time, published_at: time },
})
const tagSchema = z.object({
  id,
  name: text,
  slug: text,
  description: text,
  feature_image: text,
  visibility: text,
})
const userSchema = z.object({ id, name: text, slug: text, bio: text, website: text, profile_image: text })
const metaSchema = z.object({
  post_id: id,
  ...{ feature_image_alt: text, feature_image_caption: text, meta_title: text, meta_description: text },
})

export type GhostPost = z.output<typeof postSchema>

export interface GhostExport {
  readonly posts: readonly GhostPost[]
  readonly tags: readonly z.output<typeof tagSchema>[]
  readonly users: readonly z.output<typeof userSchema>[]
  readonly metas: ReadonlyMap<string, z.output<typeof metaSchema>>
  /** By the id of the post, in their order. */
  readonly tagsOf: ReadonlyMap<string, readonly string[]>
  readonly authorsOf: ReadonlyMap<string, readonly string[]>
  /** The address of the site, if the export says it. */
  readonly base: URL | undefined
  /** Names of tables with rows that are not imported. */
  readonly others: readonly string[]
}

const taken: ReadonlySet<string> = new Set(
  'posts tags users posts_tags posts_authors posts_meta settings'.split(' '),
)
const ofPeople: ReadonlySet<string> = new Set([
  'members',
  'newsletters',
  'emails',
  'comments',
  'snippets',
  'products',
])

function dataOf(json: string, name: string): Json | undefined {
  if (isDeep(json, maxDepth)) throw badRequest(`${name}: is nested deeper than ${maxDepth} levels`)
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw badRequest(`${name}: is not JSON`)
  }
  const db = memberOf(value, 'db')
  const data = memberOf(Array.isArray(db) ? db[0] : value, 'data')
  return isObject(data) && Array.isArray(memberOf(data, 'posts')) ? data : undefined
}

function related(data: Json, table: string, to: string): ReadonlyMap<string, readonly string[]> {
  const rows = objectsIn(data, table)
    .map(row => ({
      post: id.safeParse(memberOf(row, 'post_id')).data,
      other: id.safeParse(memberOf(row, to)).data,
      place: Number(memberOf(row, 'sort_order') ?? 0),
    }))
    .sort((a, b) => a.place - b.place)
  const found = new Map<string, string[]>()
  for (const { post, other } of rows)
    if (post !== undefined && other !== undefined) found.set(post, [...(found.get(post) ?? []), other])
  return found
}

/** @throws HttpError 400 that names the file */
export async function ghostExport(files: ExportFiles, unread: UnreadRecords): Promise<GhostExport> {
  const names = files.names
    .filter(name => /\.json$/i.test(name) && !/(?:^|\/)(?:\.|__MACOSX\/)/.test(name))
    .sort()
  for (const name of files.names.length === 1 ? files.names : names) {
    const data = dataOf(await files.text(name, limits.imports.recordsBytes), name)
    if (!data) continue
    const rows = <S extends z.ZodType>(table: string, schema: S): z.output<S>[] =>
      objectsIn(data, table).flatMap((row, i) => {
        const { data: found, error } = schema.safeParse(row)
        if (error) unread.add(`${table} ${i + 1}`, 'has no valid id')
        return found === undefined ? [] : [found]
      })
    const url = objectsIn(data, 'settings').find(one => one.key === 'url' || one.key === 'site_url')?.value
    return {
      posts: rows('posts', postSchema),
      tags: rows('tags', tagSchema),
      users: rows('users', userSchema),
      metas: new Map(rows('posts_meta', metaSchema).map(meta => [meta.post_id, meta])),
      tagsOf: related(data, 'posts_tags', 'tag_id'),
      authorsOf: related(data, 'posts_authors', 'author_id'),
      base: typeof url === 'string' && /^https?:/i.test(url) && URL.canParse(url) ? new URL(url) : undefined,
      others: Object.keys(data).filter(
        table => !taken.has(table) && ofPeople.has(table) && objectsIn(data, table).length > 0,
      ),
    }
  }
  throw badRequest(
    'the export has no .json file of Ghost (db[0].data.posts): create one in Ghost under Settings > Import/Export',
  )
}
