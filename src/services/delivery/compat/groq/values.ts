import { compareTexts } from '../../query/query-pieces.js'

export type Fields = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member of an object; null where there is none. */
export const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null

/** Lists and objects are equal to nothing. */
export const areEqual = (a: unknown, b: unknown): boolean => a === b && (typeof a !== 'object' || a === null)

/** The order of two texts, numbers or booleans; undefined for what is not compared. */
export function compared(a: unknown, b: unknown): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  return typeof a === 'boolean' && typeof b === 'boolean' ? Number(a) - Number(b) : undefined
}

/** What is compared with nothing else has a place of its own: numbers, texts, booleans, nothing. */
const kinds = ['number', 'string', 'boolean']
const kindOf = (value: unknown): number => {
  const at = kinds.indexOf(typeof value)
  return at < 0 ? kinds.length : at
}
export const totalOrder = (a: unknown, b: unknown): number => compared(a, b) ?? kindOf(a) - kindOf(b)

/** What `path()` gives. */
export class PathPattern {
  constructor(readonly pattern: string) {}

  /** `*` stands for one part of an id, and `**` at the end for any. */
  includes(id: string): boolean {
    const parts = this.pattern.split('.')
    const given = id.split('.')
    const isOpen = parts.at(-1) === '**'
    if (isOpen ? given.length < parts.length : given.length !== parts.length) return false
    return parts.every((part, i) => part === '**' || part === '*' || part === given[i])
  }
}

/** What separates words. */
const between = /[!@#$%^&(),\\/?";:{}|[\]+<>\s-]+/
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(between)
    .map(word => word.replace(/^\.+/, '').replace(/\.{1,50}$/, ''))
    .filter(word => word !== '')

/** Whether a word is what a pattern with `*` says, without ever going back more than one `*`. */
function fits(word: string, pattern: string): boolean {
  let [at, inPattern, star, from] = [0, 0, -1, 0]
  while (at < word.length) {
    if (pattern[inPattern] === '*') {
      star = inPattern++
      from = at
    } else if (pattern[inPattern] === word[at]) {
      at++
      inPattern++
    } else if (star >= 0) {
      inPattern = star + 1
      at = ++from
    } else return false
  }
  while (pattern[inPattern] === '*') inPattern++
  return inPattern === pattern.length
}

const textsOf = (value: unknown): string[] | undefined => {
  const list = Array.isArray(value) ? value : [value]
  return list.every(one => typeof one === 'string') ? list : undefined
}

/** `match`: every word of the patterns is found among the words of the texts, whatever their case. */
export function matches(value: unknown, pattern: unknown): boolean {
  const [texts, patterns] = [textsOf(value), textsOf(pattern)]
  if (!texts || !patterns) return false
  const words = texts.flatMap(text => wordsOf(text.replaceAll('*', ' ')))
  const wanted = patterns.flatMap(wordsOf)
  return wanted.length > 0 && wanted.every(one => words.some(word => fits(word, one.slice(0, 200))))
}

/** `a in b`. */
export function isIn(value: unknown, list: unknown): boolean | null {
  if (list instanceof PathPattern) return typeof value === 'string' && list.includes(value)
  return Array.isArray(list) ? list.some(one => areEqual(one, value)) : null
}

/** About as many characters as JSON has, of what may have the same parts many times. */
export function sizeOf(value: unknown, known = new Map<object, number>()): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 6
  const counted = known.get(value)
  if (counted !== undefined) return counted
  let size = 2
  if (Array.isArray(value)) for (const one of value) size += 1 + sizeOf(one, known)
  else
    for (const name of Object.keys(value))
      size += name.length + 4 + sizeOf((value as Record<string, unknown>)[name], known)
  known.set(value, size)
  return size
}
