import { z } from 'zod'
import { anyJson } from '../body-parts.js'

const text = (limit: number) => z.string().max(limit)

/** Hints for editors beside a field's label. Other members are for front ends and stay as they are. */
const hints = {
  help: text(500).meta({ description: 'Shown under the control.' }),
  placeholder: text(200).meta({ description: 'An example in the empty control.' }),
  rows: z.int().min(2).max(50).meta({ description: 'The number of lines of the control.' }),
}

export type UiConfig = Readonly<Record<string, unknown>>

export const UiConfig = z
  .object({
    help: hints.help.optional(),
    placeholder: hints.placeholder.optional(),
    rows: hints.rows.optional(),
  })
  .catchall(anyJson)
  .meta({ description: 'Hints for editors. The service stores other members and ignores them.' })

export interface Hints {
  readonly help?: string
  readonly placeholder?: string
  readonly rows?: number
}

/** The valid hints of a field: older versions of the service stored anything that they were given. */
export const hintsIn = (stored: UiConfig = {}): Hints =>
  Object.fromEntries(
    Object.entries(hints).flatMap(([name, schema]) => {
      const { data } = schema.safeParse(stored[name])
      return data === undefined || data === '' ? [] : [[name, data]]
    }),
  )

const typesOf: Readonly<Record<keyof Hints, readonly string[] | undefined>> = {
  help: undefined,
  placeholder: ['text', 'textarea', 'number', 'email', 'url', 'slug', 'json'],
  rows: ['textarea', 'json'],
}

/** The names of the hints that the control of a field type shows. */
export const hintsOf = (type: string): (keyof Hints)[] =>
  (Object.keys(hints) as (keyof Hints)[]).filter(name => typesOf[name]?.includes(type) ?? true)
