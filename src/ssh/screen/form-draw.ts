import { t } from '../../texts/terminal.js'
import { widthOf } from './clusters.js'
import type { FormField, FormState } from './form-state.js'
import { isChanged } from './form-state.js'
import type { Area } from './grid.js'
import { drawLine } from './line.js'
import { isWebAddress } from './link.js'
import { bold, dim, inverse, magenta, plain, red } from './style.js'
import { wrapped } from './wrap.js'

interface FormRow {
  readonly label?: string
  readonly text: string
  readonly style: number
  readonly isLine?: true
  readonly isMarked?: boolean
  readonly field?: string
  readonly link?: string | undefined
}

const narrow = 14
const [markedRows, otherRows] = [6, 2]

function wordOf<R>({ words }: FormState<R>, field: FormField, value: string): string {
  const choices = field.kind === 'choice' || field.kind === 'choices' ? field.choices : []
  return choices.find(choice => choice.value === value)?.word ?? words.get(value) ?? value
}

function shownValue<R>(state: FormState<R>, field: FormField): string {
  const text = state.texts[field.name] ?? ''
  if (field.kind === 'switch') {
    const [off, on] = field.words ?? [t('no'), t('yes')]
    return text === 'true' ? `[x] ${on}` : `[ ] ${off}`
  }
  if (field.kind === 'password') return '*'.repeat(Math.min(12, String(text).length))
  if (field.kind === 'choices')
    return [text]
      .flat()
      .filter(Boolean)
      .map(one => wordOf(state, field, one))
      .join(', ')
  if (field.kind === 'choice') return text === '' ? '' : wordOf(state, field, String(text))
  return String(text)
}

/** Returns the address that a value is, for a hyperlink. */
const addressIn = ({ kind }: FormField, value: string): string | undefined =>
  kind === 'email' ? `mailto:${value}` : isWebAddress(value) ? value : undefined

function rowsOf<R>(
  state: FormState<R>,
  field: FormField,
  { isAt, width }: { isAt: boolean; width: number },
): FormRow[] {
  const { name, label, hint = '', required } = field
  const mark = isChanged(state, name) ? '*' : required ? '!' : ' '
  const own = `${mark} ${label}`
  const error = state.errors.get(name)
  const below: FormRow[] = [
    ...(error === undefined ? [] : wrapped(error, width, 3).map(text => ({ text, style: red | bold }))),
    ...(isAt && hint !== '' ? wrapped(hint, width, 3).map(text => ({ text, style: dim })) : []),
  ]
  if (isAt && state.line)
    return [{ label: own, text: '', style: plain, isLine: true, isMarked: true }, ...below]
  const value = shownValue(state, field)
  const rows = value === '' ? ['–'] : wrapped(value, width, isAt ? markedRows : otherRows)
  const style = value === '' || field.kind === 'fixed' ? dim : isChanged(state, name) ? magenta : plain
  const link = addressIn(field, value)
  const [first = '', ...rest] = rows
  return [
    { label: own, text: first, style, isMarked: isAt, link },
    ...rest.map(text => ({ text, style, link })),
    ...below,
  ]
}

/** Draws labels on the left, values beside them, and problems below them. */
export function drawForm<R>(area: Area, state: FormState<R>): void {
  if (!state.isLoaded) {
    area.put(1, 1, t('Reading…'), dim)
    return
  }
  const lead = [...state.lead, ...(state.locked === undefined ? [] : [state.locked])].flatMap(whole =>
    wrapped(whole, area.width - 2, 3).map(text => ({ text, link: whole })),
  )
  for (const [y, { text, link }] of lead.entries()) area.link(1, y, area.put(1, y, text, dim), link)
  const from = lead.length > 0 ? lead.length + 1 : 0
  const longest = Math.max(0, ...state.fields.map(({ label }) => widthOf(label) + 4))
  const labels = Math.max(narrow, Math.min(longest, Math.floor(area.width * 0.4)))
  const width = Math.max(4, area.width - labels - 3)
  const rows: FormRow[] = []
  let marked = 0
  const seen = state.fields.filter(({ kind }) => kind !== 'hidden')
  for (const [i, field] of seen.entries()) {
    const isAt = i === state.at
    if (isAt) marked = rows.length
    rows.push(...rowsOf(state, field, { isAt, width }).map(row => ({ ...row, field: field.name })))
  }
  if (rows.length === 0) area.put(1, from, t('This form has no fields.'), dim)
  const height = area.height - from
  const start = Math.max(0, Math.min(marked - Math.floor(height / 3), rows.length - height))
  for (const [i, row] of rows.slice(start, start + height).entries()) {
    drawRow(area, state, row, { y: from + i, labels, width })
    if (row.field !== undefined) area.spot(0, from + i, area.width, 1, row.field)
  }
}

function drawRow<R>(
  area: Area,
  state: FormState<R>,
  { label, text, style, isLine, isMarked = false, link }: FormRow,
  { y, labels, width }: { y: number; labels: number; width: number },
): void {
  if (label !== undefined) {
    area.fill(0, y, labels + 1, 1, isMarked ? inverse : plain)
    area.put(1, y, label, isMarked ? inverse : bold, labels - 1)
  }
  if (isLine && state.line) drawLine(area, { x: labels + 2, y, width }, state.line)
  else {
    const n = area.put(labels + 2, y, text, style, width)
    if (link !== undefined) area.link(labels + 2, y, n, link)
  }
}
