import {
  bounds,
  type Child,
  cells,
  type Element,
  endsParagraph,
  marking,
  type Root,
  sections,
  voids,
} from './rules.js'

const isHeading = (name: string) => /^h[1-6]$/.test(name)
const isTablePart = (name: string) => name === 'tr' || sections.has(name) || cells.has(name)
const holdsNoText = (name: string) => name === 'table' || name === 'tr' || sections.has(name)
const separatesItems: ReadonlySet<string> = new Set(['ul', 'ol', 'blockquote', 'figure', 'table', 'td', 'th'])
const never = () => false

/**
 * Puts elements and texts where HTML has them. Other than a browser it does not open elements again that mark text when
 * a block ends, for a short text can then become a very long one.
 */
export class TreeBuilder {
  readonly root: Root = { type: 'root', children: [] }
  readonly exceeded = new Set<keyof typeof bounds>()
  private readonly open: Element[] = []
  private readonly openNames = new Map<string, number>()
  private parts = 0
  private links = 0
  private linkLength = 0

  /** Counts a part. @returns whether there may be more */
  count(): boolean {
    if (++this.parts > bounds.parts) this.exceeded.add('parts')
    return this.hasRoom()
  }

  text(value: string): void {
    const top = this.open.at(-1)
    const shown = top?.tagName === 'pre' && top.children.length === 0 ? value.replace(/^\n/, '') : value
    if (shown === '') return
    this.links += this.linkLength
    if (this.links > bounds.links) this.exceeded.add('links')
    this.add(
      { type: 'text', value: shown },
      top !== undefined && holdsNoText(top.tagName) && /\S/.test(shown),
    )
  }

  start(name: string, properties: Element['properties']): void {
    if (isTablePart(name)) {
      this.startTablePart(name, properties)
      return
    }
    if (name === 'li') this.closeNearest('li', other => separatesItems.has(other))
    if (name === 'dt' || name === 'dd')
      for (const term of ['dt', 'dd']) this.closeNearest(term, other => other === 'dl')
    if (endsParagraph.has(name)) this.closeNearest('p', other => other === 'table' || cells.has(other))
    const top = this.open.at(-1)
    if (top && isHeading(name) && isHeading(top.tagName)) this.closeTo(this.open.length - 1)
    if (name === 'a') this.closeNearest('a', other => other === 'table' || cells.has(other))
    if (name === 'table' && top && holdsNoText(top.tagName)) this.closeNearest('table', never)
    this.push(name, properties, this.isBetweenCells())
  }

  end(name: string): void {
    const isBarrier = (other: string) =>
      other === 'table' || (!isTablePart(name) && name !== 'table' && cells.has(other))
    const at = this.nearest(name, isBarrier)
    if (at < 0) {
      this.count()
      return
    }
    const above = this.open.slice(at + 1)
    this.closeTo(at)
    // `<b>1<i>2</b>3</i>`: the inner one goes on.
    if (!marking.has(name) || !above.every(({ tagName }) => marking.has(tagName))) return
    for (const { tagName, properties } of above)
      if (this.count()) this.push(tagName, properties, this.isBetweenCells())
  }

  hasRoom(): boolean {
    return !this.exceeded.has('parts') && !this.exceeded.has('links')
  }

  private isOpen(name: string): boolean {
    return (this.openNames.get(name) ?? 0) > 0
  }

  private isBetweenCells(): boolean {
    const top = this.open.at(-1)
    return top !== undefined && holdsNoText(top.tagName)
  }

  private startTablePart(name: string, properties: Element['properties']): void {
    if (!this.isOpen('table')) return
    const holds = (top: string) =>
      top === 'table' || (!sections.has(name) && sections.has(top)) || (cells.has(name) && top === 'tr')
    let at = this.open.length
    while (at > 0 && !holds(this.open[at - 1]?.tagName ?? '')) at--
    this.closeTo(at)
    const top = () => this.open.at(-1)?.tagName ?? ''
    if (!sections.has(name) && top() === 'table') this.push('tbody', {}, false)
    if (cells.has(name) && sections.has(top())) this.push('tr', {}, false)
    this.push(name, properties, false)
  }

  /** The place among the open elements of the innermost one of the name that no barrier is above; -1 without one. */
  private nearest(name: string, isBarrier: (name: string) => boolean): number {
    if (!this.isOpen(name)) return -1
    for (let at = this.open.length - 1; at >= 0; at--) {
      const { tagName } = this.open[at] as Element
      if (tagName === name) return at
      if (isBarrier(tagName)) return -1
    }
    return -1
  }

  private closeNearest(name: string, isBarrier: (name: string) => boolean): void {
    const at = this.nearest(name, isBarrier)
    if (at >= 0) this.closeTo(at)
  }

  private closeTo(length: number): void {
    while (this.open.length > length) {
      const { tagName, properties } = this.open.pop() as Element
      this.openNames.set(tagName, (this.openNames.get(tagName) ?? 1) - 1)
      if (tagName === 'a') this.linkLength -= properties.href?.length ?? 0
    }
  }

  private push(tagName: string, properties: Element['properties'], beforeTable: boolean): void {
    const element: Element = { type: 'element', tagName, properties, children: [] }
    const isDeep = this.open.length >= bounds.depth
    if (isDeep) this.exceeded.add('depth')
    // Of an element that is too deep only the content stays.
    if (!isDeep || voids.has(tagName)) this.add(element, beforeTable)
    if (isDeep || voids.has(tagName)) return
    this.open.push(element)
    this.openNames.set(tagName, (this.openNames.get(tagName) ?? 0) + 1)
    if (tagName === 'a') this.linkLength += properties.href?.length ?? 0
  }

  /** @param beforeTable whether it stands between the cells of the innermost table, which is the last of its parent */
  private add(node: Child, beforeTable: boolean): void {
    if (!beforeTable) {
      const parent = this.open.at(-1) ?? this.root
      parent.children.push(node)
      return
    }
    const table = this.open.findLastIndex(({ tagName }) => tagName === 'table')
    const { children } = this.open[table - 1] ?? this.root
    children.splice(children.length - 1, 0, node)
  }
}
