import { maxShown, type Range, type Tree } from '../resources/trees.js'

const [step, maxParts] = [100, 50]

const written = /^(\w{26})\.(\d{1,7})\.(\d{1,7})$/

/** Reads the requested parts of a large tree, by parent; invalid ones are left out. */
export const partsIn = (text: string): ReadonlyMap<string, Range> =>
  new Map(
    text
      .split(',')
      .slice(0, maxParts)
      .flatMap(part => {
        const [, parent = '', from, to] = written.exec(part) ?? []
        return parent === '' ? [] : [[parent, { from: Number(from), to: Number(to) }] as const]
      }),
  )

const writtenOf = (parts: ReadonlyMap<string, Range>): string =>
  [...parts].map(([parent, { from, to }]) => `${parent}.${from}.${to}`).join()

/** Returns the parts of a tree that are shown, as text for the next request. */
export const shownOf = ({ parts }: Tree): string => writtenOf(parts)

/** Hidden entries of one parent, before or after the shown ones. */
export interface Rest {
  readonly end: 'before' | 'after'
  readonly next: number
  readonly left: number
  readonly shown: string
}

/** Returns how many children of a parent are hidden before and after the shown ones. */
export function restsOf({ parts }: Tree, parent: string): { before?: Rest; after?: Rest } {
  const part = parts.get(parent)
  if (!part || part.to - part.from >= maxShown) return {}
  const { from, to, total } = part
  const rest = (end: Rest['end'], left: number): Rest => {
    const next = Math.min(step, left, maxShown - (to - from))
    const range = end === 'before' ? { from: from - next, to } : { from, to: to + next }
    return { end, next, left, shown: writtenOf(new Map([...parts, [parent, range]])) }
  }
  return {
    ...(from > 0 ? { before: rest('before', from) } : {}),
    ...(to < total ? { after: rest('after', total - to) } : {}),
  }
}
