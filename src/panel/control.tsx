import type { Child } from 'hono/jsx'
import type { Choice, Field } from './form-field.js'
import { PermissionTable } from './permission-table.js'
import { showMember } from './rows.js'
import { RowsControl } from './rows-control.js'
import { typedText } from './typed-text.js'
import type { View } from './view.js'
import { inZone, shownZone, zoneMark, zoneMember } from './zoned-times.js'

/** Returns a value as its field shows it. */
export const textIn = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

const shownIn = (value: unknown): string =>
  Array.isArray(value) ? value.filter(Boolean).map(textIn).join(', ') : textIn(value)

const inputTypes = { datetime: 'datetime-local' } as Readonly<Record<string, string>>

interface ControlProps {
  view: View
  field: Field
  id: string
  value: unknown
  described: Readonly<Record<string, string | undefined>>
  row?: number | undefined
}

const Picker = ({ field, id, children }: { field: Field; id: string; children?: Child }) => {
  const picked = 'picked' in field ? field.picked : undefined
  if (!picked) return <>{children}</>
  return (
    <div class="picker" data-picker={picked.kind} data-of={picked.of?.join(',')} data-label={field.label}>
      <div data-keep="" id={`k-${id}`} />
      {children}
    </div>
  )
}

const shownOf = ({ word, hint, picture, preview, focal }: Choice) => ({
  'data-word': word,
  'data-hint': hint,
  'data-picture': picture,
  'data-large': preview,
  'data-focal-at': focal,
})

function Choices({ view, field, value }: ControlProps) {
  if (field.kind !== 'choices') return null
  const chosen = new Set([value ?? []].flat().map(String))
  if (field.table) {
    const all = field.choices.map(({ value, word }) => ({ value, label: word }))
    return <PermissionTable view={view} name={field.name} all={all} ticked={chosen} />
  }
  const named = new Set(field.choices.map(({ group }) => group))
  const groups = named.size === 0 ? [undefined] : [...named]
  const drawn = (group: string | undefined) => (
    <div class="checks">
      {group === groups[0] && <input type="hidden" name={field.name} value="" />}
      {field.choices
        .filter(choice => choice.group === group)
        .map(choice => (
          <label class="check">
            <input
              type="checkbox"
              name={field.name}
              value={choice.value}
              checked={chosen.has(choice.value)}
              {...(field.picked ? shownOf(choice) : {})}
            />
            <span>
              {choice.word} {choice.hint && <span class="hint">{choice.hint}</span>}
            </span>
          </label>
        ))}
    </div>
  )
  return (
    <>
      {groups.map(group =>
        group === undefined ? (
          drawn(group)
        ) : (
          <details
            class="checks-group"
            open={field.choices.some(one => one.group === group && chosen.has(one.value))}
          >
            <summary>{group}</summary>
            {drawn(group)}
          </details>
        ),
      )}
    </>
  )
}

function Switch({ view, field, id, value, described }: ControlProps) {
  if (field.kind !== 'switch') return null
  const isOn = [value].flat().map(String).includes('true')
  const [off, on] = field.words ?? [view.t('No'), view.t('Yes')]
  return (
    <span class="check">
      <input type="hidden" name={field.name} value="false" />
      <input
        type="checkbox"
        class="switch"
        id={id}
        name={field.name}
        value="true"
        checked={isOn}
        data-words={`${off}|${on}`}
        {...described}
      />
      <span aria-hidden="true" data-switch-word="">
        {isOn ? on : off}
      </span>
    </span>
  )
}

function Select({ field, id, value, described }: ControlProps) {
  if (field.kind !== 'choice') return null
  const chosen = textIn([value].flat()[0])
  const isKnown = chosen === '' || field.choices.some(choice => choice.value === chosen)
  return (
    <select class="input" id={id} name={field.name} data-follows={field.follows} {...described}>
      {field.none !== undefined && <option value="">{field.none}</option>}
      {!isKnown && (
        <option value={typedText(chosen)} selected>
          {typedText(chosen)}
        </option>
      )}
      {field.choices.map(choice => (
        <option
          value={choice.value}
          selected={choice.value === chosen}
          {...(field.picked ? shownOf(choice) : {})}
        >
          {choice.word}
        </option>
      ))}
    </select>
  )
}

/** A choice of a few, of which the first is chosen at first; Enter sends the form. */
function Tiles({ field, value }: ControlProps) {
  if (field.kind !== 'choice') return null
  const chosen = textIn([value].flat()[0]) || field.choices[0]?.value
  return (
    <div class="type-tiles">
      {field.choices.map(choice => (
        <label class="type-tile">
          <input type="radio" name={field.name} value={choice.value} checked={choice.value === chosen} />
          <b>{choice.word}</b>
        </label>
      ))}
    </div>
  )
}

const isTiles = (field: Field): boolean => 'tiles' in field && field.tiles === true

/** Whether a field has several controls, with the label as their legend. */
export const isGroup = (field: Field): boolean =>
  field.kind === 'choices' || field.kind === 'rows' || isTiles(field)

/** A choice on which other fields depend: the script presses the button, and hides it. */
const Shows = ({ field, children }: { field: Field; children?: Child }) => {
  const words = 'shows' in field ? field.shows : undefined
  if (words === undefined) return <>{children}</>
  return (
    <div class="shows" data-shows="">
      {children}
      <button type="submit" class="button" name={showMember} value={field.name} formnovalidate>
        {words}
      </button>
    </div>
  )
}

const TextArea = ({ field: { kind, mono, name, placeholder, rows }, id, value, described }: ControlProps) => (
  <textarea
    class={`input ${kind === 'json' || mono ? 'mono' : ''} ${kind === 'html' ? 'read' : ''}`}
    id={id}
    name={name}
    rows={rows}
    placeholder={placeholder}
    spellcheck={kind !== 'json'}
    data-rich={kind === 'html' ? '' : undefined}
    {...described}
  >
    {/* HTML drops the first line break of a textarea. */}
    {typedText(`\n${textIn(value)}`)}
  </textarea>
)

const Input = ({ field, id, value, described }: ControlProps) => {
  const { kind = 'text' } = field
  return (
    <input
      class={`input ${field.mono ? 'mono' : ''}`}
      type={inputTypes[kind] ?? kind}
      step={kind === 'number' ? 'any' : undefined}
      id={id}
      name={field.name}
      // A refused password must be typed again.
      value={kind === 'password' ? '' : typedText(textIn([value].flat()[0]))}
      autocomplete={'autocomplete' in field ? field.autocomplete : 'off'}
      placeholder={field.placeholder}
      required={field.required}
      data-follows={field.follows}
      {...described}
    />
  )
}

const Secret = (props: ControlProps) => (
  <span class="secret">
    <Input {...props} />
    <button type="button" class="button" data-reveal={props.id} aria-pressed="false" hidden>
      {props.view.t('Show')}
    </button>
  </span>
)

/** A time in the user's zone. Without the script the zone is unknown, and the time is in UTC. */
function Time(props: ControlProps) {
  const utc = textIn([props.value].flat()[0]).slice(0, 16)
  const zone = shownZone(props.view)
  return (
    <>
      <Input {...props} value={inZone(utc, zone)} />
      {zone !== 'UTC' && (
        <input type="hidden" name={zoneMember(props.field.name)} value={zoneMark(zone, utc)} />
      )}
    </>
  )
}

const RichText = (props: ControlProps) => (
  <>
    <div class="rich" data-keep="" id={`k-${props.id}`} data-icons={props.view.fileAddress('icons.svg')} />
    <TextArea {...props} />
  </>
)

/** The control for a field. */
export function Control(props: ControlProps) {
  const { field, value } = props
  if (isTiles(field)) return <Tiles {...props} />
  switch (field.kind) {
    case 'choices':
    case 'choice':
      return (
        <Picker field={field} id={props.id}>
          <Shows field={field}>
            {field.kind === 'choice' ? <Select {...props} /> : <Choices {...props} />}
          </Shows>
        </Picker>
      )
    case 'rows':
      return <RowsControl {...props} field={field} />
    case 'switch':
      return <Switch {...props} />
    case 'html':
      return <RichText {...props} />
    case 'password':
      return <Secret {...props} />
    case 'datetime':
      return <Time {...props} />
    case 'fixed':
      return <p class={`fixed ${field.mono ? 'mono' : ''}`}>{shownIn(value) || '–'}</p>
    case 'lines':
    case 'json':
      return <TextArea {...props} />
    default:
      return <Input {...props} />
  }
}
