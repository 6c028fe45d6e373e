import { invalid } from '../../errors.js'
import { limits } from '../../limits.js'
import type { Schema } from './content-model.js'

/** Relations that are shown with the fields of what they refer to, each as a path of field names. */
export type Paths = readonly (readonly string[])[]

const maxPaths = limits.pages.expandPaths
const maxLevels = limits.pages.expandLevels
const namePattern = /^[A-Za-z0-9_]{1,255}$/

/** @throws 400 about the parameter for what no field can be called */
export function fieldName(parameter: string, name: string): string {
  if (!namePattern.test(name)) throw invalid(parameter, `"${name.slice(0, 40)}" is not a field name`)
  return name
}

/** A list of a parameter: its parts between commas. */
export const listOf = (text: string): string[] => (text === '' ? [] : text.split(','))

/**
 * Reads `author,author.photo`. What means the same gives the same: paths that others go through are left out, and the
 * rest is in one order.
 * @throws 400
 */
export function expandOf(text: string): Paths {
  const given = listOf(text)
  if (given.length > maxPaths) throw invalid('expand', `has more than ${maxPaths} paths`)
  const paths = given.map(path => path.split('.').map(name => fieldName('expand', name)))
  if (paths.some(path => path.length > maxLevels))
    throw invalid('expand', `must be at most ${maxLevels} levels deep`)
  const texts = [...new Set(paths.map(path => path.join('.')))].sort()
  const longest = texts.filter(path => !texts.some(other => other.startsWith(`${path}.`)))
  return longest.map(path => path.split('.'))
}

/** The paths behind a field, where it is expanded at all: those of what it refers to. */
export function pathsBehind(paths: Paths, name: string): Paths | undefined {
  const through = paths.filter(([first]) => first === name)
  if (through.length === 0) return undefined
  return through.map(path => path.slice(1)).filter(path => path.length > 0)
}

/**
 * Refuses paths that lead nowhere: the first name must be that of a relation, the others of relations or media of
 * anything.
 * @param datatype whose relation the first name is; undefined for any datatype
 * @throws 400
 */
export function refusePaths(
  { fields }: Schema,
  paths: Paths,
  datatype?: { datatype_id: string; name: string },
): void {
  if (paths.length === 0) return
  const all = [...fields.values()]
  for (const [first = '', ...others] of paths) {
    const ofThese = datatype ? all.filter(({ parent_id }) => parent_id === datatype.datatype_id) : all
    if (!ofThese.some(({ name, field_type }) => name === first && field_type === 'relation'))
      throw invalid(
        'expand',
        `${datatype?.name ?? 'no datatype'} has ${datatype ? 'no' : 'a'} relation "${first}"`,
      )
    for (const other of others)
      if (!all.some(({ name, field_type }) => name === other && /^(?:relation|media)$/.test(field_type)))
        throw invalid('expand', `the entries in ${first} have no relation "${other}"`)
  }
}
