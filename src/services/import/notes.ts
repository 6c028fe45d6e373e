const shown = 3

/** Gathers the losses of an import: one sentence for each kind, with how often it occurs and where first. */
export class Notes {
  private readonly kinds = new Map<string, { count: number; readonly places: Set<string> }>()

  /**
   * @param place what it is about, such as `post.body`; each is named once
   * @param times how often it occurs there
   */
  add(sentence: string, place?: string, times = 1): void {
    const known = this.kinds.get(sentence) ?? { count: 0, places: new Set<string>() }
    this.kinds.set(sentence, known)
    known.count += times
    if (place !== undefined && known.places.size <= shown) known.places.add(place)
  }

  /** Adds what others have, in their order. */
  addAll({ kinds }: Notes): void {
    for (const [sentence, { count, places }] of kinds) {
      this.add(sentence, undefined, count)
      for (const place of places) this.add(sentence, place, 0)
    }
  }

  /** Such as `Markdown stays text: 4 (post.body, post.lead, page.body and others).` */
  get sentences(): string[] {
    return [...this.kinds].map(([sentence, { count, places }]) => {
      const some = [...places].slice(0, shown).join(', ')
      const others = places.size > shown ? ' and others' : ''
      return `${sentence}: ${count}${some && ` (${some}${others})`}.`
    })
  }
}
