import { z } from 'zod'
import type { AnyColumn, AnyTable } from '../../db/columns.js'
import type { AnswerShape } from '../endpoints.js'
import { recordName } from './names.js'

export type Json = { [name: string]: unknown }

export const ulid: Json = {
  type: 'string',
  pattern: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$',
  examples: ['01JZ8M4Q7R6T5V3W2X1Y0ZABCD'],
}

const columnSchemas: Record<AnyColumn['kind'], Json> = {
  id: { ...ulid, description: 'A ULID.' },
  text: { type: 'string' },
  longtext: { type: 'string' },
  integer: { type: 'integer' },
  bigint: { type: 'integer', format: 'int64' },
  double: { type: 'number' },
  boolean: { type: 'boolean' },
  time: { type: 'string', format: 'date-time' },
  json: {},
  bytes: { type: 'string' },
}

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const inComponents = '#/components/schemas/'

const anything = ''

/** True for the schema that `z.json()` is written as: any JSON. */
const isAnyJson = ({ anyOf }: Json): boolean => Array.isArray(anyOf) && anyOf.length === 6

/** Bounds that say nothing, and what would make a new member of an answer an error in old clients. */
function isNoise(name: string, value: unknown, schema: Json): boolean {
  if (name === 'minimum' || name === 'maximum') return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER
  if (name === 'additionalProperties') return value === false
  return name === '$schema' || name === '$defs' || (name === 'propertyNames' && 'type' in schema)
}

/** The schemas of a document: those with names of their own are written once, wherever they are used. */
export class Schemas {
  readonly named: Record<string, Json> = {}

  /** The schema of a zod type, as a body has it (`input`) or as an answer has it. */
  of(schema: z.ZodType, io: 'input' | 'output', owner: string): Json {
    // Inside of another one, so that what names itself has a name.
    const whole = z.toJSONSchema(z.object({ it: schema }), {
      io,
      unrepresentable: 'any',
      reused: 'inline',
    }) as Json
    const definitions = (whole.$defs ?? {}) as Record<string, Json>
    const names = new Map<string, string>()
    let unnamed = 0
    for (const [name, definition] of Object.entries(definitions)) {
      const isNameless = name.startsWith('__')
      const own = isNameless ? `${owner}Part${++unnamed}` : name
      // Types of some generators cannot contain themselves, so such a part is written as any value.
      names.set(`#/$defs/${name}`, isAnyJson(definition) ? anything : own)
    }
    for (const [name, definition] of Object.entries(definitions)) {
      const own = names.get(`#/$defs/${name}`) ?? name
      if (own !== anything) this.named[own] ??= this.#clean(definition, names) as Json
    }
    const { it = {} } = (whole.properties ?? {}) as Record<string, Json>
    return this.#clean(it, names) as Json
  }

  record(table: AnyTable): Json {
    const name = recordName(table.name)
    if (!this.named[name]) {
      const shown = Object.entries(table.columns).filter(([, { flags }]) => !flags.secret)
      this.named[name] = {
        type: 'object',
        properties: Object.fromEntries(shown.map(([name, column]) => [name, columnSchema(column)])),
        required: shown.map(([name]) => name),
      }
    }
    return { $ref: `${inComponents}${name}` }
  }

  #tree(table: AnyTable): Json {
    const name = `${recordName(table.name)}Tree`
    const tree = { $ref: `${inComponents}${name}` }
    this.named[name] ??= {
      allOf: [
        this.record(table),
        { type: 'object', properties: { children: { type: 'array', items: tree } } },
      ],
    }
    return tree
  }

  answer(shape: AnswerShape, owner: string): Json {
    if ('parts' in shape) {
      const parts = Object.entries(shape.parts).map(([name, part]) => [name, this.answer(part, owner)])
      return { type: 'object', properties: Object.fromEntries(parts), required: Object.keys(shape.parts) }
    }
    if (!('table' in shape)) return this.of(shape, 'output', owner)
    if (shape.tree) return this.#tree(shape.table)
    const record = this.record(shape.table)
    if (shape.more) return { allOf: [record, this.of(shape.more.partial(), 'output', owner)] }
    return shape.list ? { type: 'array', items: record } : record
  }

  resolved(schema: Json): Json {
    const { $ref } = schema
    if (typeof $ref !== 'string') return schema
    return this.named[$ref.slice(inComponents.length)] ?? {}
  }

  #clean(schema: unknown, names: ReadonlyMap<string, string>): unknown {
    if (Array.isArray(schema)) return schema.map(one => this.#clean(one, names))
    if (!isJson(schema)) return schema
    if (typeof schema.$ref === 'string') {
      const { $ref, ...beside } = schema
      if (names.get($ref) === anything) return beside
      return { ...beside, $ref: `${inComponents}${names.get($ref) ?? $ref.slice('#/$defs/'.length)}` }
    }
    return Object.fromEntries(
      Object.entries(schema)
        .filter(([name, value]) => !isNoise(name, value, schema))
        .map(([name, value]) => [name, this.#clean(value, names)]),
    )
  }
}

function columnSchema({ kind, flags }: AnyColumn): Json {
  const schema = flags.values ? { type: 'string', enum: flags.values } : columnSchemas[kind]
  if (!flags.nullable || !schema.type) return schema
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(flags.values ? { enum: [...flags.values, null] } : {}),
  }
}

/** The properties of an object's schema. */
export const propertiesOf = ({ properties }: Json): Record<string, Json> =>
  (properties ?? {}) as Record<string, Json>
export const requiredOf = ({ required }: Json): readonly string[] => (required ?? []) as string[]
