/**
 * The objects of a twin. `root.json` is the only one that changes. It names the shards, which name the bodies; both are
 * called by the hash of what they hold. So the replacement of the root is the step from one moment of the site to the next.
 */
export const rootName = 'root.json'
export const shardName = (hash: string): string => `shards/${hash}`
export const bodyName = (hash: string): string => `bodies/${hash}`

/** Status and headers that several responses share. */
export interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** The place of its head, that of the object with its body and where the body is in it, and the ETag or `''`. */
export type Answer = readonly [head: number, object: number, from: number, to: number, etag: string]

/** The responses at one slug, or those of one file of the site. */
export interface Entry {
  readonly heads: readonly Head[]
  /** The hashes of the objects with the bodies. */
  readonly objects: readonly string[]
  /** By `variantKey`; files of the site have `''`, and parts of the sitemap their range. */
  readonly answers: Readonly<Record<string, Answer>>
  /** The target of a redirect, whose one head is the first. */
  readonly target?: string
  /** The root entry of the page. */
  readonly page?: string
  /** The roots of other trees that the page shows entries of. */
  readonly shows?: readonly string[]
}

export type Shard = Readonly<Record<string, Entry>>

/** A response that is the same at each address. */
export type Fixed = Head & { readonly text: string }

type FixedName = 'missing' | 'format' | 'locale' | 'expand' | 'address' | 'method' | 'preflight'

export interface Root {
  readonly layout: 2
  /** The last change that is in the twin. */
  readonly change: number
  /** Differs for each version and configuration of the service. */
  readonly service: string
  /** The format without the parameter. */
  readonly format: string
  readonly formats: readonly string[]
  /** The codes of the locales. It is null without locales. */
  readonly locales: readonly string[] | null
  readonly shards: readonly string[]
  /** The places of shards with responses that may be outdated. Until they are read again, the origin is asked first. */
  readonly behind?: readonly number[]
  readonly fixed: Readonly<Record<FixedName, Fixed>>
}

/** Asks for all locales at once, in the format `contentful`. */
export const everyLocale = '*'
/** The place of the answers to any locale on a site without locales. */
export const anyLocale = '?'

/**
 * The key of a response.
 * @param isOpen whether the request names no format, so that headers choose among the variants
 */
export const variantKey = (variant: string, isOpen: boolean, locale: string): string =>
  `${isOpen ? '*' : ''}${variant}/${locale}`

/** The shard of a name: FNV-1a. */
export function shardOf(name: string, shards: number): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % shards
}
