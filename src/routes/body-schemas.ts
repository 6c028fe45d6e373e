import { z } from 'zod'

type Schema = z.core.$ZodType

function partsOf({ _zod: { def } }: Schema): Schema[] {
  const members: unknown[] = Object.values(def)
  if ('shape' in def) members.push(...Object.values(def.shape as object))
  if ('getter' in def) members.push((def.getter as () => unknown)())
  return members.flat().filter(one => one instanceof z.core.$ZodType)
}

/** A union of lists of itself, as `z.json()` makes one. */
function isAnyJson(schema: Schema): boolean {
  if (!(schema instanceof z.ZodLazy)) return false
  const inner: Schema = schema._zod.def.getter()
  return inner instanceof z.ZodUnion && partsOf(inner).some(one => partsOf(one).includes(schema))
}

/**
 * Refuses a body that has `z.json()` somewhere in it: each value of it is tried against six schemas, so that 60 kB of
 * lists take seconds. `anyJson` of `services/body-parts.ts` takes the same values.
 */
export function refuseAnyJsonIn(body: Schema | undefined, endpoint: string): void {
  const seen = new Set<Schema>()
  const open = body ? [body] : []
  for (let schema = open.pop(); schema; schema = open.pop()) {
    if (seen.has(schema)) continue
    seen.add(schema)
    if (isAnyJson(schema)) throw new TypeError(`the body of ${endpoint} contains z.json(): use anyJson`)
    open.push(...partsOf(schema))
  }
}
