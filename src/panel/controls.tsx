import type { Child } from 'hono/jsx'
import { parseJson } from '../services/json-text.js'
import type { Text } from '../texts/text.js'
import { Conflict, type SavedFields } from './conflict.js'
import { Control, isGroup, textIn } from './control.js'
import type { Choice, Field, Picked } from './form-field.js'
import { type Draft, formText, seenMember, type Texts, touchedMember } from './pages.js'
import { Icon, Note } from './parts.js'
import { typedText } from './typed-text.js'
import type { View } from './view.js'
import { shownZone } from './zoned-times.js'

export type { Choice, Field, Picked }

const storedIn = (value: unknown) => (Array.isArray(value) ? value.map(String) : textIn(value))

function shownValue(field: Field, record: Readonly<Record<string, unknown>>, texts?: Texts) {
  const own = field.value ?? record[field.name]
  return field.kind === 'fixed' ? own : (texts?.[field.name] ?? own)
}

const longHint = 56

const hintOf = ({ kind, required, hint }: Field, view: View): string =>
  [
    required && kind !== 'fixed' && view.t('required'),
    kind === 'datetime' && shownZone(view).replaceAll('_', ' '),
    hint,
  ]
    .filter(Boolean)
    .join(' · ')

function FieldRow({
  view,
  field,
  value,
  error,
  row,
  begins,
  mark,
}: {
  view: View
  field: Field
  value: unknown
  error: string | undefined
  row: number | undefined
  begins: boolean
  mark: Child
}) {
  const id = `f-${field.name}`
  if (field.kind === 'hidden') return <input type="hidden" name={field.name} value={textIn(value)} />
  const hint = hintOf(field, view)
  const described = {
    autofocus: begins ? '' : undefined,
    'aria-invalid': error === undefined ? undefined : 'true',
    'aria-describedby':
      [error === undefined ? hint && `h-${field.name}` : `e-${field.name}`, field.help && `u-${field.name}`]
        .filter(Boolean)
        .join(' ') || undefined,
  }
  const isLong = hint.length > longHint
  const told = hint !== '' && (
    <span class="hint" id={`h-${field.name}`}>
      {hint}
    </span>
  )
  const label = (
    <>
      {field.label} {field.code !== undefined && <code class="key">{field.code}</code>} {!isLong && told}
    </>
  )
  const rest = (
    <>
      {isLong && <p class="long-hint">{told}</p>}
      <Control view={view} field={field} id={id} value={value} described={described} row={row} />
      {field.help !== undefined && (
        <p class="help" id={`u-${field.name}`}>
          {field.help}
        </p>
      )}
      {field.copied && (
        <button
          type="button"
          class="button small copy-source scripted"
          data-copy-to={id}
          data-copy-text={field.copied.text}
        >
          <span>
            {field.copied.from === undefined
              ? view.t('Copy this text')
              : view.t('Copy from {language}', { language: field.copied.from })}
          </span>
          <span class="hidden-text"> ({field.label})</span>
        </button>
      )}
      {error !== undefined && (
        <p class="error" id={`e-${field.name}`}>
          <Icon view={view} name="alert" />
          {error}
        </p>
      )}
    </>
  )
  const kind = mark === undefined ? 'field' : 'field talked'
  if (isGroup(field))
    return (
      <fieldset class={kind} aria-describedby={field.help && `u-${field.name}`}>
        <legend>{label}</legend>
        {mark}
        {rest}
      </fieldset>
    )
  return (
    <div class={kind}>
      {field.kind === 'fixed' ? <p class="label">{label}</p> : <label for={id}>{label}</label>}
      {mark}
      {rest}
    </div>
  )
}

function together<T>(all: readonly T[], isWith: (one: T, before: T) => boolean): T[][] {
  const lists: T[][] = []
  for (const [i, one] of all.entries())
    if (i > 0 && isWith(one, all[i - 1] as T)) lists.at(-1)?.push(one)
    else lists.push([one])
  return lists
}

const besides = (fields: readonly Field[]) => together(fields, field => field.beside === true)
const groups = (fields: readonly Field[]) => together(fields, (one, before) => one.group === before.group)

const Folded = ({ field, isOpen, children }: { field: Field; isOpen: boolean; children?: Child }) =>
  field.folded === undefined ? (
    children
  ) : (
    <details class="folded" open={isOpen}>
      <summary>{field.folded}</summary>
      {children}
    </details>
  )

const Group = ({ name, children }: { name: string | undefined; children?: Child }) =>
  name === undefined ? (
    children
  ) : (
    <fieldset class="group">
      <legend>{name}</legend>
      {children}
    </fieldset>
  )

/** A sentence whose subject is missing begins with one of these words, in the languages of the panel. */
const predicate =
  /^(?:is|are|has|have|must|may|can|cannot|ist|hat|kann|muss|darf|dürfen|est|n’est|ne|n’a|doit|dépasse|fait) /

/** The message about a field, with its label in front. */
export const labelled = (label: string, message: string): string =>
  predicate.test(message) ? `${label} ${message}` : `${label}: ${message}`

/** Headings by the refused action; signing in stores nothing, so it has no heading. */
const headings = {
  publish: 'Saved, not published',
  save: 'Not saved',
  nothing: undefined,
} as const satisfies Record<string, Text | undefined>

interface RefusalProps {
  view: View
  draft: Draft
  fields: readonly Field[]
  storesNothing: boolean
}

const Refusal = ({ view, draft, fields, storesNothing }: RefusalProps) => {
  const { errors, problem, isStored, elsewhere = [] } = draft
  const own = fields.filter(({ name }) => errors.has(name))
  if (own.length + elsewhere.length === 0 && problem === undefined) return null
  const what = isStored ? 'publish' : storesNothing ? 'nothing' : 'save'
  const heading = headings[what]
  return (
    <Note view={view} kind="bad">
      <div data-refused={what} tabindex={-1}>
        <b>{[heading && view.t(heading), problem].filter(Boolean).join(': ')}</b>
        {own.length + elsewhere.length > 0 && (
          <ul>
            {own.map(field => (
              <li>
                <a href={`#${isGroup(field) ? 'e' : 'f'}-${field.name}`}>
                  {labelled(field.label, errors.get(field.name) ?? '')}
                </a>
              </li>
            ))}
            {elsewhere.map(({ words, path }) => (
              <li>
                <a href={`${view.base}${path}`}>{words}</a>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Note>
  )
}

interface FieldsProps {
  view: View
  fields: readonly Field[]
  record?: Readonly<Record<string, unknown>>
  draft?: Draft | undefined
  /** The mark of the shown record, so that no other change is overwritten. */
  seen?: string
  /** The fields whose problems and conflicts are shown above these, if the form has several parts. */
  listed?: readonly Field[]
  since?: SavedFields | undefined
  /** Whether the form stores nothing, such as signing in, so that "Not saved" would be wrong. */
  storesNothing?: boolean
  begins?: boolean
  markOf?: ((name: string) => Child) | undefined
}

/** The names of the fields that were typed into; undefined without the script. */
function touchedIn(texts: Texts): ReadonlySet<string> | undefined {
  try {
    const names = parseJson(formText(texts, touchedMember))
    return Array.isArray(names) ? new Set(names.map(String)) : undefined
  } catch {
    return undefined
  }
}

/** Returns the typed values. After a save by somebody else the fields without input show what is stored now. */
export function typedIn({ texts, changed }: Draft): Texts {
  const touched = changed ? touchedIn(texts) : undefined
  return touched ? Object.fromEntries(Object.entries(texts).filter(([name]) => touched.has(name))) : texts
}

/** The fields of a form, with the typed values and their problems. */
export function Fields(props: FieldsProps): Child {
  const { view, fields, record = {}, draft, seen, since, listed = fields, storesNothing = false } = props
  const first = props.begins ? fields.find(({ kind }) => kind !== 'fixed' && kind !== 'hidden') : undefined
  const typed = draft && typedIn(draft)
  // Refused for another reason, the form was not compared with saves of somebody else: it keeps its mark.
  const mark = draft && !draft.changed && !draft.isStored ? formText(draft.texts, seenMember) : seen
  return (
    <>
      {seen !== undefined && (
        <>
          <input type="hidden" name={seenMember} value={mark && typedText(mark)} />
          <input type="hidden" name={touchedMember} value="" />
        </>
      )}
      {draft?.changed && draft.problem !== undefined && (
        <Note view={view}>
          <Conflict
            view={view}
            fields={listed}
            texts={typed ?? {}}
            since={since ?? { last: draft.saved, members: undefined }}
            storedOf={field => storedIn(field.value ?? record[field.name])}
          />
        </Note>
      )}
      {draft && !draft.changed && (
        <Refusal view={view} draft={draft} fields={listed} storesNothing={storesNothing} />
      )}
      {groups(fields).map(group => (
        <Group name={group[0]?.group}>
          {besides(group).map(row => {
            const drawn = row.map(field => {
              const value = shownValue(field, record, typed)
              const error = draft?.errors.get(field.name)
              return (
                <Folded field={field} isOpen={error !== undefined || textIn(value) !== ''}>
                  <FieldRow
                    view={view}
                    field={field}
                    value={value}
                    error={error}
                    row={draft?.rows?.get(field.name)}
                    begins={field === first}
                    mark={props.markOf?.(field.name)}
                  />
                </Folded>
              )
            })
            return row.length > 1 ? <div class="pair">{drawn}</div> : drawn
          })}
        </Group>
      ))}
    </>
  )
}
