import { z } from 'zod'
import { type Actor, signedIn } from '../../actor.js'
import type { Config } from '../../config.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import { duration, isDuration } from '../../durations.js'
import {
  conflict,
  forbidden,
  gone,
  invalid,
  missingPermission,
  missingReference,
  notConfigured,
  notFound,
} from '../../errors.js'
import { timestamp } from '../../ids.js'
import { limits } from '../../limits.js'
import type { Clock } from '../../ports.js'
import { reference } from '../body-parts.js'
import { pageKeys } from '../content/surrogate-keys.js'
import { type Crud, crud } from '../crud.js'
import { signedIds } from '../signed-ids.js'
import { type PageRequest, pageRequest } from './page-request.js'
import type { PageService } from './pages.js'
import { type LinkHolder, linkHolders } from './preview-holders.js'
import type { RenderedPage } from './rendered-page.js'

const table = tables.previewLinks
const [minLifetimeMs, maxLifetimeMs] = [60_000, 90 * 86_400_000]
const maxLinksOfPage = limits.content.previewLinksOfPage

const [ownLabel, ownLifetime, minOwnMs] = ['Beside the form', '24h', 3_600_000]

const lifetime = z
  .string()
  .max(32)
  .refine(isDuration, 'must be a duration such as 1h30m or 7d')
  .refine(text => {
    const ms = isDuration(text) ? duration(text) : 0
    return ms >= minLifetimeMs && ms <= maxLifetimeMs
  }, 'must be 1 minute to 90 days')

export const PreviewLinkCreate = z.object({
  content_data_id: reference.meta({ description: 'Any entry of the page. The link is for the whole page.' }),
  expires_in: lifetime
    .default('24h')
    .meta({ description: 'How long the link works: 1 minute to 90 days.', examples: ['24h'] }),
  label: z.string().max(255).default('').meta({ description: 'Who the link is for.' }),
})

/** A link as it is shown when it is made. */
export const PreviewLinkMade = z
  .object({
    preview_link_id: z.string(),
    content_data_id: z.string().meta({ description: 'The root entry of the page.' }),
    label: z.string(),
    expires_at: z.iso.datetime(),
    created_by: z
      .string()
      .meta({ description: 'The user who created the link. The link shows what this user may see now.' }),
    token_id: z.string().nullable().meta({
      description:
        'The API key that created the link. The link ends when the key does. Null if a person created it.',
    }),
    date_created: z.iso.datetime(),
    url: z
      .string()
      .meta({ description: 'The URL to share: `preview_url` with the token, or a page of the service.' }),
    api_url: z.string().meta({ description: 'The URL of the page in the API.' }),
    token: z.string().meta({ description: 'The token of the link. It is shown only once.' }),
  })
  .meta({ id: 'NewPreviewLink' })

type PreviewLinkRow = RowOf<typeof table>
type Asked = Pick<PageRequest, 'format' | 'locale' | 'expand' | 'sourcemaps'>

interface OpenLink {
  readonly link: PreviewLinkRow
  readonly holder: LinkHolder
}

export interface PreviewLinkService
  extends Pick<Crud<typeof table>, 'table' | 'list' | 'count' | 'get' | 'remove'> {
  /**
   * Makes a link.
   * @throws 403 if the caller may not read content, or for a key whose end is before the link's; 400 for an entry that
   * is on no page, and without an `app_secret`; 409 when the page has too many links
   */
  create(actor: Actor, given: z.output<typeof PreviewLinkCreate>): Promise<z.output<typeof PreviewLinkMade>>
  /** Opens a link. @throws 404 for a text that is not a link of this service; 410 for one that has ended */
  open(token: string): Promise<OpenLink>
  alive(ids: readonly string[]): Promise<ReadonlyMap<string, OpenLink>>
  /**
   * Returns the address of the site's preview of the page, for a user who edits an entry. It has a link of theirs; if
   * theirs have all ended or soon will, a new one is made.
   * @throws as `create`; 400 without a `preview_url`
   */
  siteUrl(actor: Actor, contentDataId: string): Promise<string>
  /** The working state of the link's page, with all other content as the public sees it. @throws as `open` */
  page(token: string, asked: Asked): Promise<RenderedPage>
}

interface Needs {
  pages: Pick<PageService, 'page'>
  rights: Parameters<typeof linkHolders>[1]['rights']
  clock: Clock
  origin: string
  config: () => Pick<Config, 'app_secret' | 'preview_url'>
}

const maxAttempts = 3

class PreviewLinks {
  readonly #ids
  readonly #holders

  constructor(
    private readonly db: Database,
    private readonly needs: Needs,
  ) {
    this.#ids = signedIds('preview links', needs.config)
    this.#holders = linkHolders(db, needs)
  }

  async create(actor: Actor, { content_data_id, expires_in, label }: z.output<typeof PreviewLinkCreate>) {
    // Without it the link would be over at once.
    if (!(await this.needs.rights.can(actor, 'content:read'))) throw missingPermission('content:read')
    const { userId, credential } = signedIn(actor)
    const expires_at = timestamp(this.needs.clock.now() + duration(expires_in))
    const ownEnd = credential.limits?.expiresAt ?? null
    if (ownEnd !== null && expires_at > ownEnd)
      throw forbidden('an API key cannot create a link that expires later than itself')
    if (!this.needs.config().app_secret) throw notConfigured('preview links need an app_secret')
    const link = await this.db.write(actor, async tx => {
      const entry = await tx.get(tables.contentData, content_data_id)
      if (!entry) throw missingReference('content_data_id', tables.contentData.name)
      const root = await tx.get(tables.contentData, entry.root_id)
      if (!root?.route_id) throw invalid('content_data_id', 'is not on a page: its tree has no route')
      if ((await tx.count(table, { content_data_id: entry.root_id })) >= maxLinksOfPage)
        throw conflict(`the page has ${maxLinksOfPage} preview links: delete some`)
      return tx.insert(table, {
        content_data_id: entry.root_id,
        label,
        expires_at,
        created_by: userId,
        token_id: credential.kind === 'key' ? credential.id : null,
      })
    })
    return this.#shown(link)
  }

  async siteUrl(actor: Actor, contentDataId: string): Promise<string> {
    if (this.needs.config().preview_url === undefined) throw notConfigured('preview_url is not configured')
    const entry = await this.db.get(tables.contentData, contentDataId)
    if (!entry) throw notFound()
    const { userId } = signedIn(actor)
    const own = { content_data_id: entry.root_id, created_by: userId, label: ownLabel }
    const known = await this.db.findAll(table, own, { limit: maxLinksOfPage })
    const enough = timestamp(this.needs.clock.now() + minOwnMs)
    const link = known.find(({ token_id, expires_at }) => token_id === null && expires_at > enough)
    if (link) return (await this.#shown(link)).url
    const given = { content_data_id: contentDataId, expires_in: ownLifetime, label: ownLabel }
    return (await this.create(actor, given)).url
  }

  async open(token: string): Promise<OpenLink> {
    const id = await this.#ids.read(token)
    if (id === undefined) throw notFound('this preview link is invalid')
    const open = (await this.alive([id])).get(id)
    if (!open) throw ended()
    return open
  }

  async alive(ids: readonly string[]): Promise<ReadonlyMap<string, OpenLink>> {
    const now = timestamp(this.needs.clock.now())
    const links = (await this.db.findIn(table, table.key, ids)).filter(({ expires_at }) => expires_at > now)
    const holders = await this.#holders(links)
    return new Map(
      links.flatMap(link => {
        const holder = holders.get(link.preview_link_id)
        return holder ? [[link.preview_link_id, { link, holder }]] : []
      }),
    )
  }

  async page(token: string, asked: Asked): Promise<RenderedPage> {
    const { link } = await this.open(token)
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const root = await this.db.get(tables.contentData, link.content_data_id)
      const route = root?.route_id ? await this.db.get(tables.routes, root.route_id) : undefined
      if (!route) throw ended()
      const page = await this.needs.pages.page(
        pageRequest({ ...asked, slug: route.slug, audience: 'preview' }),
      )
      // Pages are found by their slug, which may belong to another page by now.
      if (page.tags === pageKeys(route.route_id, link.content_data_id)) return page
    }
    throw ended()
  }

  async #shown(link: PreviewLinkRow): Promise<z.output<typeof PreviewLinkMade>> {
    const { origin, config } = this.needs
    const token = await this.#ids.sign(link.preview_link_id, link.expires_at)
    if (token === undefined) throw notConfigured('preview links need an app_secret')
    const api_url = `${origin}/api/v1/preview?token=${token}`
    const { preview_url } = config()
    const url = preview_url ? new URL(preview_url) : undefined
    url?.searchParams.set('preview', token)
    return { ...link, url: url?.href ?? `${origin}/admin/preview?token=${token}`, api_url, token }
  }
}

const ended = () => gone('this preview link has expired or was deleted, or its page is gone')

export function previewLinks(db: Database, needs: Needs): PreviewLinkService {
  const { table, list, count, get, remove } = crud(db, tables.previewLinks)
  const links = new PreviewLinks(db, needs)
  return {
    ...{ table, list, count, get, remove },
    create: (actor, given) => links.create(actor, given),
    siteUrl: (actor, contentDataId) => links.siteUrl(actor, contentDataId),
    open: token => links.open(token),
    alive: ids => links.alive(ids),
    page: (token, asked) => links.page(token, asked),
  }
}
