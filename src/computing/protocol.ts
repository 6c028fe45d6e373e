/** Limits of a computation and of how many there are (D-802). */
export const sandboxLimits = {
  timeMs: 2000,
  /** Heap of its process. */
  heapMiB: 128,
  resultCharacters: 8 * 2 ** 20,
  /** More than these would wait longer than clients do. */
  waiting: 16,
  idleMs: 60_000,
  startMs: 30_000,
} as const

export interface ComputationRequest {
  readonly name: string
  readonly input: unknown
}

export type ComputationResponse =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly text: string }
  /** It refuses its input, in its own words. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'large' }
