import { isObject, memberOf, PathPattern } from './values.js'

const textOf = (value: unknown): string | null => {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}
const ofText =
  (make: (text: string, ...others: unknown[]) => unknown) =>
  ([first, ...others]: readonly unknown[]): unknown =>
    typeof first === 'string' ? make(first, ...others) : null
const ofList =
  (make: (list: readonly unknown[], ...others: unknown[]) => unknown) =>
  ([first, ...others]: readonly unknown[]): unknown =>
    Array.isArray(first) ? make(first, ...others) : null

function lengthOf(value: unknown): number | null {
  if (typeof value === 'string') return [...value].length
  return Array.isArray(value) ? value.length : null
}

function rounded([value, digits = 0]: readonly unknown[]): number | null {
  if (typeof value !== 'number' || typeof digits !== 'number' || !(digits >= 0 && digits <= 15)) return null
  return Number(value.toFixed(Math.trunc(digits)))
}

/** The text of Portable Text, a line between its blocks. */
function plainText(value: unknown): string | null {
  const blocks = Array.isArray(value) ? value : [value]
  if (!blocks.some(block => memberOf(block, '_type') === 'block')) return null
  const texts = blocks.map(block => {
    const children = memberOf(block, 'children')
    return Array.isArray(children) ? children.map(span => textOf(memberOf(span, 'text')) ?? '').join('') : ''
  })
  return texts.join('\n\n')
}

/** Whether something in a document refers to one of these ids. */
function refersTo(value: unknown, ids: ReadonlySet<unknown>): boolean {
  if (Array.isArray(value)) return value.some(one => refersTo(one, ids))
  if (!isObject(value)) return false
  return ids.has(memberOf(value, '_ref') ?? undefined) || Object.values(value).some(one => refersTo(one, ids))
}

/** Objects and lists are equal to nothing. */
function unique(list: readonly unknown[]): unknown[] {
  const seen = new Set<unknown>()
  return list.filter(one => isObject(one) || Array.isArray(one) || (!seen.has(one) && seen.add(one)))
}

/** Functions of their arguments alone. */
const plain: Readonly<Record<string, (args: readonly unknown[]) => unknown>> = {
  coalesce: args => args.find(one => one !== null) ?? null,
  count: ([list]) => (Array.isArray(list) ? list.length : null),
  defined: ([value]) => value !== null,
  length: ([value]) => lengthOf(value),
  lower: ofText(text => text.toLowerCase()),
  upper: ofText(text => text.toUpperCase()),
  string: ([value]) => textOf(value),
  round: rounded,
  dateTime: ofText(text => (Number.isNaN(Date.parse(text)) ? null : new Date(text).toISOString())),
  path: ofText(text => new PathPattern(text.slice(0, 200))),
  'pt::text': ([value]) => plainText(value),
  'string::startsWith': ofText((text, start) => (typeof start === 'string' ? text.startsWith(start) : null)),
  'string::split': ofText((text, mark) => (typeof mark === 'string' ? text.split(mark) : null)),
  'array::compact': ofList(list => list.filter(one => one !== null)),
  'array::unique': ofList(unique),
  'array::join': ofList((list, mark) =>
    typeof mark === 'string' && list.every(one => textOf(one) !== null) ? list.map(textOf).join(mark) : null,
  ),
}
/** Functions that need more: the time, the document, or to leave arguments unread. */
const others = ['now', 'references', 'select'] as const

export const functionNames: ReadonlySet<string> = new Set([...Object.keys(plain), ...others])

/** What a function gives. @param self the document that it is called in */
export function called(name: string, args: readonly unknown[], self: unknown, now: string): unknown {
  if (name === 'now') return now
  if (name === 'references') return refersTo(self, new Set(args.flat().map(asId)))
  return plain[name]?.(args) ?? null
}

const asId = (given: unknown): unknown => memberOf(given, '_ref') ?? given
