import type { Area } from './grid.js'
import type { Key } from './keys.js'

/** A key and its action, for the last row and the help. */
export interface Hint {
  readonly key: string
  readonly does: string
}

/**
 * A view on the screen: its state, how a key changes it, and how it looks. Neither function waits or has side effects
 * other than by its result, so a view is tested by comparing text.
 */
export interface View<S> {
  title(state: S): string
  readonly start: S
  readonly isOver?: true
  /** Called each time the view becomes the top one. */
  shown?(shell: Shell<S>, state: S): void
  readonly everyMs?: number
  /** @returns the next state; for an unused key the same state, without a request to the shell */
  update(state: S, key: Key, shell: Shell<S>): S
  draw(area: Area, state: S): void
  hints(state: S): readonly Hint[]
  unsaved?(state: S): boolean
}

// biome-ignore lint/suspicious/noExplicitAny: views of many states stand on each other
export type AnyView = View<any>

/** The result of work: a change of the state. */
export type Change<S> = (state: S) => S

/** Work that takes time. */
export type Work<S> = () => Promise<Change<S>> | Promise<void>

/** The requests that a view can make. They are handled after its function has returned. */
export interface Shell<S> {
  open(view: AnyView): void
  back(): void
  replace(view: AnyView): void
  /** Shows a message in the row above the last one, until the next key. */
  say(message: string): void
  /** Copies a text to the clipboard of the user's terminal, and says so. */
  copy(text: string): void
  complain(message: string): void
  /**
   * Does work that takes time, and changes the state by its result. A refusal is shown in its own words and changes
   * nothing, so typed text is not lost.
   * @param access the permission that the user needs, as an endpoint checks it
   * @param refused handles the refusal instead
   */
  work(access: string, work: Work<S>, refused?: (error: unknown) => Change<S> | undefined): void
  /**
   * Does work for what the user has come to rest on, when no key has come for a moment. No key waits for it. Other work
   * that is asked for takes its place: the signal is then aborted, and the result is dropped.
   */
  rest(access: string, work: (signal: AbortSignal) => Promise<Change<S> | undefined>): void
  set(change: Change<S>): void
}
