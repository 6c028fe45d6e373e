import type { ImportedFile } from '../../services/import/site.js'
import { uriDecoded } from '../../services/text.js'
import { joined } from './addresses.js'
import { isPage } from './places.js'

const publicFolders = ['static', 'public', 'assets', 'source', 'src', 'src/assets', 'content', 'src/content']

/** The files that pages show or link to. */
export class PageFiles {
  private readonly used = new Map<string, ImportedFile>()
  private readonly names: ReadonlySet<string>

  /** @param project the folder of the project, with `/` at its end, or `''` */
  constructor(
    names: readonly string[],
    private readonly project: string,
    private readonly content: string,
    private readonly base: URL | undefined,
  ) {
    this.names = new Set(names.filter(name => !isPage(name)))
  }

  get files(): readonly ImportedFile[] {
    return [...this.used.values()]
  }

  /** The key of the file that an address names. @param page the file that names it */
  use(address: string, page: string, alt = ''): string | undefined {
    const at = this.nameOf(address, page)
    if (at !== undefined) return this.take({ key: at, name: lastOf(at), at, ids: idOf(at) }, alt)
    const url = this.urlOf(address)
    return (
      url &&
      this.take({ key: url, name: lastOf(uriDecoded(new URL(url).pathname)), url, ids: idOf(url) }, alt)
    )
  }

  /** The key of a file that is elsewhere: for fields of pictures, and not for texts, whose addresses stay. */
  useAddress(address: string): string | undefined {
    if (!/^https?:\/\/[^/]/i.test(address) || !URL.canParse(address)) return undefined
    const name = lastOf(uriDecoded(new URL(address).pathname))
    return this.take({ key: address, name: name || 'file', url: address, ids: idOf(address) }, '')
  }

  private take(file: ImportedFile, alt: string): string {
    const known = this.used.get(file.key)
    if (!known || (known.alt === undefined && alt !== ''))
      this.used.set(file.key, { ...file, ...(alt === '' ? {} : { alt }) })
    return file.key
  }

  private pathIn(address: string): string | undefined {
    if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(address)) {
      const { base } = this
      const url = URL.canParse(address, base?.href) ? new URL(address, base?.href) : undefined
      return base && url?.host === base.host ? uriDecoded(url.pathname) : undefined
    }
    const [path = ''] = address.split(/[?#]/)
    return path === '' ? undefined : uriDecoded(path)
  }

  private nameOf(address: string, page: string): string | undefined {
    const path = this.pathIn(address)
    if (path === undefined) return undefined
    const { project, content, names } = this
    const folder = page.slice(0, page.lastIndexOf('/') + 1)
    const alias = /^[@~]\/(.+)$/.exec(path)?.[1]
    const candidates = path.startsWith('/')
      ? [
          ...publicFolders.map(one => joined(`${project}${one}`, path)),
          joined(project, path),
          joined(content, path),
        ]
      : alias === undefined
        ? [
            ...[joined(folder, path), joined(`${project}assets`, path), joined(`${project}static`, path)],
            ...[joined(project, path), joined(content, path)],
          ]
        : [joined(`${project}src`, alias), joined(project, alias)]
    return candidates.find(name => names.has(name))
  }

  /** The address of a picture of the site itself that the folder does not have. */
  private urlOf(address: string): string | undefined {
    const { base } = this
    if (!base || !/\.(?:avif|gif|jpe?g|png|svg|webp|pdf|mp4)$/i.test(address.split(/[?#]/)[0] ?? ''))
      return undefined
    const isOurs = address.startsWith('/') && !address.startsWith('//')
    const url = URL.canParse(address, base.href) ? new URL(address, base.href) : undefined
    if (!url || url.host !== base.host || (!isOurs && !/^https?:/i.test(address))) return undefined
    return url.href
  }
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const idOf = (id: string): ImportedFile['ids'] => [{ kind: 'file', id }]
