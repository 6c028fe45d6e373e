import { badRequest } from '../../errors.js'
import { Notes } from '../../services/import/notes.js'
import type {
  ImportedEntry,
  ImportedField,
  ImportedFile,
  ImportedSite,
  ImportedValue,
  ReadExport,
} from '../../services/import/site.js'
import { sizeOfText, sizeOfValues, sumOf } from '../../services/import/size.js'
import { UnreadRecords } from '../../services/import/unread.js'
import { isSlugText, uriDecoded } from '../../services/text.js'
import { byTime, importAddress, PageAddresses } from '../imports.js'
import { linkedHtml } from '../linked-html.js'
import { type GhostExport, type GhostPost, ghostExport } from './export.js'
import { htmlOfPost } from './texts.js'

/** Stands in texts and addresses for that of the site. */
const siteMark = '__GHOST_URL__'

const field = (name: string, label: string, type: ImportedField['type'], data?: ImportedField['data']) => ({
  ...{ name, label, type },
  ...(data ? { data } : {}),
})
const picture = { kinds: ['image'] }

const named = [field('name', 'Name', 'text'), field('slug', 'Slug', 'slug')]
const types = [
  {
    ...{ name: 'author', label: 'Author', hasPages: false },
    fields: [
      ...named,
      field('bio', 'Bio', 'textarea'),
      field('website', 'Website', 'url'),
      field('picture', 'Picture', 'media', picture),
    ],
  },
  {
    ...{ name: 'tag', label: 'Tag', hasPages: false },
    fields: [
      ...named,
      field('description', 'Description', 'textarea'),
      field('featureImage', 'Feature image', 'media', picture),
    ],
  },
  ...['post', 'page'].map(name => ({
    ...{ name, label: name === 'post' ? 'Post' : 'Page', hasPages: true },
    fields: [
      field('title', 'Title', 'text'),
      field('excerpt', 'Excerpt', 'textarea'),
      field('featureImage', 'Feature image', 'media', picture),
      field('featured', 'Featured', 'boolean'),
      field('body', 'Body', 'richtext'),
      field('authors', 'Authors', 'relation', { target: 'author', cardinality: 'many' }),
      field('tags', 'Tags', 'relation', { target: 'tag', cardinality: 'many' }),
      field('metaTitle', 'Meta title', 'text'),
      field('metaDescription', 'Meta description', 'textarea'),
    ],
  })),
]

type Values = Record<string, ImportedValue>
const textValue = (name: string, value: string): Values => (value.trim() === '' ? {} : { [name]: { value } })
const slugValue = (slug: string): Values => (isSlugText(slug) ? { slug: { value: slug } } : {})

class GhostReader {
  private readonly notes: Notes
  private readonly files = new Map<string, ImportedFile>()
  private readonly paths = new PageAddresses()
  /** Of posts, by their slugs. */
  private readonly keys: ReadonlyMap<string, string>
  private readonly start: string

  constructor(
    private readonly site: GhostExport,
    private readonly names: readonly string[],
    notes: Notes,
  ) {
    this.notes = notes
    this.keys = new Map(site.posts.map(({ id, slug }) => [slug, `post:${id}`]))
    const times = site.posts.flatMap(({ created_at, published_at }) => created_at ?? published_at ?? [])
    this.start = times.sort()[0] ?? new Date(0).toISOString()
  }

  read(unread: UnreadRecords): ImportedSite {
    const { users, tags, posts, others } = this.site
    for (const table of others) this.notes.add('Members, mails and other records are left out', table)
    const isInternal = ({ visibility, name }: (typeof tags)[number]) =>
      visibility === 'internal' || name.startsWith('#')
    for (const tag of tags.filter(isInternal)) this.notes.add('Internal tags are left out', tag.name)
    const shownTags = tags.filter(tag => !isInternal(tag))
    const known = new Set([
      ...shownTags.map(({ id }) => `tag:${id}`),
      ...users.map(({ id }) => `author:${id}`),
    ])
    const entries = [
      ...users.map(({ id, name, slug, bio, website, profile_image }) =>
        this.record('author', id, {
          ...{ ...textValue('name', name || slug), ...slugValue(slug), ...textValue('bio', bio) },
          ...(/^https?:\/\/[^/]/i.test(website) && URL.canParse(website)
            ? textValue('website', website)
            : {}),
          ...this.fileValue('picture', profile_image, ''),
        }),
      ),
      ...shownTags.map(({ id, name, slug, description, feature_image }) =>
        this.record('tag', id, {
          ...{
            ...textValue('name', name || slug),
            ...slugValue(slug),
            ...textValue('description', description),
          },
          ...this.fileValue('featureImage', feature_image, ''),
        }),
      ),
      ...posts.map(post => this.post(post, known)),
    ]
    return {
      ...{ locales: [], types, entries: entries.sort(byTime(({ createdAt }) => createdAt)) },
      ...{ files: [...this.files.values()], notes: this.notes.sentences, unread: unread.found },
    }
  }

  private record(type: 'author' | 'tag', id: string, values: Values): ImportedEntry {
    return {
      ...{ key: `${type}:${id}`, ids: [{ kind: type, id }], type, isPublished: true },
      ...{ createdAt: this.start, isUndated: true, values, source: { size: sizeOfValues(values) } },
    }
  }

  private post(post: GhostPost, known: ReadonlySet<string>): ImportedEntry {
    const { id, title, slug, status, published_at, updated_at } = post
    const isPage = post.type === 'page' || post.page
    const key = `post:${id}`
    const wanted = `/${slug === '' ? id : slug}`
    const path = this.paths.take(wanted)
    if (path !== wanted) this.notes.add('Pages whose address is taken get a number at the end of it', wanted)
    const html = htmlOfPost(post, this.notes)
    const { body: _, ...others } = this.valuesOf(post, html, known)
    const isPublished = this.isPublished(post)
    const { base } = this.site
    return {
      ...{ key, ids: [{ kind: 'post', id }], type: isPage ? 'page' : 'post' },
      page: { path, title: (title.replaceAll(/\s+/g, ' ').trim() || slug || id).slice(0, 255) },
      isPublished,
      createdAt: post.created_at ?? published_at ?? this.start,
      ...(updated_at === undefined ? {} : { changedAt: updated_at }),
      ...(isPublished && published_at !== undefined ? { publishedAt: published_at } : {}),
      ...(status === 'scheduled' && isOpen(post) ? { publishAt: published_at } : {}),
      values: { ...others, ...(_ ? { body: _ } : {}) },
      source: {
        size: sumOf([sizeOfText(html), sizeOfValues(others)]),
        ...(base && isPublished
          ? { address: `${base.origin}${base.pathname.replace(/\/$/, '')}${wanted}/` }
          : {}),
      },
    }
  }

  private isPublished(post: GhostPost): boolean {
    const { id, status } = post
    if (status !== 'published' && status !== 'sent') return false
    if (status === 'sent') this.notes.add('Posts that were sent only by e-mail become drafts', `post ${id}`)
    else if (!isOpen(post))
      this.notes.add('Posts for members become drafts, because pages have no members', `post ${id}`)
    return status === 'published' && isOpen(post)
  }

  private valuesOf(post: GhostPost, html: string, known: ReadonlySet<string>): Values {
    const { id, title, custom_excerpt, feature_image, featured, author_id } = post
    const { tagsOf, authorsOf, metas } = this.site
    const meta = metas.get(id)
    // The first use of a picture gives it its texts.
    const feature = this.fileValue(
      'featureImage',
      feature_image,
      meta?.feature_image_alt ?? '',
      meta?.feature_image_caption,
    )
    const body = linkedHtml(html, (address, of, alt) => this.addressOf(address, of, alt), {
      ...{ notes: this.notes, place: `post ${id}` },
    })
    const entries = (name: string, kind: string, ids: readonly string[]): Values => {
      const keys = ids.map(one => `${kind}:${one}`).filter(key => known.has(key))
      return keys.length > 0 ? { [name]: { entries: [...new Set(keys)] } } : {}
    }
    return {
      ...textValue('title', title),
      ...textValue('excerpt', custom_excerpt),
      ...feature,
      featured: { value: featured },
      ...(body === '' ? {} : { body: { html: body } }),
      ...entries('authors', 'author', authorsOf.get(id) ?? (author_id == null ? [] : [author_id])),
      ...entries('tags', 'tag', tagsOf.get(id) ?? []),
      ...textValue('metaTitle', meta?.meta_title ?? ''),
      ...textValue('metaDescription', meta?.meta_description ?? ''),
    }
  }

  private fileValue(name: string, address: string, alt: string, caption = ''): Values {
    const key = address === '' ? undefined : this.file(address, alt, caption, true)
    return key === undefined ? {} : { [name]: { files: [key] } }
  }

  /** The path on the site that an address means; undefined for other sites. */
  private pathOf(address: string): string | undefined {
    const { base } = this.site
    if (address.startsWith(siteMark)) return address.slice(siteMark.length) || '/'
    if (address.startsWith('/') && !address.startsWith('//')) return address
    const url = base && URL.canParse(address) ? new URL(address) : undefined
    return url && url.host === base?.host ? `${url.pathname}${url.search}` : undefined
  }

  private addressOf(address: string, of: 'link' | 'picture', alt: string): string | undefined {
    const file = this.file(address, alt, '', false)
    if (file !== undefined) return importAddress('file', file)
    const path = this.pathOf(address)
    if (path === undefined || of === 'picture') return undefined
    const [, slug = ''] = /^\/([^/?#]+)\/?(?:[?#]|$)/.exec(path) ?? []
    const key = this.keys.get(uriDecoded(slug))
    if (key !== undefined) return importAddress('entry', key)
    return address.startsWith(siteMark) ? path : undefined
  }

  /** @param isField true to fetch it from any site; pictures in texts stay where they are */
  private file(address: string, alt: string, caption: string, isField: boolean): string | undefined {
    const found = this.placeOf(address, isField)
    if (!found) return undefined
    const { key } = found
    const known = this.files.get(key)
    const [shownAlt, shownCaption] = [
      known?.alt || alt,
      known?.caption || caption.replaceAll(/<[^<>]*>/g, ''),
    ]
    this.files.set(key, {
      ...{ ...found, ids: [{ kind: 'file', id: key }] },
      name: uriDecoded(key.split(/[?#]/)[0]?.split('/').at(-1) ?? '') || 'file',
      ...(shownAlt ? { alt: shownAlt } : {}),
      ...(shownCaption ? { caption: shownCaption } : {}),
    })
    return key
  }

  /** The key of a file, with its place beside the export or its address. */
  private placeOf(address: string, isField: boolean): Pick<ImportedFile, 'key' | 'at' | 'url'> | undefined {
    const path = this.pathOf(address)
    if (path === undefined)
      return isField && /^https?:\/\/[^/]/i.test(address) && URL.canParse(address)
        ? { key: address, url: address }
        : undefined
    // Texts name smaller pictures; the whole one is beside them.
    const key = uriDecoded(path.split(/[?#]/)[0] ?? '').replace(
      /\/size\/w\d+(?:h\d+)?(?:\/format\/[a-z]+)?(?=\/)/,
      '',
    )
    if (!/\/content\/(?:images|media|files)\/./.test(key)) return undefined
    const at = this.names.find(name => `/${name}`.endsWith(key))
    const { base } = this.site
    return {
      key,
      ...(at === undefined ? {} : { at }),
      ...(base && URL.canParse(key, base.href) ? { url: new URL(key, base.href).href } : {}),
    }
  }
}

const isOpen = ({ visibility }: GhostPost): boolean => visibility === '' || visibility === 'public'

/** Reads what Ghost writes under Settings > Import/Export, perhaps with `content/images` beside it. */
export const readGhost: ReadExport = async files => {
  const notes = new Notes()
  const unread = new UnreadRecords(notes)
  const site = await ghostExport(files, unread)
  if (site.posts.length === 0) throw badRequest('the export has no posts and no pages that can be read')
  return new GhostReader(site, files.names, notes).read(unread)
}
