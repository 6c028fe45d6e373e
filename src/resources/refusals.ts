import type { HttpError } from '../errors.js'
import type { Wording } from '../texts/wording.js'

interface Refusal {
  readonly errors: ReadonlyMap<string, string>
  readonly rows: ReadonlyMap<string, number>
  readonly others: readonly string[]
}

/**
 * Removes the member's name from the start of a sentence, because the sentence is beside that field: both of
 * `fields.price: price must be a number`.
 */
export const besideField = (message: string, member: string): string => {
  const [start = ''] = message.startsWith(member)
    ? (/^(?:\.\d+)*: /.exec(message.slice(member.length)) ?? [])
    : []
  if (start === '') return message
  const rest = message.slice(member.length + start.length)
  const name = `${member.slice(member.lastIndexOf('.') + 1)} `
  return rest.startsWith(name) ? rest.slice(name.length) : rest
}

/** Returns the field of a member such as `data.min`. */
function fieldOf(member: string, names: ReadonlySet<string>): string | undefined {
  for (let name = member; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('.'))))
    if (names.has(name)) return name
  return undefined
}

/** Returns the row of a member such as `data.options.2.value`. */
function rowOf(member: string, field: string): number {
  const [, row = '0'] = /^\.(\d{1,6})(?:\.|$)/.exec(member.slice(field.length)) ?? []
  return Number(row)
}

/**
 * Returns the problems of a refusal by the fields of the form, in the language of the user.
 * @param names of the shown fields
 */
export function refusalOf(
  error: HttpError,
  names: ReadonlySet<string>,
  { refusal }: Pick<Wording, 'refusal'>,
): Refusal {
  const errors = new Map<string, string>()
  const rows = new Map<string, number>()
  const others: string[] = []
  for (const { error: message, member } of error.errors ?? [
    { error: error.message, member: error.member ?? '' },
  ]) {
    const field = fieldOf(member, names)
    if (field === undefined) others.push(refusal(message))
    else if (!errors.has(field)) {
      errors.set(field, refusal(besideField(message, field)))
      rows.set(field, rowOf(member, field))
    }
  }
  return { errors, rows, others }
}
