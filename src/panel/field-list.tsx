import { z } from 'zod'
import { type Ctx, idParam } from '../middleware/context.js'
import { controlOf } from '../resources/entry-fields.js'
import { type FieldType, fieldTypes } from '../services/content/field-types.js'
import { FieldCreate } from '../services/content/fields.js'
import type { Services } from '../services/index.js'
import type { PlainText } from '../texts/text.js'
import type { PanelContext } from './context.js'
import { Fields } from './controls.js'
import type { Field } from './form-field.js'
import { type Draft, formText, type Html, type Pages, saved } from './pages.js'
import { Empty, Form, Icon, Note, Submit } from './parts.js'
import { panelActor, type View } from './view.js'

type FieldRecord = Awaited<ReturnType<Services['space']['fields']['get']>>

/** An icon, and what editors write in a field of the type. */
const uses: Readonly<Record<FieldType, readonly [icon: string, use: PlainText]>> = {
  text: ['type', 'one line, such as a heading'],
  textarea: ['lines', 'several lines without formatting'],
  richtext: ['text', 'headings, links, lists and pictures'],
  number: ['number', 'whole or with decimals'],
  boolean: ['switch', 'a switch'],
  select: ['select', 'one of several options'],
  date: ['calendar', 'a day'],
  datetime: ['clock', 'a day and a time'],
  media: ['media', 'pictures and files of the library'],
  relation: ['relation', 'other entries'],
  slug: ['link', 'a word for an address'],
  url: ['globe', 'a link to another site'],
  email: ['email', 'an e-mail address'],
  json: ['json', 'data for programs'],
}

const { label, field_type, required, translatable } = FieldCreate.shape
/** The members differ from those of the datatype, whose form is on the same page. */
const Added = z.object({
  field_label: label,
  field_type,
  field_required: required,
  field_translatable: translatable,
})
const Placed = z.object({ place: z.string().regex(/^\w{26}\.\d{1,4}$/, 'must name a field and its place') })

const typeNames = Object.keys(uses) as FieldType[]

/** The type of a new field, as tiles. */
const TypeTiles = ({ view, chosen }: { view: View; chosen: string }) => (
  <fieldset class="field">
    <legend>{view.t('Type')}</legend>
    <div class="type-tiles">
      {typeNames.map(type => (
        <label class="type-tile">
          <input type="radio" name="field_type" value={type} checked={type === chosen} />
          <Icon view={view} name={uses[type][0]} />
          <span>
            <b>{view.t(fieldTypes[type])}</b>
            <span class="hint">{view.t(uses[type][1])}</span>
          </span>
        </label>
      ))}
    </div>
  </fieldset>
)

const addedFields = ({ t }: View): Field[] => [
  { name: 'field_label', label: t('Name'), required: true },
  { name: 'field_required', label: t('Required'), kind: 'switch', hint: t('in published entries') },
  {
    name: 'field_translatable',
    label: t('Translatable'),
    kind: 'switch',
    hint: t('a value in each language'),
    beside: true,
  },
]

interface AddProps {
  view: View
  action: string
  draft: Draft | undefined
}

/** The form of a new field. After each field it is open again, so that Enter adds the next. */
const AddField = ({ view, action, draft }: AddProps) => (
  <details
    class="add-field"
    id="add-field"
    open={draft !== undefined || view.isNew}
    data-added={view.isNew ? '' : undefined}
  >
    <summary class="button">{view.t('Add a field')}</summary>
    <Form view={view} action={action}>
      <Fields view={view} fields={addedFields(view)} draft={draft} begins={view.isNew} />
      <TypeTiles view={view} chosen={formText(draft?.texts ?? {}, 'field_type') || 'text'} />
      <Submit kind="next">{view.t('Add')}</Submit>
    </Form>
  </details>
)

const FieldRow = ({
  view,
  field,
  i,
  isLast,
  mayMove,
}: {
  view: View
  field: FieldRecord
  i: number
  isLast: boolean
  mayMove: boolean
}) => {
  const { field_id, label, name, field_type, required, translatable } = field
  const type = field_type as FieldType
  const rules = [required && view.t('required'), translatable && view.t('translatable')].filter(Boolean)
  const step = (to: number, icon: 'up' | 'down', word: string, isEnd: boolean) => (
    <button
      type="submit"
      class="button bare"
      id={`${icon}-${field_id}`}
      name="place"
      value={`${field_id}.${to}`}
      disabled={isEnd}
      title={word}
      data-order-step={icon}
    >
      <Icon view={view} name={icon} />
      <span class="hidden-text">{`${word}: ${label}`}</span>
    </button>
  )
  return (
    <li data-order-id={field_id} draggable={mayMove ? 'true' : undefined}>
      {mayMove && <Icon view={view} name="drag" />}
      <Icon view={view} name={uses[type][0]} />
      <a href={`${view.base}/fields/${field_id}`} draggable="false">
        {label}
      </a>
      <code class="key">{name}</code>
      <span class="quiet">{[view.t(fieldTypes[type]), ...rules].join(' · ')}</span>
      {mayMove && (
        <span class="row-steps">
          {step(i - 1, 'up', view.t('Move up'), i === 0)}
          {step(i + 1, 'down', view.t('Move down'), isLast)}
        </span>
      )}
    </li>
  )
}

interface ListProps {
  view: View
  datatypeId: string
  fields: readonly FieldRecord[]
  draft?: Draft | undefined
}

/** The fields of a datatype: each leads to its settings, and can be moved. */
export function FieldList({ view, datatypeId, fields, draft }: ListProps) {
  const path = `/datatypes/${datatypeId}`
  const mayMove = view.can('fields:update') && fields.length > 1
  return (
    <section aria-labelledby="fields" class="field-list">
      <h2 id="fields">{view.t('Fields')}</h2>
      {draft?.problem !== undefined && (
        <Note view={view} kind="bad">
          {draft.problem}
        </Note>
      )}
      {fields.length === 0 ? (
        <Empty>{view.t('No fields yet.')}</Empty>
      ) : (
        <Form view={view} action={`${path}/order`}>
          <ol data-order="">
            {fields.map((field, i) => (
              <FieldRow view={view} field={field} i={i} isLast={i === fields.length - 1} mayMove={mayMove} />
            ))}
          </ol>
        </Form>
      )}
      {view.can('fields:create') && <AddField view={view} action={`${path}/fields`} draft={draft} />}
    </section>
  )
}

/** The form that editors see, without a function. */
export const FormPreview = ({ view, fields }: { view: View; fields: readonly FieldRecord[] }) => (
  <section class="box" aria-labelledby="form-preview" tabindex={0}>
    <h2 id="form-preview">{view.t('Form preview')}</h2>
    {fields.length === 0 ? (
      <p class="quiet">{view.t('No fields yet.')}</p>
    ) : (
      <fieldset disabled class="form-preview">
        <Fields view={view} fields={fields.map(shownField)} />
      </fieldset>
    )}
  </section>
)

/** Pickers and the editor of rich text are shown as their place. */
function shownField(field: FieldRecord): Field {
  const { kind, ...control } = controlOf(field, '')
  const plain = { ...control, name: `preview.${field.name}`, required: field.required }
  return { ...plain, kind: kind === 'html' || kind === 'json' ? 'lines' : kind } as Field
}

/** Adds the actions of the page of a datatype that are about its fields. */
export function fieldListActions(
  { submit }: Pages,
  context: PanelContext,
  drawDatatype: (view: View, c: Ctx, draft: undefined, ofFields: Draft) => Html,
): void {
  const { space } = context.services
  submit('/datatypes/:record_id/fields', 'fields:create', Added, c => {
    const parent_id = idParam(c, 'record_id')
    return {
      names: Object.keys(Added.shape),
      async save({ body }) {
        const { field_label, field_type, field_required, field_translatable } = body
        const named = { label: field_label, field_type, parent_id }
        const rules = { required: field_required, translatable: field_translatable }
        await space.fields.create(panelActor(c), FieldCreate.parse({ ...named, ...rules }))
        return `${saved(`/datatypes/${parent_id}`)}&new`
      },
      redraw: (view, draft) => drawDatatype(view, c, undefined, draft),
    }
  })
  submit('/datatypes/:record_id/order', 'fields:update', Placed, c => ({
    names: [],
    async save({ body }) {
      const [id = '', index] = body.place.split('.')
      await space.fields.place(panelActor(c), id, Number(index))
      return saved(`/datatypes/${idParam(c, 'record_id')}`)
    },
  }))
}
