import type { AnyView, Shell } from './view.js'

/** A view, and all that are opened from it, where other words guard what is asked of the shell. */
export function guardedBy(wordOf: (access: string) => string, view: AnyView): AnyView {
  const shellOf = <S>(shell: Shell<S>): Shell<S> => ({
    ...shell,
    open: opened => shell.open(guardedBy(wordOf, opened)),
    replace: opened => shell.replace(guardedBy(wordOf, opened)),
    work: (access, work, refused) => shell.work(wordOf(access), work, refused),
  })
  return {
    ...view,
    shown: (shell, state) => view.shown?.(shellOf(shell), state),
    update: (state, key, shell) => view.update(state, key, shellOf(shell)),
  }
}
