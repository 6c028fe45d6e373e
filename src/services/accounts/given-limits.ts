import { z } from 'zod'
import type { AnyTable } from '../../db/columns.js'
import type { Reader } from '../../db/reader.js'
import { tables } from '../../db/tables.js'
import { invalid } from '../../errors.js'
import { limits as bounds } from '../../limits.js'
import type { RoleLimits } from '../../role-limits.js'

const names = z.array(z.string().min(1).max(bounds.content.slugBytes)).max(bounds.roles.namesInLimits)
const any = (what: string, example: string) =>
  names.optional().meta({ description: what, examples: [[example]] })
const some = (what: string, example: string) =>
  names
    .min(1)
    .optional()
    .meta({ description: what, examples: [[example]] })

/** A part of the site that may be changed. `{}` leaves all of it and is stored as null. */
const part = z
  .strictObject({
    datatypes: some('Names or ids of datatypes: entries of them, and what is under these.', 'article'),
    routes: some('Slugs or ids of routes: pages at them and below.', '/news'),
    locales: some('Codes of locales: values in them.', 'fr'),
    own: z.literal(true).optional().meta({ description: 'Own entries, and what is under these.' }),
    reads: any(
      'Limits reading too: only pages and entries at the top that are inside can be read, and those of the datatypes that are named here. Needs `datatypes`, `routes` or `own`.',
      'author',
    ),
  })
  .refine(({ reads, datatypes, routes, own }) => !reads || datatypes || routes || own, {
    path: ['reads'],
    message: 'needs datatypes, routes or own',
  })
  .nullable()
  .transform(given => (given && Object.values(given).some(value => value !== undefined) ? given : null))

/** The part of the site that a role may change. */
export const limitsInput = part.meta({
  description: 'The part of the site that the role may change. All members must hold.',
})

/** The part of the site that an API key may change. */
export const keyLimitsInput = part.meta({
  description:
    'The part of the site that the key may change, beside the limits of its user’s role. All members must hold. null: all that its user may change.',
})

export type GivenLimits = z.output<typeof limitsInput>

interface Named<T extends AnyTable> {
  readonly table: T
  readonly name: keyof T['columns'] & string
  readonly member: string
}

async function idsOf<T extends AnyTable>(
  read: Reader,
  { table, name, member }: Named<T>,
  given: readonly string[],
): Promise<string[]> {
  const found = new Map<string, string>()
  for (const column of [name, table.key] as const)
    for (const row of (await read.findIn(table, column, given)) as Record<string, string>[])
      found.set(row[column] as string, row[table.key] as string)
  const unknown = given.find(one => !found.has(one))
  if (unknown !== undefined) throw invalid(`limits.${member}`, `there is no ${unknown}`)
  return [...new Set(found.values())].sort()
}

/** Returns limits as they are stored: by ids. @throws 400 for a datatype, route or locale that is not there */
export async function storedLimits(read: Reader, given: NonNullable<GivenLimits>): Promise<RoleLimits> {
  const { datatypes, routes, locales, own, reads } = given
  const ofTypes = { table: tables.datatypes, name: 'name', member: 'datatypes' } as const
  const ofRoutes = { table: tables.routes, name: 'slug', member: 'routes' } as const
  const known = locales && (await read.findIn(tables.locales, 'code', locales)).map(({ code }) => code)
  const unknown = locales?.find(code => !known?.includes(code))
  if (unknown !== undefined) throw invalid('limits.locales', `there is no ${unknown}`)
  return {
    ...(datatypes ? { datatypes: await idsOf(read, ofTypes, datatypes) } : {}),
    ...(routes ? { routes: await idsOf(read, ofRoutes, routes) } : {}),
    ...(known ? { locales: [...new Set(known)].sort() } : {}),
    ...(own ? { own } : {}),
    ...(reads ? { reads: await idsOf(read, { ...ofTypes, member: 'reads' }, reads) } : {}),
  }
}
