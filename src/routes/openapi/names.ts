import { z } from 'zod'
import type { Declaration } from '../endpoints.js'

const upperFirst = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const pascal = (words: readonly string[]) => words.map(upperFirst).join('')
const wordsOf = (text: string) => text.split(/[-_.]/)

function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

/** `media-folders` is `MediaFolders`, and of one `MediaFolder`. */
function noun(segments: readonly string[], isOne: boolean): string {
  const words = segments.flatMap(wordsOf)
  const last = words.pop() ?? ''
  return pascal([...words.map(singular), isOne ? singular(last) : last])
}

/** The name of a record's schema: the table `user_ssh_keys` has records of the schema `UserSshKey`. */
export const recordName = (table: string): string => noun([table], true)

const isParameter = (segment: string) => /^[:*]/.test(segment)
const verbs = { get: 'get', post: 'create', put: 'update', delete: 'delete' } as const

export const isList = ({ answers }: Pick<Declaration, 'answers'>): boolean => {
  const shape = answers?.shape
  if (!shape) return false
  if ('parts' in shape) return false
  return 'table' in shape ? shape.list === true : shape instanceof z.ZodArray
}

/**
 * A name as functions of generated clients have it: `listRoutes`, `createRoute`, `updateRoute`, `publishContent`.
 * @param collections paths that records are made under, which their GET lists
 */
export function operationName(declaration: Declaration, collections: ReadonlySet<string>): string {
  const { method, path, name, item } = declaration
  if (name !== undefined) return name
  const segments = path.split('/').filter(segment => segment !== '')
  const words = segments.filter(segment => !isParameter(segment))
  const isOne = isParameter(segments.at(-1) ?? '')
  if (method === 'post' && !collections.has(path)) {
    const verb = words.pop() ?? ''
    const [first = '', ...rest] = wordsOf(verb)
    const ofOne = isParameter(segments.at(-2) ?? '')
    return `${first}${pascal(rest)}${noun(words, ofOne)}`
  }
  if (method === 'get' && !isOne) return `${isList(declaration) ? 'list' : 'get'}${noun(words, false)}`
  if (isOne || method === 'post') return `${verbs[method]}${noun(words, true)}`
  return item === undefined
    ? `${verbs[method]}${noun(words, false)}`
    : `${verbs[method]}${noun(words, true)}ByQuery`
}
