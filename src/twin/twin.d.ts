/** Reads the objects of a twin, as `slugline twin` writes them. */
export interface TwinStore {
  /** The bytes of an object; undefined or null without such an object. It must not be cached for `root.json`. */
  get(name: string): Promise<Uint8Array | undefined | null>
}

export interface TwinOptions {
  /** Answers what the twin does not have, or not yet anew, such as `https://cms.example.com`. */
  readonly origin?: string
}

/**
 * Answers a request from a twin, as its service would. What the twin does not have is passed to the origin; without one,
 * or if it does not answer, the response is a 503 in JSON. What the twin is still to read again is asked of the origin
 * first, and answered from the twin if the origin does not answer.
 */
export function fetch(request: Request, store: TwinStore, options?: TwinOptions): Promise<Response>
