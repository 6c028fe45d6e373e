import type { Config } from '../config.js'
import { originOf } from '../services/site-origin.js'
import type { Session } from './session.js'

/** Returns the address of a slug on the site; undefined without an address of the site. */
export function addressOfSlug(config: Config, slug: string): string | undefined {
  const origin = originOf(config)
  return origin !== '' && slug.startsWith('/') ? `${origin}${slug}` : undefined
}

/** The admin space has no pages. */
const isPublic = ({ site, services }: Session): boolean => services.space === site.services.space

/** Returns the public address of a page by its slug, for a hyperlink. */
export const publicAddress = (session: Session, slug: string): string | undefined =>
  isPublic(session) ? addressOfSlug(session.site.config(), slug) : undefined

/** Returns the address of an entry in the panel, for a hyperlink. */
const panelAddress = (session: Session, id: string): string | undefined =>
  publicAddress(session, `/admin/content/entry/${id}`)

/** Returns the address of a page for its readers; of a draft, and of a tree without a page, that of its entry in the panel. */
export const placeAddress = (
  session: Session,
  slug: string | undefined,
  root: { readonly content_data_id: string; readonly status: string } | undefined,
): string | undefined =>
  slug !== undefined && (root === undefined || root.status === 'published')
    ? publicAddress(session, slug)
    : root && panelAddress(session, root.content_data_id)
