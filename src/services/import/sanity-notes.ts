/** So many of the places that a note is about are named in it. */
const shown = 3

/** Gathers what is not taken over: a sentence for a kind of loss, with how often it occurs and where first. */
export class SanityNotes {
  private readonly kinds = new Map<string, { count: number; readonly places: Set<string> }>()

  /** @param place what it is about, such as `post.body` */
  add(sentence: string, place?: string): void {
    const known = this.kinds.get(sentence) ?? { count: 0, places: new Set<string>() }
    this.kinds.set(sentence, known)
    known.count++
    if (place !== undefined && known.places.size <= shown) known.places.add(place.slice(0, 100))
  }

  /** Such as `Crops of pictures are left out: 4 (post.cover, page.picture).` */
  get sentences(): string[] {
    return [...this.kinds].map(([sentence, { count, places }]) => {
      const some = [...places].slice(0, shown).join(', ')
      const others = places.size > shown ? ' and others' : ''
      return `${sentence}: ${count}${some && ` (${some}${others})`}.`
    })
  }
}
