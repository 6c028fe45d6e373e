import { allInvalid, type OneOfErrors } from '../errors.js'
import type { Field, Texts } from '../resources/form-field.js'
import { timeExamples, timeInZone, typedTime } from '../resources/typed-times.js'
import { t } from '../texts/terminal.js'
import type { FormField } from './screen/form-state.js'
import type { Session } from './session.js'

/** The hint of every field of a time. */
const timeHint = ({ zone }: Session): string =>
  t('such as {examples}, in {zone}', { examples: timeExamples, zone })

/** Returns a field with its time as the clock of the session's zone shows it. */
export function timeField<F extends Field>(field: F, record: unknown, session: Session): F | FormField {
  if (field.kind !== 'datetime') return field
  const stored = field.value ?? (Object(record) as Readonly<Record<string, unknown>>)[field.name]
  const value =
    typeof stored === 'string' && stored !== '' ? timeInZone(stored, session.zone).slice(0, 16) : ''
  return { ...field, value, hint: [timeHint(session), field.hint].filter(Boolean).join(' · ') }
}

/**
 * Returns the texts of a form with the times in UTC, as the services read them.
 * @throws 400 that lists every time that cannot be read
 */
export function storedTimes(fields: readonly FormField[], texts: Texts, session: Session): Texts {
  const errors: OneOfErrors[] = []
  const place = { now: session.site.clock.now(), zone: session.zone }
  const times = fields.flatMap(({ name, kind }) => {
    const text = texts[name]
    if (kind !== 'datetime' || typeof text !== 'string' || text.trim() === '') return []
    const found = typedTime(text, place)
    if ('time' in found) return [[name, found.time]]
    errors.push({ error: `${name}: ${found.problem}`, member: name })
    return []
  })
  const [first, ...others] = errors
  if (first) throw allInvalid([first, ...others])
  return { ...texts, ...Object.fromEntries(times) }
}
