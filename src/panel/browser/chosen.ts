/** An entry, a file or a page as a picker gives it. */
export interface Chosen {
  readonly value: string
  readonly word: string
  readonly hint?: string
  readonly alt?: string
  readonly picture?: string
  readonly preview?: string
  readonly focal?: string
  readonly address?: string
  readonly width?: number | null
  readonly height?: number | null
}
