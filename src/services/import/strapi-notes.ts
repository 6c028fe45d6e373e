/** So many of what a note is about are named in it. */
const named = 5

/** What is not taken over: one sentence for each kind of loss, with how often it occurs and where. */
export class Notes {
  private readonly kinds = new Map<string, { count: number; readonly places: Set<string> }>()

  /** @param place what it is about, such as `article.secret` */
  add(sentence: string, place: string, count = 1): void {
    const kind = this.kinds.get(sentence) ?? { count: 0, places: new Set<string>() }
    this.kinds.set(sentence, kind)
    kind.count += count
    if (kind.places.size <= named) kind.places.add(place)
  }

  get sentences(): string[] {
    return [...this.kinds].map(([sentence, { count, places }]) => {
      const some = [...places].slice(0, named).join(', ')
      return `${sentence}: ${count} (${some}${places.size > named ? ' and others' : ''}).`
    })
  }
}
