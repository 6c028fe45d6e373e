import { sampleId, samples } from './samples.js'
import { type Json, propertiesOf, requiredOf, type Schemas } from './schemas.js'

const moment = '2026-01-31T12:00:00.000Z'
const formats: Readonly<Record<string, unknown>> = {
  'date-time': moment,
  uri: 'https://example.com/',
  email: 'ada@example.com',
}
const deepest = 3

function firstOf(schema: Json): Json | undefined {
  const some = (schema.anyOf ?? schema.oneOf ?? schema.allOf) as Json[] | undefined
  return some?.find(({ type }) => type !== 'null') ?? some?.[0]
}

function typeOf({ type }: Json): unknown {
  return Array.isArray(type) ? type.find(one => one !== 'null') : type
}

function ownExample(schema: Json): unknown {
  const [example] = (schema.examples ?? []) as unknown[]
  if (example !== undefined) return example
  if ('const' in schema) return schema.const
  const [value] = (schema.enum ?? []) as unknown[]
  return value
}

/** Makes examples that their schemas accept. */
export class Examples {
  /** @param byName examples of members whose schemas have no example, as of records */
  constructor(
    private readonly schemas: Schemas,
    private readonly byName: ReadonlyMap<string, unknown>,
  ) {}

  /** @param isAnswer whether it has all members, or those that must be there */
  of(given: Json, isAnswer: boolean, depth = 0, name = ''): unknown {
    const schema = this.schemas.resolved(given)
    const own = ownExample(schema)
    if (own !== undefined) return own
    const first = firstOf(schema)
    if (first) return this.of(first, isAnswer, depth + 1, name)
    if (Array.isArray(schema.type) && schema.default === null) return null
    const sample = this.#sample(schema, name)
    return sample === undefined ? this.#byType(schema, isAnswer, depth, name) : sample
  }

  #sample(schema: Json, name: string): unknown {
    if (schema.format !== undefined || schema.default !== undefined) return undefined
    const type = typeOf(schema)
    const known = [samples[name], this.byName.get(name), /_(id|by)$/.test(name) ? sampleId : undefined]
    return known.find(one => typeof one === type && !(type === 'object' && 'properties' in schema))
  }

  #byType(schema: Json, isAnswer: boolean, depth: number, name: string): unknown {
    if (schema.default !== undefined) return schema.default
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(schema, isAnswer, depth)
      case 'array':
        return depth > deepest ? [] : [this.of((schema.items ?? {}) as Json, isAnswer, depth + 1, name)]
      case 'integer':
      case 'number':
        return schema.minimum ?? 1
      case 'boolean':
        return false
      case 'string':
        return formats[String(schema.format)] ?? 'text'
      default:
        return {}
    }
  }

  #object(schema: Json, isAnswer: boolean, depth: number): Json {
    const required = requiredOf(schema)
    const shown = Object.entries(propertiesOf(schema)).filter(
      ([name, member]) => required.includes(name) || (isAnswer && depth <= deepest && !member.$ref),
    )
    // An update with no required member shows one that has an example.
    const told = Object.entries(propertiesOf(schema)).find(([, member]) => ownExample(member) !== undefined)
    const all = shown.length === 0 && !isAnswer && depth === 0 && told ? [told] : shown
    return Object.fromEntries(all.map(([name, member]) => [name, this.of(member, isAnswer, depth + 1, name)]))
  }
}
