const isMirrored = () => document.documentElement.dir === 'rtl'

const mirrored: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' }

/** The key as it is meant: in a language from right to left, the arrow to the left leads on. */
export const keyAlong = (key: string): string => (isMirrored() ? (mirrored[key] ?? key) : key)

/** The distance from the left, or from the right in a language from right to left. */
export const along = (x: number): number => (isMirrored() ? -x : x)
