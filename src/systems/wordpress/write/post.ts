import { valuesIn } from '../../../services/delivery/formats/format.js'
import { type Members, objectOf, unquoted } from '../../../services/delivery/formats/json-text.js'
import { changedAt } from '../../../services/delivery/formats/typed-value.js'
import type { ContentTree, LinkedEntry } from '../../../services/delivery/tree.js'
import type { MediaRecord } from '../../../services/media/record.js'
import { atOnce } from '../../../turns.js'
import type { TypeMapping } from '../../mapping.js'
import { inZone, withoutZone } from '../zone.js'
import {
  curies,
  linkedIn,
  namesOf,
  partsIn,
  pictureIn,
  type TaxonomyPart,
  taxonomies,
  type WordpressWriting,
  wordpressMedia,
  wordpressTerm,
  wordpressUser,
} from './objects.js'
import { stateOf } from './page.js'
import { TreeTexts } from './texts.js'

/** How the posts of a list are written. */
export interface PostWriting extends WordpressWriting {
  readonly type: TypeMapping
  /** True to embed everything, or the names of the links to embed. */
  readonly embed: false | true | ReadonlySet<string>
}

const excerptWords = 55
/** In HTML that the service has written, attributes are in double quotes and contain no double quotes. */
const tags = /<(?:[^"<>]|"[^"]*")*>/g
const withinWords = /^<\/?(?:a|b|code|del|em|i|ins|mark|s|small|span|strike|strong|sub|sup|u)[ >]/

function beginningOf(paragraphs: readonly string[]): string {
  const words: string[] = []
  for (const html of paragraphs) {
    if (words.length > excerptWords) break
    const text = html.replaceAll(tags, tag => (withinWords.test(tag) ? '' : ' ')).trim()
    if (text !== '') words.push(...text.split(/\s+/, excerptWords + 1))
  }
  if (words.length === 0) return ''
  const more = words.length > excerptWords ? ' [&hellip;]' : ''
  return `<p>${words.slice(0, excerptWords).join(' ')}${more}</p>\n`
}

interface PostTexts {
  readonly content: string
  readonly excerpt: string
  readonly acf: string
}

class PostList {
  readonly api: string
  readonly base: string
  readonly fixedLinks: string
  private readonly embedded = new Map<string, string>()

  constructor(readonly writing: PostWriting) {
    const { api, type } = writing
    this.api = unquoted(api)
    this.base = unquoted(`${api}/${type.wordpress}`)
    const about = unquoted(`${api}/types/${type.datatype.name}`)
    this.fixedLinks = `"collection":[{"href":"${this.base}"}],"about":[{"href":"${about}"}]`
  }

  once(key: string, write: () => Members): string {
    const text = this.embedded.get(key) ?? objectOf(write())
    this.embedded.set(key, text)
    return text
  }
}

class Post {
  readonly id: number
  readonly state: ReturnType<typeof stateOf>
  readonly names: ReturnType<typeof namesOf>
  readonly author: LinkedEntry | undefined
  readonly categories: readonly LinkedEntry[]
  readonly tags: readonly LinkedEntry[]
  readonly picture: MediaRecord | undefined
  private readonly values
  private readonly parts
  private written: PostTexts | undefined

  constructor(
    readonly list: PostList,
    readonly tree: ContentTree,
    readonly parent: number,
  ) {
    const { context, type } = list.writing
    const { root, route } = tree
    this.id = root.entry.numeric_id
    this.state = stateOf(root.entry)
    this.values = valuesIn(root, context)
    this.parts = partsIn(this.values, type)
    this.names = namesOf(root, route, context, this.values)
    this.author = linkedIn(this.parts.author, context)[0]
    this.categories = linkedIn(this.parts.categories, context)
    this.tags = linkedIn(this.parts.tags, context)
    this.picture = pictureIn(this.parts, context)
  }

  get texts(): PostTexts {
    this.written ??= this.writeTexts()
    return this.written
  }

  private writeTexts(): PostTexts {
    const texts = new TreeTexts(this.tree.root, this.list.writing.context, this.parts.excerpt)
    const acf = atOnce(texts.acf(this.values))
    const { content, paragraphs } = texts
    return { acf, content, excerpt: texts.excerpt || unquoted(beginningOf(paragraphs)) }
  }
}

const numberOf = ({ node }: LinkedEntry): number => node.entry.numeric_id
const numbersOf = (entries: readonly LinkedEntry[]): string => `[${entries.map(numberOf).join(',')}]`

function linksOf({ list, id, author, parent, picture }: Post): string {
  const { api, base, fixedLinks } = list
  const embeddable = (name: string, href: string) => `"${name}":[{"embeddable":true,"href":"${href}"}],`
  const terms = Object.entries(taxonomies).map(
    ([part, taxonomy]) => `{"taxonomy":"${taxonomy}","embeddable":true,"href":"${api}/${part}?post=${id}"}`,
  )
  const related = [
    author ? embeddable('author', `${api}/users/${numberOf(author)}`) : '',
    parent === 0 ? '' : embeddable('up', `${base}/${parent}`),
    picture ? embeddable('wp:featuredmedia', `${api}/media/${picture.numeric_id}`) : '',
  ]
  return `{"self":[{"href":"${base}/${id}"}],${fixedLinks},${related.join('')}"wp:attachment":[{"href":"${api}/media?parent=${id}"}],"wp:term":[${terms.join(',')}],"curies":${curiesText}}`
}
const curiesText = JSON.stringify(curies)

function embeddedIn({ list, author, picture, categories, tags }: Post): string {
  const { writing } = list
  const { embed, context, api } = writing
  const isWanted = (name: string) => embed === true || (embed !== false && embed.has(name))
  const termsOf = (entries: readonly LinkedEntry[], part: TaxonomyPart) =>
    entries.map(one => list.once(part + numberOf(one), () => wordpressTerm(one, part, writing)))
  const embedded: Record<string, string> = {}
  if (author && isWanted('author'))
    embedded.author = `[${list.once(`author${numberOf(author)}`, () => wordpressUser(author, writing))}]`
  if (picture && isWanted('wp:featuredmedia')) {
    const { numeric_id } = picture
    const written = list.once(`media${numeric_id}`, () => wordpressMedia(picture, context.origin, api))
    embedded['wp:featuredmedia'] = `[${written}]`
  }
  if (isWanted('wp:term'))
    embedded['wp:term'] =
      `[[${termsOf(categories, 'categories').join(',')}],[${termsOf(tags, 'tags').join(',')}]]`
  return objectOf(embedded)
}

type Member = (post: Post) => string

const fixed =
  (text: string): Member =>
  () =>
    text
const zoneOf = ({ list }: Post) => list.writing.type.zone
const modifiedOf: Member = ({ tree }) => `"${withoutZone(changedAt(tree.root))}"`
const dateOf: Member = ({ state }) => `"${withoutZone(state.since)}"`
const rendered = (text: string): string => `{"rendered":"${text}","protected":false}`

const beginning: readonly (readonly [string, Member])[] = [
  ['id', ({ id }) => String(id)],
  ['date', post => `"${inZone(post.state.since, zoneOf(post))}"`],
  ['date_gmt', dateOf],
  ['guid', ({ id, list }) => `{"rendered":${JSON.stringify(`${list.writing.context.origin}/?p=${id}`)}}`],
  ['modified', post => `"${inZone(changedAt(post.tree.root), zoneOf(post))}"`],
  ['modified_gmt', modifiedOf],
  ['slug', ({ names }) => JSON.stringify(names.slug)],
  ['status', ({ state }) => `"${state.status}"`],
  ['type', ({ list }) => JSON.stringify(list.writing.type.datatype.name)],
  ['link', ({ names }) => JSON.stringify(names.link)],
  ['title', ({ names }) => `{"rendered":${JSON.stringify(names.title)}}`],
  ['content', ({ texts }) => rendered(texts.content)],
  ['excerpt', ({ texts }) => rendered(texts.excerpt)],
  ['author', ({ author }) => String(author ? numberOf(author) : 0)],
  ['featured_media', ({ picture }) => String(picture?.numeric_id ?? 0)],
]
const inPlace: typeof beginning = [
  ['parent', ({ parent }) => String(parent)],
  ['menu_order', ({ tree }) => String(tree.root.entry.sort_order)],
]
const unused: typeof beginning = [
  ['comment_status', fixed('"closed"')],
  ['ping_status', fixed('"closed"')],
  ['template', fixed('""')],
  ['meta', fixed('{}')],
]
const ofPosts: typeof beginning = [
  ['sticky', fixed('false')],
  ['format', fixed('"standard"')],
]
const filed: typeof beginning = [
  ['categories', ({ categories }) => numbersOf(categories)],
  ['tags', ({ tags }) => numbersOf(tags)],
]
const ending: typeof beginning = [
  ['acf', ({ texts }) => texts.acf],
  ['_links', linksOf],
]

function membersOf({ type, embed }: PostWriting): ReadonlyMap<string, Member> {
  const isPost = type.wordpress === 'posts'
  return new Map([
    ...beginning,
    ...(isPost ? [] : inPlace),
    ...unused,
    ...(isPost ? ofPosts : []),
    ...(type.wordpress === 'pages' ? [] : filed),
    ...ending,
    ...(embed === false ? [] : [['_embedded', embeddedIn] as const]),
  ])
}

/** Writes posts of one list. */
export class PostWriter {
  private readonly list: PostList
  private readonly members: ReadonlyMap<string, Member>

  constructor(writing: PostWriting) {
    this.list = new PostList(writing)
    this.members = membersOf(writing)
  }

  /** The whole post as JSON. @param parent the number of the entry above, or 0 */
  whole(tree: ContentTree, parent: number): string {
    const post = new Post(this.list, tree, parent)
    let text = ''
    for (const [name, write] of this.members) text += `${text === '' ? '{' : ','}"${name}":${write(post)}`
    return `${text}}`
  }

  parts(tree: ContentTree, parent: number): (name: string) => string | undefined {
    const post = new Post(this.list, tree, parent)
    return name => this.members.get(name)?.(post)
  }
}
