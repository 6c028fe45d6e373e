import { z } from 'zod'
import { HttpError, invalid, malformed } from '../errors.js'
import { parseJson, ValueBudget } from '../services/json-text.js'

interface Shape {
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Shape[]
  oneOf?: readonly Shape[]
  allOf?: readonly Shape[]
  properties?: Readonly<Record<string, Shape>>
  additionalProperties?: Shape | boolean
  items?: Shape | boolean
}

const [maxDepth, maxObjects] = [12, 1000]

type Given = Readonly<Record<string, string | string[]>>

const isShape = (some: Shape | boolean | undefined): some is Shape => typeof some === 'object'

function* alternatives(shape: Shape): Generator<Shape> {
  const inner = [shape.anyOf, shape.oneOf, shape.allOf].flatMap(some => some ?? [])
  if (inner.length === 0) yield shape
  for (const one of inner) yield* alternatives(one)
}

function typesOf(shape: Shape): ReadonlySet<string> {
  const named = [...alternatives(shape)].flatMap(one => {
    if (one.type !== undefined) return one.type
    const values = one.enum ?? ('const' in one ? [one.const] : [])
    return values.map(value => (value === null ? 'null' : typeof value))
  })
  return new Set(named.map(type => (type === 'integer' ? 'number' : type)))
}

function memberOf(shape: Shape, name: string): Shape | undefined {
  for (const { properties, additionalProperties } of alternatives(shape)) {
    if (properties && Object.hasOwn(properties, name)) return properties[name]
    if (isShape(additionalProperties)) return additionalProperties
  }
  return undefined
}

function jsonOf(member: string, text: string, budget: ValueBudget): unknown {
  try {
    return parseJson(text, budget)
  } catch (error) {
    throw invalid(member, error instanceof Error ? error.message : 'is not JSON')
  }
}

/** A text that is no value of the wanted type stays as it is: the schema refuses it in its own words. */
function scalarOf(member: string, text: string, types: ReadonlySet<string>, budget: ValueBudget): unknown {
  if (text === '' && types.has('null')) return null
  if (types.has('string')) return text
  if (types.has('number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (types.has('object') && text !== '') return jsonOf(member, text, budget)
  return text
}

function typedValue(member: string, given: string | string[], shape: Shape, budget: ValueBudget): unknown {
  const types = typesOf(shape)
  const texts = [given].flat()
  if (types.has('array')) {
    if (types.has('null') && texts.every(text => text === '')) return null
    const list = [...alternatives(shape)].find(({ items }) => isShape(items))?.items
    const of = isShape(list) ? typesOf(list) : new Set(['string'])
    return texts.filter(text => text !== '').map(text => scalarOf(member, text, of, budget))
  }
  // A box that is not ticked is left out by browsers, so a hidden `false` goes before it.
  if (types.has('boolean') && texts.join() === 'false,true') return true
  const [text = ''] = texts
  if (texts.length > 1) throw invalid(member, 'is given twice')
  return scalarOf(member, text, types, budget)
}

class Members {
  readonly values: Record<string, unknown> = {}
  /** The objects that came about by names; what a text has given is whole. */
  private readonly built = new Set<object>([this.values])

  set(path: readonly string[], value: unknown): void {
    const member = path.join('.')
    if (path.includes('__proto__')) throw invalid(member, 'is not allowed')
    const last = path.at(-1) ?? ''
    let into = this.values
    for (const name of path.slice(0, -1)) {
      if (!Object.hasOwn(into, name)) {
        if (this.built.size > maxObjects)
          throw malformed(`the form has more than ${maxObjects} groups of members`)
        into[name] = {}
        this.built.add(into[name] as object)
      }
      const inner = into[name] as Record<string, unknown>
      if (typeof inner !== 'object' || inner === null || !this.built.has(inner))
        throw invalid(member, 'is given twice')
      into = inner
    }
    if (Object.hasOwn(into, last)) throw invalid(member, 'is given twice')
    into[last] = value
  }
}

/**
 * A schema for the texts of a form: they become the numbers, booleans, lists and objects that the schema wants, and
 * are checked by it.
 *
 * - An empty text is null where the member may be null.
 * - A name that comes several times is a list if the member is one, without its empty texts; otherwise the name
 *   is refused. `false` and then `true` is what a form sends for a ticked box.
 * - `fields.price` is a member of `fields`. A text for a whole object is JSON.
 */
export function ofForm<S extends z.ZodType>(schema: S): z.ZodType<z.output<S>> {
  let known: Shape | undefined
  const shape = () => {
    known ??= z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Shape
    return known
  }
  return z.preprocess(given => {
    const members = new Members()
    const budget = new ValueBudget()
    for (const [name, texts] of Object.entries(given as Given)) {
      const whole = memberOf(shape(), name)
      const path = whole ? [name] : name.split('.', maxDepth + 1)
      if (path.length > maxDepth) throw malformed(`the form is nested deeper than ${maxDepth} levels`)
      const member = path.reduce<Shape | undefined>((at, part) => at && memberOf(at, part), shape())
      members.set(path, typedValue(name, texts, member ?? { type: 'string' }, budget))
    }
    return members.values
  }, schema) as unknown as z.ZodType<z.output<S>>
}

/**
 * Parses the texts of a form.
 * @throws HttpError with every member that the schema refuses
 */
export function parsed<S extends z.ZodType>(schema: S, texts: unknown): z.output<S> {
  const result = ofForm(schema).safeParse(texts)
  if (result.success) return result.data
  const errors = result.error.issues.map(({ path, message }) => ({
    error: message,
    member: path.map(String).join('.'),
  }))
  const [first = { error: 'is not valid', member: '' }] = errors
  throw new HttpError(400, 'invalid', first.error, first.member, {}, errors)
}
