import type { Texts } from '../resources/form-field.js'
import { inUtc, knownZone, momentAt, timeInZone } from '../resources/typed-times.js'
import type { View } from './view.js'

/** The text of a browser's control for a time, which has no zone. */
const controlText = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/
const markPrefix = 'in_zone.'

/** Returns the zone of the times on a page: that of the user's browser, or UTC before the script has said it. */
export const shownZone = ({ zone }: Pick<View, 'zone'>): string => knownZone(zone)

/** Returns a time of a form in a zone. @param utc `2026-12-31T09:00`; any other text is returned as it is */
export const inZone = (utc: string, zone: string): string =>
  controlText.test(utc) ? timeInZone(`${utc}:00Z`, zone).slice(0, 16).replace(' ', 'T') : utc

/** The hidden member with the zone of a field's time. */
export const zoneMember = (name: string): string => `${markPrefix}${name}`
/** The zone of a time, with the time in UTC as the form was sent to the browser. */
export const zoneMark = (zone: string, utc: string): string => `${zone} ${utc}`

/** An untouched time stays the same moment, even in an hour that occurs twice. */
function timeInUtc(text: string, mark: string): string {
  const [name, drawn = ''] = mark.split(' ')
  const zone = knownZone(name)
  if (!controlText.test(text)) return text
  if (inZone(drawn, zone) === text) return drawn
  const clock = Date.parse(`${text}:00Z`)
  return Number.isNaN(clock) ? text : inUtc(momentAt(clock, zone)).slice(0, 16)
}

/** Returns the texts of a form with its times in UTC, and without their zones. */
export function timesInUtc(sent: Texts): Texts {
  const named = Object.entries(sent)
  if (!named.some(([name]) => name.startsWith(markPrefix))) return sent
  const kept = named.filter(([name]) => !name.startsWith(markPrefix))
  return Object.fromEntries(
    kept.map(([name, text]) => {
      const mark = sent[zoneMember(name)]
      return [name, typeof mark === 'string' && typeof text === 'string' ? timeInUtc(text, mark) : text]
    }),
  )
}
