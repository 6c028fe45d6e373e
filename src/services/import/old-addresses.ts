import type { Actor } from '../../actor.js'
import { HttpError } from '../../errors.js'
import type { Services } from '../index.js'
import { slug, uriDecoded } from '../text.js'
import type { Notes } from './notes.js'
import { batchesOf } from './records.js'
import type { Moved } from './report.js'
import type { TreeImport } from './store-trees.js'

/** An address that leads elsewhere now. */
export interface OldAddress {
  /** Path and query, as a browser asks for them. */
  readonly from: string
  readonly to: string
}

const batchSize = 200

const urlOf = (address: string | undefined): URL | undefined =>
  address !== undefined && URL.canParse(address) ? new URL(address) : undefined

/** On no host: only its path counts. */
const oldPath = (path: string): URL | undefined =>
  URL.canParse(path, 'http://old.invalid') ? new URL(path, 'http://old.invalid') : undefined

const fromOf = ({ pathname, search }: URL): string => `${pathname}${search}`

/** The slug that an old address means; undefined for one with a query, or one that cannot be a slug. */
const slugOf = ({ pathname, search }: URL): string | undefined =>
  search === '' ? slug.safeParse(uriDecoded(pathname)).data : undefined

/** Old addresses of pages that are elsewhere here, with the redirect's slug where it can be one. */
async function* movedPages(imports: TreeImport, { site: { entries }, ids }: Moved) {
  for (const batch of batchesOf(entries, batchSize)) {
    const some = batch.filter(({ source }) => source?.address !== undefined || source?.formerly !== undefined)
    const stored = await imports.readBack(some.flatMap(({ key }) => ids.get(key) ?? []))
    for (const { key, source } of some) {
      const to = stored.get(ids.get(key) ?? '')?.slug
      for (const url of [urlOf(source?.address), ...(source?.formerly ?? []).map(oldPath)]) {
        const from = url && slugOf(url)
        if (url && to !== undefined && from !== to) yield { url, from, to }
      }
    }
  }
}

/** Old addresses of files on the hosts of the site's pages; the site does not own other hosts. */
function* movedFiles({ site: { entries, files }, files: { byKey } }: Moved) {
  const hosts = new Set<string>()
  for (const { source } of entries) {
    const host = urlOf(source?.address)?.host
    if (host !== undefined) hosts.add(host)
  }
  for (const { key, url } of files) {
    const from = urlOf(url)
    const to = byKey.get(key)?.url
    if (from && hosts.has(from.host) && to !== undefined && to !== url) yield { from: fromOf(from), to }
  }
}

interface Settings {
  readonly notes: Notes
  /** False where the configuration has no redirects. */
  readonly isOn: boolean
  /** Gets each old address, also those that a redirect here leads from, for a proxy. */
  readonly oldAddress?: ((old: OldAddress) => unknown) | undefined
}

/**
 * Makes redirects from old addresses of pages. One with a query, or that a page or another redirect has, gets none.
 * @returns how many were made
 */
export async function redirectOld(
  {
    redirects,
    space: { imports },
  }: Pick<Services, 'redirects'> & { space: Pick<Services['space'], 'imports'> },
  actor: Actor,
  moved: Moved,
  { notes, isOn, oldAddress }: Settings,
): Promise<number> {
  let made = 0
  for await (const { url, from, to } of movedPages(imports, moved)) {
    await oldAddress?.({ from: fromOf(url), to })
    if (from === undefined)
      notes.add('Old addresses need a redirect in a proxy, because they are not valid here', fromOf(url))
    else if (isOn && (await make(from, to))) made++
  }
  for (const old of movedFiles(moved)) await oldAddress?.(old)
  return made

  async function make(from: string, to: string): Promise<boolean> {
    for await (const known of redirects.list({ slug: from }, {})) if (known.length > 0) return false
    try {
      await redirects.create(actor, { slug: from, target: to, locale: '', status: 301 })
      return true
    } catch (error) {
      if (!(error instanceof HttpError) || error.status >= 500) throw error
      notes.add('Old addresses have no redirect', `${from}: ${error.message}`)
      return false
    }
  }
}
