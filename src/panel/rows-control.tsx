import type { PlainText } from '../texts/text.js'
import type { Field, Rows } from './form-field.js'
import { Icon } from './parts.js'
import { filledRows, type Step, showMember, stepText } from './rows.js'
import type { View } from './view.js'

const [fewestRows, emptyRows] = [3, 2]
/** More rows than the service accepts in any field, so that no valid row is lost. */
const mostRows = 1100

const rowSteps = [
  ['up', 'up', 'Move up'],
  ['down', 'down', 'Move down'],
  ['remove', 'remove', 'Remove'],
] as const satisfies readonly (readonly [step: Step, icon: string, text: PlainText])[]

interface RowsProps {
  view: View
  field: Field & Rows
  value: unknown
  described: Readonly<Record<string, string | undefined>>
  row?: number | undefined
}

/**
 * Texts in rows. Without the script there are always empty rows to fill in, and the buttons show the form again; the
 * script does the same at once.
 */
export function RowsControl({ view, field, value, described, row: wrong = 0 }: RowsProps) {
  const { name: member, columns, add } = field
  const width = columns.length
  const filled = filledRows([value ?? []].flat().map(String), width).slice(0, mostRows)
  const missing = Math.max(fewestRows - filled.length, emptyRows)
  const rows = [...filled, ...Array.from({ length: missing }, () => columns.map(() => ''))]
  return (
    <div class="text-rows" data-rows={member}>
      <div class="row-heads" aria-hidden="true">
        {columns.map(column => (
          <span>{column}</span>
        ))}
      </div>
      <ol>
        {rows.map((texts, row) => (
          <li>
            {texts.map((text, i) => (
              <input
                class="input"
                name={member}
                value={text}
                aria-label={columns[i]}
                // `:placeholder-shown` finds empty rows in the stylesheet, which needs a placeholder.
                placeholder=" "
                autocomplete="off"
                {...(row === wrong && i === 0 ? described : {})}
              />
            ))}
            <span class="row-steps">
              {rowSteps.map(([step, icon, text]) => (
                <button
                  type="submit"
                  class="button bare"
                  name={showMember}
                  value={stepText({ member, step, width, row })}
                  data-step={step}
                  title={view.t(text)}
                  formnovalidate
                >
                  <Icon view={view} name={icon} />
                  <span class="hidden-text">{view.t(text)}</span>
                </button>
              ))}
            </span>
          </li>
        ))}
      </ol>
      <button
        type="submit"
        class="button"
        name={showMember}
        value={stepText({ member, step: 'add', width, row: 0 })}
        data-step="add"
        formnovalidate
      >
        <Icon view={view} name="add" />
        {add}
      </button>
    </div>
  )
}
