import type { Bytes } from '../../db/columns.js'
import type { Hashing } from '../../ports.js'

export interface RenderedPage {
  readonly body: Bytes
  /** Strong: it changes with every byte of the body. */
  readonly etag: string
  /** Its surrogate keys, by which a cache can drop it. */
  readonly tags: string
  /** The public address of the page, if it is known. */
  readonly url?: string | undefined
  /** Whether it shows other content through relations, so that every public change may concern it. */
  readonly isLinked?: boolean
  /** Set while the database does not answer: for how long it has not been known whether this is current. */
  readonly ageSeconds?: number
}

const encoder = new TextEncoder()

/** A strong tag of a text. */
export const etagOf = ({ sha256 }: Pick<Hashing, 'sha256'>, text: string): string =>
  `"${sha256(text).slice(0, 32)}"`

export const bodyOf = (hashing: Pick<Hashing, 'sha256'>, text: string): Omit<RenderedPage, 'tags'> => ({
  body: encoder.encode(text),
  etag: etagOf(hashing, text),
})
