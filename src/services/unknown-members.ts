import { z } from 'zod'
import { unknownMember } from '../errors.js'
import type { Pieces } from '../turns.js'

interface Unknown {
  readonly path: readonly string[]
  readonly known: readonly string[]
}

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the schema inside one that wraps it to add a rule; undefined if there is nothing inside. */
function inner(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.in instanceof z.ZodTransform ? schema.out : schema.in
  if (schema instanceof z.ZodLazy) return schema.unwrap()
  const { def } = schema._zod as { def: { innerType?: z.core.$ZodType } }
  return def.innerType
}

/** The schemas of objects, records and lists that the value may be meant for. */
function* meantFor(
  schema: z.core.$ZodType,
  value: unknown,
): Generator<z.ZodObject | z.ZodRecord | z.ZodArray> {
  if (schema instanceof z.ZodUnion) for (const option of schema.options) yield* meantFor(option, value)
  else if (schema instanceof z.ZodArray) {
    if (Array.isArray(value)) yield schema
  } else if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) {
    if (isMembers(value)) yield schema
  } else {
    const wrapped = inner(schema)
    if (wrapped) yield* meantFor(wrapped, value)
  }
}

function* membersOf(
  schema: z.ZodObject | z.ZodRecord | z.ZodArray,
  value: object,
): Generator<readonly [name: string | number, member: unknown, schema: z.core.$ZodType | undefined]> {
  if (schema instanceof z.ZodArray) {
    // Entries of a list would be a text and a list more for each.
    for (const [i, member] of (value as unknown[]).entries()) yield [i, member, schema.element]
    return
  }
  for (const [name, member] of Object.entries(value)) {
    if (schema instanceof z.ZodRecord) yield [name, member, schema.valueType]
    else yield [name, member, Object.hasOwn(schema.shape, name) ? schema.shape[name] : schema.def.catchall]
  }
}

function* unknownBy(
  schema: z.core.$ZodType,
  value: unknown,
  ignored: ReadonlySet<string>,
): Pieces<Unknown | undefined> {
  if (typeof value !== 'object' || value === null) return undefined
  let first: Unknown | undefined
  for (const one of meantFor(schema, value)) {
    const found = yield* unknownInside(one, value, ignored)
    // One of several that the value may be is enough.
    if (!found) return undefined
    first ??= found
  }
  return first
}

const nothing: ReadonlySet<string> = new Set()

function* unknownInside(
  schema: z.ZodObject | z.ZodRecord | z.ZodArray,
  value: object,
  ignored: ReadonlySet<string>,
): Pieces<Unknown | undefined> {
  yield
  for (const [given, member, of] of membersOf(schema, value)) {
    // Most members of large bodies are values, in which nothing can be unknown.
    if (of && (typeof member !== 'object' || member === null)) continue
    const name = String(given)
    if (!of) {
      if (ignored.has(name)) continue
      return { path: [name], known: schema instanceof z.ZodObject ? Object.keys(schema.shape) : [] }
    }
    const found = yield* unknownBy(of, member, nothing)
    if (found) return { ...found, path: [name, ...found.path] }
  }
  return undefined
}

/**
 * Refuses members that a schema would drop, at any depth, before any other check: a caller who misspells a member
 * reads that, and not that the right one is missing. It may be interrupted after each object.
 * @param ignored members of the whole that are dropped: those that the record shows and nobody sets
 * @throws 400 about the first, with the nearest known name
 */
export function* refuseUnknownMembers(
  schema: z.ZodType,
  value: unknown,
  ignored: ReadonlySet<string> = nothing,
): Pieces<void> {
  const found = yield* unknownBy(schema, value, ignored)
  if (found) throw unknownMember(found.path, found.known)
}
