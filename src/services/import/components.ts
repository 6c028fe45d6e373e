/**
 * Groups of keys such that whatever a group refers to is in an earlier one or in itself: the strongly connected
 * components of a graph, by Tarjan's algorithm (SIAM J. Comput. 1972), without recursion.
 * @param refersTo what a key refers to; keys that are not in `keys` are passed over
 */
export function componentsOf(
  keys: Iterable<string>,
  refersTo: (key: string) => readonly string[],
): string[][] {
  const known = new Set(keys)
  /** When a key was reached, and the earliest key on the path that it leads back to. */
  const state = new Map<string, { readonly reached: number; earliest: number; isOpen: boolean }>()
  const open: string[] = []
  const groups: string[][] = []
  for (const start of known) {
    if (state.has(start)) continue
    const path = [entered(start)]
    for (let at = path.at(-1); at; at = path.at(-1)) {
      const next = at.left.pop()
      if (next === undefined) leave(path)
      else if (!state.has(next)) path.push(entered(next))
      else reach(at.key, next)
    }
  }
  return groups

  function entered(key: string) {
    state.set(key, { reached: state.size, earliest: state.size, isOpen: true })
    open.push(key)
    return { key, left: refersTo(key).filter(one => known.has(one)) }
  }
  function reach(from: string, to: string): void {
    const [own, other] = [state.get(from), state.get(to)]
    if (own && other?.isOpen) own.earliest = Math.min(own.earliest, other.earliest)
  }
  function leave(path: { readonly key: string }[]): void {
    const { key } = path.pop() ?? { key: '' }
    const own = state.get(key)
    if (own && own.earliest === own.reached) {
      const group = open.splice(open.lastIndexOf(key))
      for (const one of group) {
        const closed = state.get(one)
        if (closed) closed.isOpen = false
      }
      groups.push(group)
    }
    const above = path.at(-1)
    if (above) reach(above.key, key)
  }
}
