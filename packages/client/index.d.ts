/** A failed request. It is a value in `error`; throw it if you prefer that. */
export class SluglineError extends Error {
  /** A code of the service (docs/errors.md), or one of the client's own. */
  readonly code: ErrorCode
  /** The HTTP status; 0 if there was no response. */
  readonly status: number
  /** The parameter with the problem, such as `filter[price][gte]`. */
  readonly member?: string | undefined
  /** All problems, if there are several. */
  readonly errors?: readonly { readonly error: string; readonly member?: string }[] | undefined
  /** Seconds after which to try again. */
  readonly retryAfter?: number | undefined
  /**
   * With `moved`: the page's new address, as a path or the address of another site. Undefined in browsers if another
   * site hides it.
   */
  readonly location?: string | undefined
}

export type ErrorCode =
  /** The page has a new address in `location`: answer with a redirect there. */
  | 'moved'
  /** The service did not respond. */
  | 'unreachable'
  /** The request was stopped by its signal. */
  | 'aborted'
  /** The response is not from the service, or is incomplete. */
  | 'unreadable'
  | 'not_found'
  | 'gone'
  | 'invalid'
  | 'unknown_member'
  | 'unauthenticated'
  | 'missing_permission'
  | 'too_many_requests'
  | 'unavailable'
  | 'read_only'
  | (string & {})

export type Result<Data, More = unknown> =
  | ({ readonly data: Data; readonly error?: undefined } & More)
  | ({ readonly data?: undefined; readonly error: SluglineError } & {
      readonly [Name in keyof More]?: undefined
    })

/** A page of a list: `next` is the cursor of the next page, or null. */
export type ListResult<Item, Next = string> = Result<
  Item[],
  { readonly next: Next | null; readonly count?: number | undefined }
>

/** Anything of `fetch`, such as `signal`, or `next` in Next. */
export type FetchOptions = Omit<RequestInit, 'body' | 'method' | 'redirect'> & {
  readonly [name: string]: unknown
}

export interface Options extends FetchOptions {
  /** The address of the service, such as `https://cms.example.com`. */
  readonly url: string
  /** An API key. With one that may edit, pages show drafts. Keep it on the server. */
  readonly key?: string | undefined
  /** The locale of every request that names no other. */
  readonly locale?: string | undefined
  readonly fetch?: typeof fetch
}

export interface Reference<Name extends string = string> {
  id: string
  type: Name
  slug: string | null
  title: string | null
}
export interface MediaVariant {
  name: string
  width: number
  height: number
  mimetype: string
  fit: 'inside' | 'cover'
  url: string
}
export interface Media {
  id: string
  url: string
  alt: string | null
  caption: string | null
  mimetype: string
  width: number | null
  height: number | null
  focal: { x: number; y: number } | null
  /** A placeholder until the image is loaded, in Base64. */
  thumbhash: string | null
  variants: MediaVariant[]
}
export interface Entry extends Reference {
  locale: string | null
  published_at: string | null
  // biome-ignore lint/suspicious/noExplicitAny: without generated types nothing is known of the fields
  fields: Record<string, any>
  children?: Entry[]
}

interface EntryShape extends Reference {
  fields: object
}
/** `Datatypes` of `slugline types`: entries by the name of their datatype. */
type Model = object
type EntryOf<M extends Model, Name> = Name extends keyof M
  ? M[Name] extends EntryShape
    ? M[Name]
    : Entry
  : Entry
type AnyEntry<M extends Model> = string extends keyof M ? Entry : M[keyof M]

type Expanded<M extends Model, Value> =
  Value extends Reference<infer Name>
    ? Name extends keyof M
      ? M[Name]
      : Entry
    : Value extends (infer Item)[]
      ? Expanded<M, Item>[]
      : Value
type WithExpanded<M extends Model, E extends EntryShape, Names> = Omit<E, 'fields'> & {
  fields: {
    [Name in keyof E['fields']]: Name extends Names ? Expanded<M, E['fields'][Name]> : E['fields'][Name]
  }
} & Pick<E, 'id' | 'type' | 'slug' | 'title'>
type WithFields<E extends EntryShape, Names> = Omit<E, 'fields'> & {
  fields: Pick<E['fields'], Names & keyof E['fields']>
} & Pick<E, 'id' | 'type' | 'slug' | 'title'>

type Column = 'id' | 'slug' | 'title' | 'published_at'
type FieldOf<E extends EntryShape> = keyof E['fields'] & string
type Path = `${string}.${string}`
type Name<E extends EntryShape> = FieldOf<E> | Column
type Comparable = string | number | boolean | Date
type Plain<Value> = [NonNullable<Value>] extends [never]
  ? Comparable
  : NonNullable<Value> extends number
    ? number
    : NonNullable<Value> extends boolean
      ? boolean
      : NonNullable<Value> extends string
        ? NonNullable<Value> | Date
        : Comparable
type ValueAt<E extends EntryShape, At> = At extends keyof E['fields'] ? Plain<E['fields'][At]> : Comparable

export type Operator =
  | 'eq'
  | 'ne'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'contains'
  | 'starts'
  | 'under'
  | 'exists'
type Value<E extends EntryShape, At, O extends Operator> = O extends 'in'
  ? readonly ValueAt<E, At>[]
  : O extends 'exists'
    ? boolean
    : O extends 'contains' | 'starts' | 'under'
      ? string
      : ValueAt<E, At>
type Condition<E extends EntryShape> = {
  [O in Operator]: readonly [Name<E> | Path, O, Value<E, unknown, O>]
}[Operator]

/** A query. Each method returns a new query, so one can be the base of others. */
export interface Query<M extends Model, E extends EntryShape, Shown extends EntryShape = E> {
  /** Adds a condition; all must hold. `category.slug` is a field of a related entry. */
  where<At extends Name<E> | Path, O extends Operator>(
    name: At,
    operator: O,
    value: Value<E, At, O>,
  ): Query<M, E, Shown>
  /** Adds alternatives, of which one must hold. */
  any(alternatives: readonly Condition<E>[]): Query<M, E, Shown>
  sort(...names: (Name<E> | `-${Name<E>}`)[]): Query<M, E, Shown>
  /** Shows only these fields. */
  fields<Names extends FieldOf<E>>(...names: Names[]): Query<M, E, WithFields<Shown, Names>>
  /** Includes the fields of related entries, up to three levels: `author`, `author.photo`. */
  expand<Names extends FieldOf<E> | Path>(...names: Names[]): Query<M, E, WithExpanded<M, Shown, Names>>
  /** Includes child entries down to this level. */
  children(levels: number): Query<M, E, Shown>
  locale(code: string): Query<M, E, Shown>
  /** The size of a page of the list, 1 to 200. */
  limit(count: number): Query<M, E, Shown>
  /** Continues at `next` of the previous page. */
  after(cursor: string): Query<M, E, Shown>
  offset(count: number): Query<M, E, Shown>
  /** Adds the number of all matching entries to `list()`. */
  count(): Query<M, E, Shown>

  list(options?: FetchOptions): Promise<ListResult<Shown>>
  /** All matching entries, with one request for 200 of them. */
  all(options?: FetchOptions): Promise<Result<Shown[]>>
  first(options?: FetchOptions): Promise<Result<Shown | null>>
  get(id: string, options?: FetchOptions): Promise<Result<Shown>>
}

export type Format =
  | 'native'
  | 'clean'
  | 'raw'
  | 'contentful'
  | 'sanity'
  | 'strapi'
  | 'wordpress'
  | 'markdown'
export interface CleanEntry {
  type: string
  title?: string
  slug?: string
  children?: CleanEntry[]
  [field: string]: string | CleanEntry[] | undefined
}
interface ShapeOf<E> {
  native: E
  clean: CleanEntry
  raw: Record<string, unknown>
  contentful: Record<string, unknown>
  sanity: Record<string, unknown>
  strapi: Record<string, unknown>
  wordpress: Record<string, unknown>
  /** Markdown with front matter. */
  markdown: string
}
export interface PageOptions<F extends Format = Format> {
  /** `native` unless given. */
  readonly format?: F
  readonly locale?: string
  /** Relations to include, such as `['author', 'author.photo']`; with `native` only. */
  readonly expand?: readonly string[]
  /** With a key: only what the public sees. */
  readonly status?: 'published'
}

export interface Found {
  id: string
  type: string
  published_at: string | null
  page: { id: string; slug: string; title: string } | null
  /** Excerpts with the words in `<mark>` and everything else escaped. */
  highlights: { field: string; html: string }[]
}
export interface PublishedPage {
  /** The id of the root entry. */
  id: string
  type: string
  slug: string
  title: string
  locales: Record<string, { slug: string; title: string }>
  modified: string
}
export interface Redirect {
  slug: string
  /** The page's current slug, or the address of another site. */
  target: string
  status: 301 | 308
}
export type Change =
  | { type: 'ready'; id?: string }
  | {
      type: 'change'
      id?: string
      at: string
      /** Any page may have changed. */
      all: boolean
      pages: { content_data_id: string; slug: string | null }[]
    }
  /** Missed changes are no longer available: read everything again. */
  | { type: 'reset'; id?: string }
  /** The stream has ended for good, for example because a preview link has expired. */
  | { type: 'error'; error: SluglineError }

export interface Slugline<M extends Model> {
  /**
   * The page at a slug. A page that has moved is the error `moved` with its new address. With a key, the service answers
   * `/api/v1/page/<slug>`, otherwise the public address.
   */
  page<E = AnyEntry<M>, F extends Format = 'native'>(
    slug: string,
    options?: PageOptions<F>,
    fetchOptions?: FetchOptions,
  ): Promise<Result<ShapeOf<E>[F]>>
  /** Trees without addresses, such as menus; needs a key. Query their datatype to read them without one. */
  globals<F extends Format = 'native'>(
    name?: string,
    options?: PageOptions<F>,
    fetchOptions?: FetchOptions,
  ): Promise<Result<F extends 'markdown' ? string : ShapeOf<AnyEntry<M>>[F][]>>
  /** The page of a preview link, with drafts. */
  preview<E = AnyEntry<M>, F extends Format = 'native'>(
    token: string,
    options?: Omit<PageOptions<F>, 'status'> & { readonly sourcemaps?: boolean },
    fetchOptions?: FetchOptions,
  ): Promise<Result<ShapeOf<E>[F]>>
  /** Published entries of a datatype. */
  query<Of extends (keyof M & string) | (string extends keyof M ? string : never)>(
    name: Of,
  ): Query<M, EntryOf<M, Of>>
  search(
    q: string,
    options?: {
      readonly type?: string | readonly string[]
      readonly locale?: string
      readonly limit?: number
      readonly offset?: number
      readonly count?: boolean
    },
    fetchOptions?: FetchOptions,
  ): Promise<ListResult<Found, number>>
  /** All public pages with their addresses in every locale. */
  pages(options?: FetchOptions): Promise<Result<PublishedPage[]>>
  /** All redirects; needs a key with `routes:read`. */
  redirects(options?: FetchOptions): Promise<Result<Redirect[]>>
  /**
   * Changes as they happen; with the token of a preview link those of its page. It connects again by itself and misses
   * nothing. Leave the loop, or abort `signal`, to end it.
   */
  changes(options?: {
    readonly token?: string
    /** The id of the last known event. */
    readonly after?: string
    readonly signal?: AbortSignal
    /** Milliseconds before the next connection; doubled up to half a minute while there is none. */
    readonly wait?: number
  }): AsyncGenerator<Change, void>
  /** Any other endpoint that reads, below `/api/v1`: `get('/media', {limit: 50})`. */
  get<Data = unknown>(
    path: `/${string}`,
    parameters?: Readonly<Record<string, Comparable | readonly string[] | undefined>>,
    options?: FetchOptions,
  ): Promise<Result<Data>>
}

/** A client of one service. Pass `Datatypes` of `slugline types` for typed entries: `slugline<Datatypes>({ url })`. */
export function slugline<M extends Model = Record<string, Entry>>(options: Options): Slugline<M>

export interface ImageOptions {
  /** The width at which the picture is shown, as the attribute `sizes`; `100vw` unless given. */
  readonly sizes?: string
  /** `inside` (the default) is the whole picture, `cover` the variants that are cropped around the focal point. */
  readonly fit?: 'inside' | 'cover'
  /** Only the variants of these presets, such as `['card', 'card-large']`. */
  readonly names?: readonly string[]
}
export interface Image {
  /** Attributes of `<img>`. */
  img: {
    src: string
    srcset?: string
    sizes?: string
    width?: number
    height?: number
    alt: string
    /** The focal point as `object-position`, and `color` as `background-color`. */
    style?: string
  }
  /** The average color, shown until the picture is loaded. Absent for pictures with transparent parts. */
  color?: string
  /** Attributes of each `<source>` in `<picture>`. */
  sources: { type: string; srcset: string; sizes: string }[]
}
/** Attributes that show a media value in the best size. Null without a picture. */
export function image(media: Media, options?: ImageOptions): Image
export function image(media: Media | null | undefined, options?: ImageOptions): Image | null

export interface TranslatedPage<E extends EntryShape = Entry> {
  locale: string
  entry: E
  /** The slug in each locale that has one of its own. */
  translations: Record<string, string>
}
/**
 * Every entry of the lists at its own slug, once: the pages of a static site. An entry that has the same slug in several
 * locales has one page, in the first of them. Entries without a slug are left out.
 * @param lists entries by locale, such as `{ en, de }`
 */
export function translated<E extends EntryShape = Entry>(
  lists: Readonly<Record<string, readonly E[]>>,
): TranslatedPage<E>[]
