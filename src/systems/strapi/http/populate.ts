import { invalid } from '../../../errors.js'
import { type Nested, type NestedMap, textsOf } from '../../brackets.js'
import type { Populate, StrapiShown } from '../write/shown.js'
import { sortsOf } from './sort.js'

const maxLevels = 8
const one: StrapiShown = { populate: 'one' }
const none: StrapiShown = { populate: 'none' }

/** `*` for all fields. */
export function fieldsOf(parameter: string, given: Nested | undefined): ReadonlySet<string> | undefined {
  const names = textsOf(parameter, given)
  return names.length === 0 || names.includes('*') ? undefined : new Set(names)
}

/**
 * Reads `populate` in all its spellings; without it, all relations are shown.
 * @throws 400 that names the parameter
 */
export function populateOf(given: Nested | undefined, level = 0): Populate {
  if (given === undefined || given === '') return level === 0 ? 'everything' : 'none'
  if (level > maxLevels) throw invalid('populate', `must be at most ${maxLevels} levels deep`)
  if (given === '*' || given === 'true') return 'one'
  if (given === 'false') return 'none'
  const isList = typeof given === 'string' || [...given.keys()].every(key => /^\d+$/.test(key))
  if (isList) {
    const names = textsOf('populate', given)
    return names.includes('*') ? 'one' : byPath(names.map(name => name.split('.')))
  }
  const named = new Map<string, StrapiShown>()
  for (const [name, value] of given as NestedMap) {
    if (name === '*') return 'one'
    const shown = shownOf(name, value, level)
    if (shown) named.set(name, shown)
  }
  return named
}

/** `author` and `author.photo` in one. */
function byPath(paths: readonly (readonly string[])[]): Populate {
  if (paths.some(path => path.length > maxLevels))
    throw invalid('populate', `must be at most ${maxLevels} levels deep`)
  const named = new Map<string, StrapiShown>()
  for (const [first = ''] of paths) {
    const further = paths.filter(path => path[0] === first && path.length > 1).map(path => path.slice(1))
    named.set(first, further.length === 0 ? none : { populate: byPath(further) })
  }
  return named
}

function shownOf(name: string, given: Nested, level: number): StrapiShown | undefined {
  if (given === 'false') return undefined
  if (given === '*') return one
  if (typeof given === 'string') return none
  for (const key of given.keys())
    if (!['fields', 'populate', 'on', 'sort'].includes(key))
      throw invalid(`populate[${name.slice(0, 60)}][${key.slice(0, 60)}]`, 'is not supported')
  const on = given.get('on')
  return {
    fields: fieldsOf(`populate[${name.slice(0, 60)}][fields]`, given.get('fields')),
    populate: populateOf(given.get('populate'), level + 1),
    ...(given.has('sort') ? { sort: sortsOf(given.get('sort')) } : {}),
    ...(on === undefined ? {} : { on: componentsOf(on, level + 1) }),
  }
}

function componentsOf(given: Nested, level: number): ReadonlyMap<string, StrapiShown> {
  if (typeof given === 'string') throw invalid('populate', 'must name components under on')
  return new Map([...given].map(([name, value]) => [name, shownOf(name, value, level) ?? none]))
}
