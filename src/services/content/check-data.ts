import { HttpError, invalid } from '../../errors.js'
import { didYouMean } from '../../nearest-name.js'
import { ruleProblem } from './check-values.js'
import { defaultText, fieldData, rulesOf, settingNames } from './field-data.js'
import { type FieldRules, limits } from './field-settings.js'
import type { FieldType } from './field-types.js'
import { typeProblem } from './field-values.js'

const numberOf = (limit: string | number | undefined): number | undefined =>
  typeof limit === 'string' ? Date.parse(limit) : limit

/** A setting that conflicts with another. */
export class SettingConflict extends HttpError {
  /** @param words why, by what the other one is called */
  constructor(
    readonly type: FieldType,
    readonly setting: string,
    readonly other: string,
    readonly words: (other: string) => string,
  ) {
    const member = `data.${setting}`
    super(400, 'invalid', `${member}: ${words(other)}`, member)
  }
}

/** @throws SettingConflict where two settings do not go together */
function refuseConflict(type: FieldType, rules: FieldRules): void {
  for (const [low, high] of limits) {
    const [from, to] = [numberOf(rules[low]), numberOf(rules[high])]
    if (from !== undefined && to !== undefined && from > to)
      throw new SettingConflict(type, low, high, other => `must not be more than ${other}`)
  }
  for (const name of ['maxItems', 'minItems'] as const)
    if (rules[name] !== undefined && rules.cardinality !== 'many')
      throw new SettingConflict(type, name, 'cardinality', other => `can be set only if ${other} is many`)
}

function defaultProblem(field: { field_type: FieldType; data: Readonly<Record<string, unknown>> }) {
  const value = defaultText(field)
  if (value === undefined) return undefined
  const rules = rulesOf(field)
  if (rules.unique) return 'cannot be combined with unique'
  return typeProblem(field, value) ?? ruleProblem(rules, field.field_type, value)?.problem
}

type Data = Readonly<Record<string, unknown>>

/** Without what the type has no setting for and what is already stored so, by older versions of the service. */
const withoutKept = (known: readonly string[], data: Data, stored: Data): Data =>
  Object.fromEntries(
    Object.entries(data).filter(
      ([name, value]) =>
        known.includes(name) ||
        !Object.hasOwn(stored, name) ||
        JSON.stringify(stored[name]) !== JSON.stringify(value),
    ),
  )

/**
 * Checks settings that are to be stored for a field of the type. Whether the datatypes exist that they name is for the
 * database to say.
 * @param stored what the field has now: what is unknown of it may stay as it is
 * @throws 400 that names the setting, and for an unknown one the name that was probably meant
 */
export function checkData(field_type: FieldType, given: Data, stored: Data = {}): void {
  const known = settingNames(field_type)
  const data = withoutKept(known, given, stored)
  for (const name of Object.keys(data))
    if (!known.includes(name))
      throw invalid(`data.${name}`, `a ${field_type} field has no such setting: ${didYouMean(name, known)}`)
  const [issue] = fieldData(field_type).safeParse(data).error?.issues ?? []
  if (issue) throw invalid(['data', ...issue.path].map(String).join('.'), issue.message)
  refuseConflict(field_type, rulesOf({ field_type, data }))
  const problem = defaultProblem({ field_type, data })
  if (problem) throw invalid('data.default', problem)
}

/** Whether settings could be stored for a field of the type. */
export function isFieldData(field_type: FieldType, data: Data): boolean {
  try {
    checkData(field_type, data)
    return true
  } catch {
    return false
  }
}
