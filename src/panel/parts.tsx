import type { Child } from 'hono/jsx'
import type { StateKind } from '../resources/resource.js'
import type { CountedText } from '../texts/text.js'
import { tokenMember } from './form-token.js'
import type { View } from './view.js'

export const Icon = ({ view, name }: { view: View; name: string }) => (
  <svg class="icon" aria-hidden="true">
    <use href={`${view.fileAddress('icons.svg')}#${name}`} />
  </svg>
)

/** A state as shape, label and colour. */
export const State = ({ kind, children }: { kind: StateKind; children?: Child }) => (
  <span class={`state ${kind}`}>{children}</span>
)

/** The shape of a state alone, as one element, because a tree has many. */
export const StateMark = ({ kind, word }: { kind: StateKind; word: string }) => (
  <span class={`state-mark ${kind}`} role="img" aria-label={word} title={word} />
)

/** Units of time: up to which distance, the length in milliseconds, and the texts for before and after now. */
const units: readonly (readonly [limit: number, length: number, texts: UnitTexts])[] = [
  [
    60_000,
    1000,
    { past: ['{n} second ago', '{n} seconds ago'], coming: ['in {n} second', 'in {n} seconds'] },
  ],
  [
    3_600_000,
    60_000,
    { past: ['{n} minute ago', '{n} minutes ago'], coming: ['in {n} minute', 'in {n} minutes'] },
  ],
  [
    86_400_000,
    3_600_000,
    { past: ['{n} hour ago', '{n} hours ago'], coming: ['in {n} hour', 'in {n} hours'] },
  ],
]
type UnitTexts = Readonly<Record<'past' | 'coming', readonly [one: string, other: CountedText]>>

/** Returns a time in words within a day from now, else the date. */
function momentText(at: number, { now, t, count }: View): string {
  const distance = at - now
  const size = Math.abs(distance)
  if (size < 45_000) return t('just now')
  const unit = units.find(([limit]) => size < limit)
  if (!unit) return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  const [, length, { past, coming }] = unit
  return count(Math.round(size / length), ...(distance < 0 ? past : coming))
}

/** A time in words; the script shows it in the reader's time zone. */
export function Moment({ view, at, clock }: { view: View; at: number | string | null; clock?: boolean }) {
  if (at === null) return <span class="quiet">{view.t('never')}</span>
  const time = typeof at === 'number' ? at : Date.parse(at)
  const iso = new Date(time).toISOString()
  const exact = `${iso.slice(0, 16).replace('T', ' ')} UTC`
  return (
    <time datetime={iso} title={exact} data-clock={clock ? '' : undefined}>
      {clock ? `${iso.slice(11, 16)} UTC` : momentText(time, view)}
    </time>
  )
}

interface FormProps {
  view: View
  action: string
  id?: string
  class?: string
  /** Set if the browser keeps typed values until they are saved. */
  draft?: string | undefined
  /** Set for a short text beside the main form, which the browser keeps until it is sent. */
  note?: true
  /** Whether the response replaces the whole page, so that the browser loads it. */
  whole?: boolean
  children?: Child
}

const scripted = (view: View, action: string) => ({
  'hx-post': `${view.base}${action}`,
  'hx-target': '#app',
  'hx-select': '#app',
  'hx-swap': 'outerMorph',
  'hx-nonce': view.nonce,
})

/**
 * A form that posts. With the script the response is put into the current page, so that focus and typed text stay;
 * without it the browser loads the response.
 */
export const Form = ({ view, action, id, class: kind, draft, note, whole, children }: FormProps) => (
  <form
    method="post"
    action={`${view.base}${action}`}
    id={id}
    class={kind}
    data-draft={draft}
    data-note={note && ''}
    novalidate={draft !== undefined}
    // On Back a browser would restore texts, and the page would not mark them as unsaved.
    autocomplete={draft === undefined ? undefined : 'off'}
    {...(whole ? {} : scripted(view, action))}
  >
    <input type="hidden" name={tokenMember} value={view.token} />
    {children}
  </form>
)

interface SubmitProps {
  form?: string
  kind?: string | undefined
  label?: string | undefined
  children?: Child
}

/** The button that sends a form. */
export const Submit = ({ form, kind, label, children }: SubmitProps) => (
  <button type="submit" form={form} class={kind ? `button ${kind}` : 'button'} aria-label={label}>
    {children}
  </button>
)

/** A button with a form of its own. */
export const Act = ({
  view,
  action,
  kind,
  values = {},
  whole = false,
  label,
  children,
}: {
  view: View
  action: string
  kind?: string
  values?: Readonly<Record<string, string>>
  whole?: boolean
  children?: Child
  label?: string
}) => (
  <Form view={view} action={action} whole={whole}>
    {Object.entries(values).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <Submit kind={kind} label={label}>
      {children}
    </Submit>
  </Form>
)

/** Asks before a deletion. Without the script the link leads to a page with the same question. */
export const DeleteLink = ({ view, path, name }: { view: View; path: string; name: string }) => (
  <a class="button bad" href={`${view.base}${path}`} data-dialog="delete">
    {view.t('Delete…')}
    <span class="hidden-text"> {name}</span>
  </a>
)

interface DeleteQuestionProps {
  view: View
  /** The page of the record, under `/admin`; `/delete` after it is the deletion. */
  path: string
  name: string
  also?: Child
  /** Ids of entries; the script asks for what their deletion includes when the question is opened. */
  counted?: string
  isPage?: boolean
  back?: string
}

export const DeleteQuestion = ({ view, path, name, also, counted, isPage, back }: DeleteQuestionProps) => (
  <>
    {isPage ? (
      <div class="head">
        <h1>{view.t('Delete “{name}”?', { name })}</h1>
      </div>
    ) : (
      <h2 id="delete-title">{view.t('Delete “{name}”?', { name })}</h2>
    )}
    <p data-counted={counted} aria-live={counted === undefined ? undefined : 'polite'}>
      {also ?? view.t('This cannot be undone.')}
    </p>
    <div class="actions">
      <Act view={view} action={`${path}/delete`} kind="bad">
        {view.t('Delete')}
      </Act>
      <a class="button bare" href={`${view.base}${back ?? path}`} data-close="">
        {view.t('Cancel')}
      </a>
    </div>
  </>
)

export const DeleteDialog = (props: DeleteQuestionProps) => (
  <dialog id="delete" aria-labelledby="delete-title">
    <DeleteQuestion {...props} />
  </dialog>
)

export const Empty = ({ children }: { children?: Child }) => <div class="empty">{children}</div>

export const Note = ({ view, kind = '', children }: { view: View; kind?: '' | 'bad'; children?: Child }) => (
  <div class={`note ${kind}`} role={kind === 'bad' ? 'alert' : undefined}>
    <Icon view={view} name="alert" />
    <div>{children}</div>
  </div>
)
