import type { Actor } from '../../actor.js'
import { onEach, reasonOf } from '../../resources/several.js'
import { t } from '../../texts/terminal.js'
import type { ListState } from '../screen/list-spec.js'
import { confirmView } from '../screen/over.js'
import { pageView } from '../screen/page.js'
import { bold } from '../screen/style.js'
import type { Shell } from '../screen/view.js'
import type { Session } from '../session.js'

/** A record of a list that an action is about. */
export interface Item {
  /** Its key in the list. */
  readonly key: string
  readonly id: string
  readonly title: string
  /** The keys of other marked records that an action on this one includes. */
  readonly covers?: readonly string[]
}

/** An action on one or several records of a list. */
export interface Several {
  readonly title: string
  readonly access: string
  act(actor: Actor, id: string): Promise<unknown>
  done(n: number): string
  refused(n: number): string
  /** @param ids those that are done. @returns what is said behind that */
  after?(ids: readonly string[]): Promise<string>
}

/** Clears the marks of these records of a list. */
export const unmark = <R>(shell: Shell<ListState<R>>, keys: readonly string[]): void =>
  shell.set(state => ({
    ...state,
    ticks: new Map([...state.ticks].filter(([key]) => !keys.includes(key))),
  }))

/**
 * Acts on each record by itself. Records that are done or gone lose their marks; refused ones are listed
 * with the reason.
 */
export function actOnEach<R>(
  session: Session,
  shell: Shell<ListState<R>>,
  items: readonly Item[],
  { title, access, act, done, refused, after }: Several,
): void {
  shell.work(access, async () => {
    const { actor } = session
    const errors = await onEach(
      items.map(({ id }) => id),
      id => act(actor, id),
    )
    const acted = items.filter(({ id }) => !errors.has(id))
    const behind = acted.length > 0 ? await after?.(acted.map(({ id }) => id)) : undefined
    const told = `${done(acted.length)}${behind ?? ''}`
    const over = items.filter(({ id }) => (errors.get(id)?.status ?? 404) === 404)
    unmark(
      shell,
      over.flatMap(({ key, covers = [] }) => [key, ...covers]),
    )
    if (errors.size === 0) return shell.say(told)
    const reasons = items.flatMap(({ id, title: name }) => {
      const error = errors.get(id)
      return error ? [{ text: t('“{name}”: {problem}.', { name, problem: reasonOf(error) }) }] : []
    })
    shell.open(
      pageView(title, [
        { text: told, style: bold },
        { text: refused(errors.size) },
        { text: '' },
        ...reasons,
      ]),
    )
  })
}

/** Asks before an action on one or several records. */
export function askOnce<R>(
  session: Session,
  shell: Shell<ListState<R>>,
  items: readonly Item[],
  how: Several & { word: string; question(): string | Promise<string> },
): void {
  shell.work(how.access, async () => {
    const { title, word } = how
    shell.open(
      confirmView(title, await how.question(), { word, act: () => actOnEach(session, shell, items, how) }),
    )
  })
}
