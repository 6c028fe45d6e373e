import type { Area } from './grid.js'
import type { Key } from './keys.js'

/** A key and what it does, as the last row and the help say it. */
export interface Hint {
  readonly key: string
  readonly does: string
}

/**
 * What is on the screen: state, what a key makes of it, and how it looks. Neither function waits for anything or changes
 * anything but by what it gives back, so that a view is tried by comparing text.
 */
export interface View<S> {
  /** What the first row calls it. */
  title(state: S): string
  readonly start: S
  /** Over the view that it was opened from. */
  readonly isOver?: true
  /** Called when it comes up, first or again. */
  shown?(shell: Shell<S>, state: S): void
  /** How often `shown` is called while it is up. */
  readonly everyMs?: number
  /** @returns the next state; the same one, and nothing asked of the shell, for a key that it has no use for */
  update(state: S, key: Key, shell: Shell<S>): S
  draw(area: Area, state: S): void
  hints(state: S): readonly Hint[]
  /** What would be lost if it was left now. */
  unsaved?(state: S): boolean
}

// biome-ignore lint/suspicious/noExplicitAny: views of many states stand on each other
export type AnyView = View<any>

/** What came of work: the next state. */
export type Change<S> = (state: S) => S

/** What takes time. */
export type Work<S> = () => Promise<Change<S>> | Promise<void>

/** What a view may ask for. What it asks for happens after its function has returned. */
export interface Shell<S> {
  /** Puts a view on top. */
  open(view: AnyView): void
  /** Leaves this view. */
  back(): void
  /** Leaves this view for another one. */
  replace(view: AnyView): void
  /** Tells something in the row above the last one, until the next key. */
  say(message: string): void
  complain(message: string): void
  /**
   * Does what takes time, and changes the state if something came of it. A refusal is told in its own words and changes nothing, so that nothing typed is lost.
   * @param access what the one at the keys must be allowed, as an endpoint asks it
   * @param refused takes the refusal instead
   */
  work(access: string, work: Work<S>, refused?: (error: unknown) => Change<S> | undefined): void
  /** Changes the state outside of `update`. */
  set(change: Change<S>): void
}
