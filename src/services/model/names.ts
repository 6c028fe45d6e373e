import { invalid } from '../../errors.js'
import type { Model } from './file.js'

/** The text of a value whose members may be in any order. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

/** The members that differ from those that are there. */
export function changesOf<T extends object>(given: T, before: object): Partial<T> {
  const now = new Map(Object.entries(before))
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => value !== undefined && sortedJson(value) !== sortedJson(now.get(name)),
    ),
  ) as Partial<T>
}

function refuse(names: readonly string[], member: string): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) throw invalid(member, `${name} is given twice`)
    seen.add(name)
  }
}

/** @throws 400 if the file has two records of the same name */
export function refuseTwice({ locales, datatypes, roles = [], webhooks = [] }: Model): void {
  refuse(
    locales.map(({ code }) => code),
    'locales',
  )
  refuse(
    datatypes.map(({ name }) => name),
    'datatypes',
  )
  for (const { name, fields } of datatypes)
    refuse(
      fields.map(field => field.name),
      `${name}.fields`,
    )
  refuse(
    roles.map(({ label }) => label),
    'roles',
  )
  refuse(
    webhooks.map(({ name }) => name),
    'webhooks',
  )
}
