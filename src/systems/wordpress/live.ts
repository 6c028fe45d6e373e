import { isObject, type Json, memberOf, memberText } from '../imports.js'
import {
  type Ask,
  earlier,
  isRefusal,
  isUnknownKey,
  type LiveRecord,
  type LiveRecords,
  madeFiles,
  type OpenLive,
  pagesOf,
  SourceRefusal,
} from '../live.js'
import { plainText } from './import/html.js'

/** The REST API of WordPress, version 2, as a source: its records become an export (WXR). */

const pageSize = 100
const mostIncluded = 100
const ofTheSite =
  /^(?:attachment|nav_menu_item|wp_.+|custom_css|customize_changeset|oembed_cache|user_request|acf-.+)$/
const siteTaxonomies: ReadonlySet<string> = new Set(['nav_menu', 'post_format', 'wp_pattern_category'])
/** Members of `acf` that a Slugline as the source repeats there. */
const ownFields: ReadonlySet<string> = new Set(
  ['body', 'excerpt', 'featuredImage', 'author', 'categories', 'tags', 'parent', 'children'].concat([
    'title',
    'name',
    'slug',
    'description',
  ]),
)

/** A list of the API: posts of a type, or terms of a taxonomy. */
interface List {
  readonly name: string
  readonly base: string
}

interface Site {
  readonly home: string
  readonly types: readonly List[]
  readonly taxonomies: readonly List[]
}

const listed = (body: unknown): readonly Json[] => (Array.isArray(body) ? body.filter(isObject) : [])
const idOf = (one: Json): string => String(one.id)

async function listsOf(ask: Ask, path: string, isOwn: (name: string) => boolean): Promise<readonly List[]> {
  const found = await ask(path)
  return Object.entries(isObject(found) ? found : {}).flatMap(([name, one]) => {
    const base = memberText(one, 'rest_base')
    return base === undefined || isOwn(name) ? [] : [{ name, base }]
  })
}

/** A raw text as editors see it; without the right to edit, the one that readers see. */
const rawIn = (one: Json, name: string): string | undefined => memberText(one[name], 'raw')
const shownIn = (one: Json, name: string): string => memberText(one[name], 'rendered') ?? ''

const escaped = (text: string): string => `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`
const element = (name: string, text: string | number): string => `<${name}>${escaped(String(text))}</${name}>`
const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
const time = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, 19).replace('T', ' ') : '0000-00-00 00:00:00'
const meta = (key: string, value: string | number | boolean): string =>
  `<wp:postmeta>${element('wp:meta_key', key)}${element('wp:meta_value', String(value))}</wp:postmeta>`

/** Goes before a text whose paragraphs are elements already. */
const withParagraphs = '<!-- wp:html -->'

function contentOf(post: Json): string {
  const raw = rawIn(post, 'content')
  return raw ?? (shownIn(post, 'content') === '' ? '' : withParagraphs + shownIn(post, 'content'))
}

const letters = (html: string): string => plainText(html).replaceAll(/[^\p{L}\p{N}]+/gu, '')

/** Returns the excerpt that somebody wrote. WordPress makes a missing one of the beginning of the content: that is left out. */
function excerptOf(post: Json): string {
  const raw = memberOf(post.excerpt, 'raw')
  if (typeof raw === 'string') return raw
  const shown = plainText(shownIn(post, 'excerpt'))
  return letters(shownIn(post, 'content')).startsWith(letters(shown)) ? '' : shown
}

/** Custom fields with plain values: those that are registered for the API, and those of ACF. */
function* metasOf(post: Json): Generator<string> {
  for (const member of [post.meta, post.acf])
    for (const [name, value] of Object.entries(isObject(member) ? member : {}))
      if (['string', 'number', 'boolean'].includes(typeof value) && value !== '' && !ownFields.has(name))
        yield meta(name, value as string | number | boolean)
}

class Wxr {
  private readonly logins: ReadonlyMap<string, string>
  private readonly terms = new Map<string, { taxonomy: string; slug: string; name: string }>()

  constructor(
    private readonly records: LiveRecords,
    private readonly site: Site,
  ) {
    this.logins = new Map(Array.from(records.in('users'), user => [idOf(user), String(user.slug)]))
    for (const { name, base } of site.taxonomies)
      for (const term of records.in(base))
        this.terms.set(`${base} ${idOf(term)}`, {
          ...{ taxonomy: name, slug: String(term.slug), name: String(term.name) },
        })
  }

  *lines(): Generator<string> {
    yield '<rss version="2.0" xmlns:excerpt="e" xmlns:content="c" xmlns:dc="d" xmlns:wp="w"><channel>'
    yield `${element('wp:wxr_version', '1.2')}${element('wp:base_blog_url', this.site.home)}`
    for (const user of this.records.in('users')) yield this.author(user)
    for (const { name, base } of this.site.taxonomies)
      for (const term of this.records.in(base)) yield this.term(name, base, term)
    for (const file of this.records.in('media')) yield this.file(file)
    for (const { base } of this.site.types) for (const post of this.records.in(base)) yield this.post(post)
    yield '</channel></rss>'
  }

  private author(user: Json): string {
    const login = element('wp:author_login', String(user.slug))
    return `<wp:author>${element('wp:author_id', idOf(user))}${login}${element('wp:author_display_name', String(user.name ?? ''))}</wp:author>`
  }

  private term(taxonomy: string, base: string, term: Json): string {
    const parent = this.terms.get(`${base} ${String(term.parent)}`)?.slug ?? ''
    return [
      `<wp:term>${element('wp:term_id', idOf(term))}${element('wp:term_taxonomy', taxonomy)}`,
      `${element('wp:term_slug', String(term.slug))}${element('wp:term_parent', parent)}`,
      `${element('wp:term_name', String(term.name))}${element('wp:term_description', String(term.description ?? ''))}`,
      '</wp:term>',
    ].join('')
  }

  private file(file: Json): string {
    const alt = memberText(file, 'alt_text')
    return [
      `<item>${this.common(file, 'attachment', 'inherit')}`,
      element('excerpt:encoded', rawIn(file, 'caption') ?? shownIn(file, 'caption')),
      element('wp:attachment_url', memberText(file, 'source_url') ?? ''),
      alt === undefined ? '' : meta('_wp_attachment_image_alt', alt),
      '</item>',
    ].join('')
  }

  private post(post: Json): string {
    const isProtected = memberOf(post.content, 'protected') === true
    const terms = this.site.taxonomies.flatMap(({ base }) =>
      [post[base]].flat().flatMap(id => this.terms.get(`${base} ${String(id)}`) ?? []),
    )
    return [
      `<item>${this.common(post, String(post.type), memberText(post, 'status') ?? 'publish')}`,
      element('dc:creator', this.logins.get(String(post.author)) ?? ''),
      element('content:encoded', contentOf(post)),
      element('excerpt:encoded', excerptOf(post)),
      element('wp:is_sticky', post.sticky === true ? 1 : 0),
      isProtected ? element('wp:post_password', 'protected') : '',
      ...terms.map(
        ({ taxonomy, slug, name }) =>
          `<category domain="${attribute(taxonomy)}" nicename="${attribute(slug)}">${escaped(name)}</category>`,
      ),
      Number(post.featured_media) > 0 ? meta('_thumbnail_id', Number(post.featured_media)) : '',
      ...metasOf(post),
      '</item>',
    ].join('')
  }

  private common(one: Json, type: string, status: string): string {
    return [
      element('title', rawIn(one, 'title') ?? shownIn(one, 'title')),
      element('link', memberText(one, 'link') ?? ''),
      element('wp:post_id', idOf(one)),
      element('wp:post_date', time(one.date)),
      element('wp:post_date_gmt', time(one.date_gmt)),
      element('wp:post_modified', time(one.modified)),
      element('wp:post_modified_gmt', time(one.modified_gmt)),
      element('wp:post_name', memberText(one, 'slug') ?? ''),
      element('wp:status', status),
      element('wp:post_parent', Number(one.parent ?? 0)),
      element('wp:menu_order', Number(one.menu_order ?? 0)),
      element('wp:post_type', type),
    ].join('')
  }
}

/** Which posts the key may read: as an editor, as one who sees drafts, as a reader. */
const views = ['&context=edit&status=any', '&status=any', '']

class WordpressLive {
  readonly notes: string[] = []
  private view: string | undefined

  constructor(
    private readonly ask: Ask,
    private readonly site: Site,
    private readonly hasKey: boolean,
  ) {}

  async *records(since: string | undefined): AsyncGenerator<LiveRecord> {
    const after = since === undefined ? '' : `&modified_after=${earlier(since).slice(0, 19)}`
    const pictures = new Set<string>()
    let any = false
    for (const { base } of this.site.types)
      for await (const one of this.posts(base, after)) {
        any = true
        if (Number(one.record.featured_media) > 0) pictures.add(String(one.record.featured_media))
        yield one
      }
    for await (const one of this.media(after, pictures)) {
      any = true
      yield one
    }
    if (since !== undefined && !any) return
    // Terms and users have no time of their last change.
    for (const { base } of this.site.taxonomies) yield* this.list(base, '')
    yield* this.users()
  }

  changedAt({ record }: LiveRecord): string | undefined {
    return memberText(record, 'modified')
  }

  files(records: LiveRecords) {
    return madeFiles({ 'live.xml': () => new Wxr(records, this.site).lines() })
  }

  private async *list(base: string, more: string): AsyncGenerator<LiveRecord> {
    const page = (number: number) =>
      this.ask(`/wp/v2/${base}?per_page=${pageSize}&page=${number}&orderby=id&order=asc${more}`).then(
        listed,
        error => {
          // WordPress refuses a page behind the last one.
          if (number > 1 && error instanceof SourceRefusal && error.sourceStatus === 400) return []
          throw error
        },
      )
    for await (const record of pagesOf(base, pageSize, page, idOf))
      yield { list: base, id: idOf(record), record }
  }

  private async *posts(base: string, after: string): AsyncGenerator<LiveRecord> {
    this.view ??= await this.bestView(base)
    yield* this.list(base, this.view + after)
  }

  private async bestView(base: string): Promise<string> {
    for (const view of this.hasKey ? views : [])
      try {
        await this.ask(`/wp/v2/${base}?per_page=1${view}`)
        if (view === '') this.notes.push('The key may not read drafts: only published posts are imported.')
        else if (!view.includes('edit'))
          this.notes.push('The key may not edit: texts are as readers see them, without their blocks.')
        return view
      } catch (error) {
        if (view === '' || !isRefusal(error) || isUnknownKey(error)) throw error
      }
    this.notes.push('Without a key only published posts are imported, as readers see them.')
    return ''
  }

  private async *media(after: string, pictures: ReadonlySet<string>): AsyncGenerator<LiveRecord> {
    try {
      yield* this.list('media', after)
      return
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
    const ids = [...pictures]
    for (let at = 0; at < ids.length; at += mostIncluded)
      yield* this.list('media', `&include=${ids.slice(at, at + mostIncluded).join()}`)
  }

  private async *users(): AsyncGenerator<LiveRecord> {
    try {
      yield* this.list('users', '')
    } catch (error) {
      if (!isRefusal(error)) throw error
      const sentence = 'The users cannot be read: posts have no authors.'
      if (!this.notes.includes(sentence)) this.notes.push(sentence)
    }
  }
}

/** @throws SourceRefusal for a wrong key, which lists only take for the key of somebody without rights */
async function refuseUnknownKey(ask: Ask): Promise<void> {
  try {
    await ask('/wp/v2/users/me')
  } catch (error) {
    if (!isRefusal(error) || isUnknownKey(error)) throw error
  }
}

/** Opens the REST API at its root, such as `https://old.example/wp-json`. */
export const openWordpress: OpenLive = async (ask, { base, types: wanted, hasKey }) => {
  const root = await ask('/')
  if (hasKey) await refuseUnknownKey(ask)
  const home = memberText(root, 'home') ?? memberText(root, 'url') ?? base.origin
  const all = await listsOf(ask, '/wp/v2/types', name => ofTheSite.test(name))
  const types = wanted.length === 0 ? all : all.filter(one => wanted.includes(one.base))
  const taxonomies = await listsOf(ask, '/wp/v2/taxonomies', name => siteTaxonomies.has(name))
  return new WordpressLive(ask, { home, types, taxonomies }, hasKey)
}
