import {
  type Answer,
  anyLocale,
  type Entry,
  everyLocale,
  type Fixed,
  type Head,
  type Root,
  variantKey,
} from '../../twin/layout.js'

/** Asks the site, as anybody. @param path with the query */
export type Ask = (
  path: string,
  init?: { method?: string; headers?: Record<string, string> },
) => Promise<Response>

/** The settings by which requests for pages differ. */
export type Languages = Pick<Root, 'format' | 'formats' | 'locales'>

export interface Capturing {
  readonly ask: Ask
  readonly languages: Languages
  /** Stores an object. @returns its hash */
  keep(object: Uint8Array): Promise<string>
}

/** The response is not the site's: the database is away, or something failed. Later it is asked for again. */
class Unsettled extends Error {}

/** Headers of single requests, and those that the handler writes. */
const ownHeaders = new Set(['x-request-id', 'etag', 'content-length'])
const sharedHeaders = ({ headers }: Response, ...without: string[]): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !ownHeaders.has(name) && !without.includes(name)))

async function settled(asking: Promise<Response>): Promise<Response> {
  const response = await asking
  // With an `Age` nobody could check whether it is current.
  if (response.status < 500 && !response.headers.has('age')) return response
  throw new Unsettled(`the site answers ${response.status}: ${await response.text()}`)
}

interface Read {
  readonly head: Head
  readonly body: Buffer
  readonly etag: string
}

async function read(response: Response): Promise<Read> {
  const body = Buffer.from(await response.arrayBuffer())
  const head = { status: response.status, headers: sharedHeaders(response) }
  return { head, body, etag: response.headers.get('etag') ?? '' }
}

/** Bodies share objects of this size, because an object costs much more than its bytes. A larger body has its own. */
const objectBytes = 32_768

/** Collects what is the same in several responses, and many bodies in few objects. */
class Responses {
  readonly #heads: Head[] = []
  readonly #objects: Buffer[][] = []
  readonly #headAt = new Map<string, number>()
  readonly #bodyAt = new Map<string, readonly [object: number, from: number, to: number]>()
  #size = Number.POSITIVE_INFINITY
  readonly #answers: [key: string, answer: Answer][] = []

  add(key: string, { head, body, etag }: Read): void {
    this.#answers.push([key, [this.#placeOf(head), ...this.#put(body), etag]])
  }

  async entry(keep: Capturing['keep']): Promise<Entry> {
    const objects = await Promise.all(this.#objects.map(bodies => keep(Buffer.concat(bodies))))
    return { heads: this.#heads, objects, answers: Object.fromEntries(this.#answers) }
  }

  #placeOf(head: Head): number {
    const text = JSON.stringify(head)
    const known = this.#headAt.get(text)
    if (known !== undefined) return known
    this.#headAt.set(text, this.#heads.length)
    return this.#heads.push(head) - 1
  }

  #put(body: Buffer) {
    const bytes = body.toString('latin1')
    const known = this.#bodyAt.get(bytes)
    if (known) return known
    const isFull = this.#size + body.length > objectBytes
    const object = isFull ? this.#objects.push([]) - 1 : this.#objects.length - 1
    const from = isFull ? 0 : this.#size
    this.#size = from + body.length
    this.#objects[object]?.push(body)
    const place = [object, from, this.#size] as const
    this.#bodyAt.set(bytes, place)
    return place
  }
}

interface Variant {
  readonly key: string
  readonly query: string
  readonly headers?: Record<string, string>
}

const version4 = { 'Strapi-Response-Format': 'v4' }
/** A locale that no site has. */
const unknownLocale = 'zz'

/** Every request for a page that can have a response of its own. */
function* variantsIn({ format, formats, locales }: Languages): Generator<Variant> {
  const asked =
    locales === null
      ? [
          ['', ''],
          [anyLocale, unknownLocale],
        ]
      : ['', ...locales].map(code => [code, code])
  for (const [place = '', locale = ''] of asked) {
    const own = locale === '' ? '' : `&locale=${locale}`
    for (const name of formats) {
      yield { key: variantKey(name, false, place), query: `?format=${name}${own}` }
      if (name === 'strapi')
        yield { key: variantKey('strapi-v4', false, place), query: `?format=strapi${own}`, headers: version4 }
    }
    if (format === 'markdown') continue
    const query = own === '' ? '' : `?${own.slice(1)}`
    yield { key: variantKey(format, true, place), query }
    yield { key: variantKey('markdown', true, place), query, headers: { Accept: 'text/markdown' } }
    if (format === 'strapi') yield { key: variantKey('strapi-v4', true, place), query, headers: version4 }
  }
  if (formats.includes('contentful'))
    yield {
      key: variantKey('contentful', false, everyLocale),
      query: `?format=contentful&locale=${everyLocale}`,
    }
}

/** Captures the responses at a slug; undefined if nothing is there. @throws Unsettled */
export async function captureSlug(
  { ask, languages, keep }: Capturing,
  slug: string,
): Promise<Entry | undefined> {
  const path = encodeURI(slug)
  const first = await settled(ask(`${path}?format=${languages.formats[0]}`))
  if (first.status === 404) return undefined
  const location = first.headers.get('location')
  if (location !== null) {
    const given = (await settled(ask(path))).headers.get('location') ?? location
    // The handler encodes a path, as the service does.
    const target = given.startsWith('/') ? decodeURI(given) : given
    return {
      heads: [{ status: first.status, headers: sharedHeaders(first, 'location') }],
      objects: [],
      answers: {},
      target,
    }
  }
  const asked = [...variantsIn(languages)].map(
    async ({ key, query, headers }) =>
      [key, await read(await settled(ask(path + query, headers ? { headers } : {})))] as const,
  )
  const responses = new Responses()
  // In the order of the variants, whichever was read first: equal responses make equal entries.
  for (const [key, one] of await Promise.all(asked)) responses.add(key, one)
  return responses.entry(keep)
}

const partsOf = (index: string): string[] =>
  [...index.matchAll(/\/sitemap\.xml(\?[^<]*)<\/loc>/g)].map(([, query = '']) =>
    query.replaceAll('&amp;', '&'),
  )

/**
 * Captures a file of the site with the parts that it names; undefined if it is turned off. An entry without responses
 * is beyond the twin, as a file that names the host of each request.
 */
export async function captureFile({ ask, keep }: Capturing, name: string): Promise<Entry | undefined> {
  const response = await settled(ask(`/${name}`))
  if (response.status === 404) return undefined
  if (response.headers.get('cache-control') === 'no-store') return { heads: [], objects: [], answers: {} }
  const responses = new Responses()
  const file = await read(response)
  responses.add('', file)
  for (const part of name === 'sitemap.xml' ? partsOf(file.body.toString()) : []) {
    const query = new URLSearchParams(part)
    const key = `${query.get('after') ?? ''} ${query.get('until') ?? ''}`
    responses.add(key, await read(await settled(ask(`/${name}${part}`))))
  }
  return responses.entry(keep)
}

/** Captures the responses that are the same at each address. */
export async function captureFixed(ask: Ask): Promise<Root['fixed']> {
  const fixed = async (...request: Parameters<Ask>): Promise<Fixed> => {
    const response = await settled(ask(...request))
    return { status: response.status, headers: sharedHeaders(response), text: await response.text() }
  }
  const preflight = { Origin: 'https://example.com', 'Access-Control-Request-Method': 'GET' }
  return {
    // No page has this slug.
    missing: await fixed('/robots.txt/'),
    format: await fixed('/?format='),
    locale: await fixed('/?format=raw&locale=-'),
    expand: await fixed('/?format=raw&expand=a'),
    address: await fixed('/%00'),
    method: await fixed('/', { method: 'POST' }),
    preflight: await fixed('/', { method: 'OPTIONS', headers: preflight }),
  }
}
