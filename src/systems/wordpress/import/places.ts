import { trimmed, uriDecoded } from '../../../services/text.js'
import { importAddress, PageAddresses } from '../../imports.js'
import type { WordpressExport, WordpressItem } from './export.js'
import { plainText } from './html.js'
import type { WordpressNotes } from './notes.js'

function placeOf({ host, pathname }: URL): string {
  const path = uriDecoded(pathname).replace(/\/$/, '')
  return `${host.replace(/^www\./, '')}${path}`
}

const originalOf = (place: string): string =>
  place.replace(/(?:-\d{1,5}x\d{1,5}|-scaled|-rotated)(?=\.[A-Za-z0-9]{1,5}$)/, '')

const slugOf = (title: string): string =>
  plainText(title)
    .normalize('NFC')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(word => word !== '')
    .join('-')
    .slice(0, 60)

const maxLevels = 50

/** Where the pages and files of a site are. */
export class WordpressPlaces {
  private readonly paths = new Map<number, string>()
  private readonly pages = new Set<number>()
  private readonly entries = new Map<string, number>()
  private readonly files = new Map<string, number>()
  private readonly addresses = new PageAddresses()

  /**
   * @param pages the items that become entries
   * @param attachments those that become files
   */
  constructor(
    private readonly site: Pick<WordpressExport, 'base' | 'items'>,
    pages: Iterable<WordpressItem>,
    attachments: Iterable<WordpressItem>,
    private readonly notes: WordpressNotes,
  ) {
    // Posts that have an address of their own keep it.
    const isPretty = (item: WordpressItem) => this.linkOf(item) !== undefined
    for (const item of pages) {
      this.pages.add(item.id)
      if (isPretty(item)) this.place(item)
    }
    for (const item of pages) if (!isPretty(item)) this.place(item)
    for (const item of attachments) this.addFile(item)
  }

  hasPage(id: number): boolean {
    return this.paths.has(id)
  }

  pathOf(id: number): string {
    return this.paths.get(id) ?? `/${id}`
  }

  addressOf(address: string, keys: { entry(id: number): string; file(id: number): string }) {
    if (address === '' || address.startsWith('#') || !URL.canParse(address, this.site.base.href))
      return undefined
    const url = new URL(address, this.site.base)
    const place = placeOf(url)
    const file = this.files.get(place) ?? this.files.get(originalOf(place))
    if (file !== undefined) return importAddress('file', keys.file(file))
    const entry = this.entryAt(url, place)
    if (entry === undefined) return undefined
    if (url.hash !== '') return `${encodeURI(this.pathOf(entry))}${url.hash}`
    return importAddress('entry', keys.entry(entry))
  }

  private entryAt(url: URL, place: string): number | undefined {
    if (url.search === '') return this.entries.get(place)
    const id = url.searchParams.get('p') ?? url.searchParams.get('page_id')
    const isHome = place === placeOf(this.site.base)
    return id !== null && isHome && this.hasPage(Number(id)) ? Number(id) : undefined
  }

  private place(item: WordpressItem): void {
    const link = this.linkOf(item)
    const wanted = link ?? this.madePath(item)
    const path = this.addresses.take(wanted, wanted === '/' ? '/home' : wanted)
    if (path !== wanted) this.notes.count('samePath')
    this.paths.set(item.id, path)
    const last = path.slice(path.lastIndexOf('/') + 1)
    if (path === wanted && item.slug !== '' && last !== item.slug)
      this.notes.count('otherSlug', `${item.slug} (${path})`)
    if (link !== undefined) this.entries.set(placeOf(new URL(item.link)), item.id)
  }

  /** The path of its link, where it has one that is no number. */
  private linkOf({ link }: WordpressItem): string | undefined {
    if (!/^https?:/i.test(link) || !URL.canParse(link)) return undefined
    const { search, pathname } = new URL(link)
    if (search !== '') return undefined
    const path = uriDecoded(pathname)
      .normalize('NFC')
      .replace(/^\/index\.php(?=\/)/, '')
    return `/${trimmed(path, '/')}`
  }

  private madePath(item: WordpressItem): string {
    const parts: string[] = []
    let above: WordpressItem | undefined = item
    const seen = new Set<number>()
    while (above && seen.size < maxLevels && !seen.has(above.id)) {
      seen.add(above.id)
      const link = above === item ? undefined : this.linkOf(above)
      if (link !== undefined) return `${link === '/' ? '' : link}/${parts.join('/')}`
      parts.unshift(above.slug || slugOf(above.title) || `${above.type}-${above.id}`)
      above = above.type === item.type ? this.pageAbove(above) : undefined
    }
    const isOwnType = item.type !== 'post' && item.type !== 'page'
    return `/${isOwnType ? `${item.type}/` : ''}${parts.join('/')}`
  }

  private pageAbove({ parent }: WordpressItem): WordpressItem | undefined {
    return this.pages.has(parent) ? this.site.items.withId(parent) : undefined
  }

  private addFile(item: WordpressItem): void {
    if (!URL.canParse(item.url)) return
    const place = placeOf(new URL(item.url))
    this.files.set(place, item.id)
    const original = originalOf(place)
    if (!this.files.has(original)) this.files.set(original, item.id)
    const link = this.linkOf(item)
    if (link !== undefined && link !== '/') this.files.set(placeOf(new URL(item.link)), item.id)
  }
}
