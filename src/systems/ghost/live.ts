import { type Json, memberOf, memberText, objectsIn } from '../imports.js'
import {
  type Ask,
  earlier,
  type LiveRecord,
  type LiveRecords,
  type LiveSource,
  madeFiles,
  type OpenLive,
  pagesOf,
} from '../live.js'

/** The content API of Ghost as a source: its posts and pages become an export. */

const pageSize = 100
const posts = ['posts', 'pages'] as const
const others = ['tags', 'authors'] as const
const metas = ['feature_image_alt', 'feature_image_caption', 'meta_title', 'meta_description']

const idOf = (one: Json): string => String(one.id)

class Export {
  private readonly posts: Json[] = []
  private readonly related: Readonly<Record<'tags' | 'authors', Map<string, Json>>>

  constructor(
    records: LiveRecords,
    private readonly url: string,
  ) {
    this.related = { tags: new Map(), authors: new Map() }
    for (const name of others) for (const one of records.in(name)) this.related[name].set(idOf(one), one)
    for (const list of posts)
      for (const post of records.in(list))
        this.posts.push({ ...post, status: 'published', type: list === 'pages' ? 'page' : 'post' })
    // Posts may name an author or a tag that is newer than the lists.
    for (const post of this.posts)
      for (const name of others)
        for (const one of objectsIn(post, name))
          if (!this.related[name].has(idOf(one))) this.related[name].set(idOf(one), one)
  }

  *json(): Generator<string> {
    const pairs = (name: 'tags' | 'authors', column: string) =>
      this.posts.flatMap(post =>
        objectsIn(post, name).map((one, sort_order) => ({ post_id: post.id, [column]: one.id, sort_order })),
      )
    const data = {
      posts: this.posts.map(({ tags: _, authors: __, ...post }) => post),
      tags: [...this.related.tags.values()],
      users: [...this.related.authors.values()],
      posts_tags: pairs('tags', 'tag_id'),
      posts_authors: pairs('authors', 'author_id'),
      posts_meta: this.posts.map(post => ({
        post_id: post.id,
        ...Object.fromEntries(metas.map(name => [name, post[name]])),
      })),
      settings: [{ key: 'url', value: this.url }],
    }
    yield JSON.stringify({ db: [{ data }] })
  }
}

class GhostLive implements LiveSource {
  readonly notes = ['The content API has published posts only: drafts and members are not imported.']

  constructor(
    private readonly ask: Ask,
    private readonly url: string,
  ) {}

  async *records(since: string | undefined): AsyncGenerator<LiveRecord> {
    const time = since === undefined ? '' : earlier(since).slice(0, 19).replace('T', ' ')
    const filter = since === undefined ? '' : `&filter=${encodeURIComponent(`updated_at:>'${time}'`)}`
    let any = since === undefined
    for (const name of posts)
      for await (const one of this.list(name, `&include=tags,authors&formats=html${filter}`)) {
        any = true
        yield one
      }
    // Tags and authors have no time of their last change.
    if (any) for (const name of others) yield* this.list(name, '')
  }

  changedAt({ list, record }: LiveRecord): string | undefined {
    const time =
      list === 'posts' || list === 'pages' ? Date.parse(memberText(record, 'updated_at') ?? '') : Number.NaN
    // Ghost writes it in the zone of the site.
    return Number.isNaN(time) ? undefined : new Date(time).toISOString()
  }

  files(records: LiveRecords) {
    return madeFiles({ 'live.json': () => new Export(records, this.url).json() })
  }

  private async *list(name: string, more: string): AsyncGenerator<LiveRecord> {
    const page = async (number: number) =>
      objectsIn(await this.ask(`/${name}/?limit=${pageSize}&page=${number}${more}`), name)
    for await (const record of pagesOf(name, pageSize, page, idOf))
      yield { list: name, id: idOf(record), record }
  }
}

/** Opens the content API, such as `https://old.example/ghost/api/content`. */
export const openGhost: OpenLive = async (ask, { base }) => {
  const settings = memberOf(await ask('/settings/'), 'settings')
  return new GhostLive(ask, memberText(settings, 'url') ?? base.origin)
}
