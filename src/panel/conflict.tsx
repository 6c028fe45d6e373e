import { differingIn, wordsIn } from '../resources/views/conflict.js'
import type { Field } from './form-field.js'
import type { Texts } from './pages.js'
import { Moment } from './parts.js'
import { filledRows } from './rows.js'
import type { Save } from './savers.js'
import { OwnWords, type ShownPiece, type WithPieces, withPieces } from './text-difference.js'
import type { View } from './view.js'
import { inZone, shownZone } from './zoned-times.js'

type Value = string | readonly string[] | undefined

/** The values of a field that has one or several. The empty text of an empty form counts as no value. */
const valuesIn = (value: Value): string[] => [value ?? []].flat().filter(text => text !== '')

/** Returns the values of any field; of a field with rows it keeps the rows that are filled in, whole. */
const ofField = (field: Field, value: Value): string[] =>
  field.kind === 'rows' ? filledRows([value ?? []].flat(), field.columns.length).flat() : valuesIn(value)

/** A switch sends its value even if it is not ticked. */
const typedIn = (field: Field, texts: Texts): string[] => {
  const values = ofField(field, texts[field.name])
  return field.kind === 'choices' || field.kind === 'rows' ? values : values.slice(-1)
}

const isText = ({ kind = 'text' }: Field) => kind === 'text' || kind === 'lines' || kind === 'html'

interface Differing {
  readonly field: Field
  readonly mine: readonly string[]
  readonly theirs: readonly string[]
}

/** Changes that others have saved since a form was shown. */
export interface SavedFields {
  readonly last: Save | undefined
  /** The members whose values they have saved; undefined if that is uncertain. */
  readonly members: ReadonlySet<string> | undefined
}

const shownText = (field: Field, values: readonly string[]) =>
  field.kind === 'rows'
    ? filledRows(values, field.columns.length)
        .map(row => row.filter(Boolean).join(', '))
        .join('\n')
    : wordsIn(field, values).join('\n')

interface Side {
  view: View
  text: string
  pieces: readonly ShownPiece[] | undefined
  own: 'removed' | 'added'
}

/** One of two texts, with the words marked that the other one lacks. */
const SideText = ({ view, text, pieces, own }: Side) => (
  <code>{text === '' ? view.t('empty') : <OwnWords view={view} pieces={pieces} own={own} />}</code>
)

interface Compared extends Differing {
  readonly before: string
  readonly after: string
}

/** Both texts, and with the script a choice between them. */
function Sides({ view, field, mine, theirs, before, after, pieces }: WithPieces<Compared> & { view: View }) {
  return (
    <section
      class="conflict"
      aria-label={field.label}
      data-conflict={field.name}
      data-mine={JSON.stringify(mine)}
      data-theirs={JSON.stringify(theirs)}
    >
      <h2>{field.label}</h2>
      <div class="sides">
        <div>
          <p class="side-name">{view.t('Yours')}</p>
          <SideText view={view} text={after} pieces={pieces} own="added" />
        </div>
        <div>
          <p class="side-name">{view.t('Theirs')}</p>
          <SideText view={view} text={before} pieces={pieces} own="removed" />
        </div>
      </div>
      <div class="actions" data-scripted="" hidden>
        <button type="button" class="button" data-take="mine" aria-pressed="true">
          {view.t('Keep yours')}
        </button>
        <button type="button" class="button" data-take="theirs" aria-pressed="false">
          {view.t('Take theirs')}
        </button>
        {isText(field) && (
          <button type="button" class="button" data-take="both" aria-pressed="false">
            {view.t('Both')}
          </button>
        )}
      </div>
    </section>
  )
}

/** Says how to go on after a conflict. */
function wordsFor(differing: number, isKnown: boolean, { t }: View): string {
  if (differing > 0) return t('Choose a text for each field below, then save again.')
  return isKnown
    ? t('You changed different fields. Save again to keep both changes.')
    : t('Save again to keep it.')
}

/** Shows the changes of somebody else beside what was typed. Nothing is stored until the form is saved again. */
export async function Conflict({
  view,
  fields,
  texts,
  since: { last, members },
  storedOf,
}: {
  view: View
  fields: readonly Field[]
  texts: Texts
  since: SavedFields
  storedOf(field: Field): string | readonly string[]
}) {
  const zone = shownZone(view)
  const shown = (field: Field, values: string[]) =>
    field.kind === 'datetime' ? values.map(utc => inZone(utc.slice(0, 16), zone)) : values
  const differing = differingIn(
    fields.filter(({ name }) => members === undefined || members.has(name)),
    field => (texts[field.name] === undefined ? undefined : shown(field, typedIn(field, texts))),
    field => shown(field, ofField(field, storedOf(field))),
  )
  const sides = await withPieces(
    differing.map(one => ({
      ...one,
      before: shownText(one.field, one.theirs),
      after: shownText(one.field, one.mine),
      isRich: one.field.kind === 'html',
    })),
  )
  const taken = fields.filter(({ name }) => members?.has(name) && texts[name] === undefined)
  const saved = (
    <b>{view.t('{name} saved this while you were writing', { name: last?.by ?? view.t('Somebody else') })}</b>
  )
  const labels = taken.map(({ label }) => label).join(', ')
  return (
    <div data-conflicts="">
      <p>
        {last
          ? view.parts('{saved}, {time}.', { saved, time: <Moment view={view} at={last.at} /> })
          : view.parts('{saved}.', { saved })}{' '}
        {view.t('Your text is below. It is not saved yet.')}{' '}
        {wordsFor(differing.length, members !== undefined, view)}
      </p>
      {taken.length > 0 && <p>{view.t('Changed only by others: {labels}.', { labels })}</p>}
      {sides.map(one => (
        <Sides view={view} {...one} />
      ))}
    </div>
  )
}
