import type { Reader } from './reader.js'
import { type CounterName, internalTables } from './tables.js'

/** The versions that a response was made from. */
export interface Versions {
  readonly schema: number
  /** Of all content: what shows the working state is current while this is the same. */
  readonly content: number
  /** Of what the public may get: what the public is shown is current while this is the same. */
  readonly shown: number
}

const names = ['schema_version', 'content_version', 'public_version'] as const satisfies CounterName[]

export async function versionsOf(read: Reader): Promise<Versions> {
  const rows = await read.findIn(internalTables.counters, 'name', names)
  const numberOf = (name: CounterName) => rows.find(row => row.name === name)?.value ?? 0
  return { schema: numberOf(names[0]), content: numberOf(names[1]), shown: numberOf(names[2]) }
}
