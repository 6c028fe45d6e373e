/** What readers of exports share. */

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member of an object's own, for names come from the export. */
export const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** The same where it is a text with something in it. */
export function textOf(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name)
  return typeof member === 'string' && member !== '' ? member : undefined
}

/** The objects in a list of an object. */
export function objectsIn(value: unknown, name: string): readonly Json[] {
  const member = memberOf(value, name)
  return Array.isArray(member) ? member.filter(isObject) : []
}

/** The address that stands for a record of the export. */
export const importAddress = (kind: 'entry' | 'file', key: string): string =>
  `import:${kind}:${encodeURIComponent(key)}`

/** What comes first in time is first; what is at one time stays in its order. */
export const byTime =
  <T>(timeOf: (one: T) => string) =>
  (a: T, b: T): number => {
    const [first, second] = [timeOf(a), timeOf(b)]
    return first < second ? -1 : first > second ? 1 : 0
  }
