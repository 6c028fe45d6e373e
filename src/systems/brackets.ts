import { invalid } from '../errors.js'

/** A parameter with brackets: `a[b][0]=x` is a text under `a`, `b` and `0`. */
export type Nested = string | NestedMap
export type NestedMap = ReadonlyMap<string, Nested>

const maxParameters = 200
const maxLevels = 16

/** The parts of `a[b][]`; undefined where the brackets do not close. */
function partsOf(name: string): string[] | undefined {
  const [, first = '', rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
  if (first === '') return undefined
  return [first, ...(rest === '' ? [] : rest.slice(1, -1).split(']['))]
}

/**
 * Reads a query as `qs` writes it. A name that is given again is a list.
 * @throws 400 that names the parameter
 */
export function nestedQuery(search: string): NestedMap {
  const root = new Map<string, Nested>()
  let count = 0
  for (const [name, value] of new URLSearchParams(search)) {
    const shown = name.slice(0, 100)
    if (++count > maxParameters) throw invalid(shown, `exceeds the maximum of ${maxParameters} parameters`)
    const parts = partsOf(name)
    if (!parts || parts.length > maxLevels)
      throw invalid(shown, `must be written as a[b][c], at most ${maxLevels} deep`)
    put(root, parts, value, shown)
  }
  return root
}

function put(root: Map<string, Nested>, parts: readonly string[], value: string, shown: string): void {
  let at = root
  for (const part of parts.slice(0, -1)) {
    const key = part === '' ? String(at.size) : part
    const found = at.get(key) ?? new Map<string, Nested>()
    if (typeof found === 'string') throw invalid(shown, 'is given both with and without brackets')
    at.set(key, found)
    // Every map in here was made above.
    at = found as Map<string, Nested>
  }
  const last = parts.at(-1) ?? ''
  const key = last === '' ? String(at.size) : last
  const known = at.get(key)
  if (known === undefined) at.set(key, value)
  else if (typeof known === 'string')
    at.set(
      key,
      new Map<string, Nested>([
        ['0', known],
        ['1', value],
      ]),
    )
  else (known as Map<string, Nested>).set(String(known.size), value)
}

/** The texts of a list, or the one text between its commas. @throws 400 for deeper nesting */
export function textsOf(parameter: string, given: Nested | undefined): string[] {
  if (given === undefined) return []
  if (typeof given === 'string')
    return given
      .split(',')
      .map(text => text.trim())
      .filter(text => text !== '')
  return [...given.values()].flatMap(one => {
    if (typeof one !== 'string') throw invalid(parameter, 'is nested too deeply')
    return textsOf(parameter, one)
  })
}

/** The one text of a parameter. @throws 400 for a list */
export function parameterText(parameter: string, given: Nested | undefined): string | undefined {
  if (given === undefined || typeof given === 'string') return given
  throw invalid(parameter, 'is given twice')
}

/** @throws 400 unless it is a whole number in these bounds */
export function numberOf(
  parameter: string,
  given: Nested | undefined,
  { least, most, standard }: { readonly least: number; readonly most: number; readonly standard: number },
): number {
  const text = parameterText(parameter, given)
  if (text === undefined || text === '') return standard
  if (!/^-?\d{1,9}$/.test(text) || Number(text) < least || Number(text) > most)
    throw invalid(parameter, `must be a whole number from ${least} to ${most}`)
  return Number(text)
}
