import type { Texts } from '../resources/form-field.js'

/** A form that is sent with this member is shown again and not saved. */
export const showMember = 'form_show'

export type Step = 'add' | 'up' | 'down' | 'remove'
/** The width of a row has one digit, so a form cannot ask for long rows. */
const stepForm = /^(?<member>\S+) (?<step>add|up|down|remove) (?<width>[1-9]) (?<row>\d{1,6})$/

interface Asked {
  readonly member: string
  readonly step: Step
  readonly width: number
  readonly row: number
}

/** The value of a button beside a row, so that rows can be ordered without the script too. */
export const stepText = ({ member, step, width, row }: Asked): string => `${member} ${step} ${width} ${row}`

function askedIn(text: string): Asked | undefined {
  const { member = '', step, width, row } = stepForm.exec(text)?.groups ?? {}
  return step ? { member, step: step as Step, width: Number(width), row: Number(row) } : undefined
}

/** Returns the rows that are not empty; missing texts of the last one are empty. */
export function filledRows(texts: readonly string[], width: number): string[][] {
  const rows: string[][] = []
  for (let at = 0; at < texts.length; at += width)
    rows.push(Array.from({ length: width }, (_, column) => texts[at + column] ?? ''))
  return rows.filter(row => row.some(text => text.trim() !== ''))
}

/** Returns the texts of a form after the step of a row's button. */
export function withRowStep(texts: Texts): Texts {
  const asked = askedIn([texts[showMember] ?? ''].flat()[0] ?? '')
  if (!asked) return texts
  const { member, step, width, row } = asked
  const rows = filledRows([texts[member] ?? []].flat(), width)
  const other = { add: row, remove: row, up: row - 1, down: row + 1 }[step]
  const [one, two] = [rows[row], rows[other]]
  if (!one || !two || step === 'add') return texts
  if (step === 'remove') rows.splice(row, 1)
  else [rows[row], rows[other]] = [two, one]
  return { ...texts, [member]: rows.flat() }
}
