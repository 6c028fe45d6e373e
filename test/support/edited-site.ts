import { chooser } from './random.js'

/** Calls the API under `/api/v1`, and throws what is not a success. */
type Api = (method: string, path: string, body?: unknown) => Promise<Record<string, string>>

interface Page {
  readonly id: string
  readonly route: string
  child: string
  isPublic: boolean
}

/** A site whose pages show children, other pages and a global menu, and edits of every kind in a random order. */
class EditedSite {
  private readonly pages: Page[] = []
  private readonly slugs = new Set<string>()
  /** Addresses of redirects without a page. */
  private readonly redirected: string[] = []
  private ids = { page: '', note: '', top: '', head: '' }
  private readonly random: ReturnType<typeof chooser>

  constructor(
    private readonly api: Api,
    seed: number,
  ) {
    this.random = chooser(seed)
  }

  private async made(path: string, body: object, id: string): Promise<string> {
    return (await this.api('POST', path, body))[id] ?? ''
  }
  private readonly route = (slug: string) => this.made('/routes', { slug, title: slug }, 'route_id')
  private readonly entry = (datatype_id: string, place: object, fields: object) =>
    this.made('/content', { datatype_id, ...place, status: 'published', fields }, 'content_data_id')

  async make(): Promise<void> {
    const datatype = (label: string, type = 'content') =>
      this.made('/datatypes', { label, type, visibility: 'public' }, 'datatype_id')
    const field = (parent_id: string, label: string, field_type: string) =>
      this.made('/fields', { parent_id, label, field_type }, 'field_id')
    const [page, note] = [await datatype('Page'), await datatype('Note')]
    const menu = await datatype('Menu', '_global')
    const head = await field(page, 'Head', 'text')
    await field(page, 'See', 'relation')
    await field(page, 'Menu', 'relation')
    await field(note, 'Head', 'text')
    await field(menu, 'Head', 'text')
    await field(menu, 'See', 'relation')
    const top = await this.entry(menu, {}, { head: 'menu' })
    this.ids = { page, note, top, head }
    for (let i = 0; i < 8; i++) {
      this.slugs.add(`/p${i}`)
      const route = await this.route(`/p${i}`)
      const see = i > 0 && i % 2 === 0 ? { see: this.pages[i - 1]?.id } : {}
      const shown = i % 3 === 0 ? { menu: top } : {}
      const id = await this.entry(page, { route_id: route }, { head: `first ${i}`, ...see, ...shown })
      const child = await this.entry(note, { parent_id: id }, { head: `note ${i}` })
      this.pages.push({ id, route, child, isPublic: true })
    }
    await this.change(top, { see: this.pages[1]?.id })
  }

  private change(id: string, fields: object) {
    return this.api('PUT', `/content/?q=${id}`, { fields })
  }
  private anyPage(): Page {
    return this.random.one(this.pages)
  }

  private readonly edits: Record<string, (n: number) => Promise<unknown>> = {
    value: n => this.change(this.anyPage().id, { head: `value ${n}` }),
    child: n => this.change(this.anyPage().child, { head: `child ${n}` }),
    menu: n => this.change(this.ids.top, { head: `menu ${n}` }),
    relation: () => this.change(this.anyPage().id, { see: this.anyPage().id }),
    title: n => this.api('PUT', `/routes/?q=${this.anyPage().route}`, { title: `Title ${n}` }),
    slug: n => {
      this.slugs.add(`/n${n}`)
      return this.api('PUT', `/routes/?q=${this.anyPage().route}`, { slug: `/n${n}` })
    },
    publication: () => {
      const one = this.anyPage()
      one.isPublic = !one.isPublic
      const path = `/content/${one.isPublic ? 'publish' : 'unpublish'}`
      return this.api('POST', path, { content_data_id: one.id })
    },
    model: async n => {
      await this.api('PUT', `/fields/?q=${this.ids.head}`, { label: `Head ${n}` })
      await this.api('PUT', `/datatypes/?q=${this.ids.note}`, { name: `note_${n}` })
    },
    redirect: async n => {
      const slug = `/r${n}`
      this.slugs.add(slug)
      this.redirected.push(slug)
      const to = { slug, route_id: this.anyPage().route }
      const redirect = await this.made('/redirects', to, 'redirect_id')
      if (this.random.below(2) === 0)
        await this.api('PUT', `/redirects/?q=${redirect}`, { target: '/elsewhere' })
    },
    locale: n => {
      const code = `x${String.fromCharCode(97 + (n % 26))}-${100 + n}`
      return this.api('POST', '/locales', { code, label: `L${n}` })
    },
    created: async n => {
      const slug = this.redirected.shift() ?? `/c${n}`
      this.slugs.add(slug)
      await this.entry(this.ids.page, { route_id: await this.route(slug) }, { head: `made ${n}` })
    },
    deleted: async () => {
      const one = this.anyPage()
      await this.api('DELETE', `/content/?q=${one.child}`)
      one.child = await this.entry(this.ids.note, { parent_id: one.id }, { head: 'again' })
    },
  }

  /** Makes the edit with this number: first one of each kind. @returns its kind */
  async edit(n: number): Promise<string> {
    const kinds = Object.keys(this.edits)
    const others = kinds.filter(one => one !== 'locale' || n % 5 === 0)
    const kind = kinds[n] ?? this.random.one(others)
    await this.edits[kind]?.(n)
    return kind
  }

  /** Returns the addresses that a cache keeps, or will keep. */
  async paths(): Promise<string[]> {
    const datatypes = (await this.api('GET', '/datatypes')) as unknown as { name: string }[]
    return [
      ...[...this.slugs].flatMap(slug => [slug, `${slug}?format=raw`, `${slug}?format=native`]),
      ...datatypes.flatMap(({ name }) => [`/api/v1/query/${name}`, `/api/v1/query/${name}?children=2`]),
      '/api/v1/query/page?filter[see.head][contains]=value',
      '/api/v1/search?q=value',
      '/api/v1/search?q=note',
      '/api/v1/routes/published',
      '/api/v1/globals/menu',
      '/api/v1/globals',
      '/sitemap.xml',
      '/compat/contentful/spaces/x/environments/master/entries',
    ]
  }
}

/** Creates the site. The same seed makes the same edits. `bench/trials/varnish.mjs` makes them too. */
export async function editedSite(api: Api, seed: number) {
  const site = new EditedSite(api, seed)
  await site.make()
  return site
}
