import { foreignName } from '../config-schemas.js'

/** Helpers that the readers of exports share. */

export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member of an object's own, for names come from the export. */
export const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** The member of an object, if it is a text that is not empty. */
export function memberText(value: unknown, name: string): string | undefined {
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

/** Sorts by time, the earliest first; items of one time keep their order. */
export const byTime =
  <T>(timeOf: (one: T) => string) =>
  (a: T, b: T): number => {
    const [first, second] = [timeOf(a), timeOf(b)]
    return first < second ? -1 : first > second ? 1 : 0
  }

/**
 * Takes a name: the wanted one, or where another has it the same with a number behind it.
 * @param fold by which names are the same
 */
export function takeName(wanted: string, taken: Set<string>, fold = (name: string) => name): string {
  let name = wanted
  for (let n = 2; taken.has(fold(name)); n++) name = `${wanted}${n}`
  taken.add(fold(name))
  return name
}

/** The setting in `compat` of a type that was renamed; none if `compat` does not accept the original name. */
export const compatName = (original: string, name: string): { name?: string } =>
  name === original || !foreignName().safeParse(original).success ? {} : { name: original }

/** Names that differ in their case only are the same. */
export const ignoringCase = (name: string): string => name.toLowerCase()

/** The addresses of pages. Where several want one, those behind the first get a number. */
export class PageAddresses {
  private readonly used = new Map<string, number>()

  /** @param numbered what the number is put behind */
  take(wanted: string, numbered = wanted): string {
    let path = wanted
    while (this.used.has(path)) {
      const n = (this.used.get(wanted) ?? 1) + 1
      this.used.set(wanted, n)
      path = `${numbered}-${n}`
    }
    this.used.set(path, 1)
    return path
  }
}
