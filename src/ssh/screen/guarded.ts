import type { AnyView, Shell } from './view.js'

/** Returns a view that, like all views opened from it, checks other permissions in the shell. */
export function guardedBy(wordOf: (access: string) => string, view: AnyView): AnyView {
  const shellOf = <S>(shell: Shell<S>): Shell<S> => ({
    ...shell,
    open: opened => shell.open(guardedBy(wordOf, opened)),
    replace: opened => shell.replace(guardedBy(wordOf, opened)),
    work: (access, work, refused) => shell.work(wordOf(access), work, refused),
    rest: (access, work) => shell.rest(wordOf(access), work),
  })
  return {
    ...view,
    shown: (shell, state) => view.shown?.(shellOf(shell), state),
    update: (state, key, shell) => view.update(state, key, shellOf(shell)),
  }
}
