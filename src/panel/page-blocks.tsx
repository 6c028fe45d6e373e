import type { Child } from 'hono/jsx'
import type { Kind, Model, ModelField } from '../resources/entries.js'
import { FieldOf, type FieldProps, isBesides } from './page-field.js'
import type { View } from './view.js'

/** An entry as the format `native` writes it. */
export interface PageEntry {
  readonly id: string
  readonly type: string
  readonly title: string | null
  readonly slug: string | null
  readonly locale: string | null
  readonly fields: Readonly<Record<string, unknown>>
  readonly children: readonly PageEntry[]
}

const maxBlocks = 100
const maxCharacters = 1_000_000
const maxLevels = 8

/** The data that the blocks of one page are drawn with. */
export interface Drawing {
  readonly view: View
  readonly types: ReadonlyMap<string, Kind>
  readonly model: Model
  /** Whether blocks link to their forms; a visitor with only a preview link cannot edit. */
  readonly canEdit: boolean
  readonly shown: { blocks: number; characters: number }
}

export const drawing = (view: View, model: Model, canEdit: boolean): Drawing => ({
  view,
  model,
  canEdit,
  types: new Map([...model.datatypes.values()].map(type => [type.name, type])),
  shown: { blocks: 0, characters: 0 },
})

/** Counts an entry. @returns false if the page has reached its limit */
function take(shown: Drawing['shown'], { fields }: PageEntry): boolean {
  if (shown.blocks >= maxBlocks || shown.characters >= maxCharacters) return false
  shown.blocks++
  for (const value of Object.values(fields)) if (typeof value === 'string') shown.characters += value.length
  return true
}

const formOf = ({ view }: Drawing, id: string) => `${view.base}/content/entry/${id}`

const EditLink = ({ drawn, id, word }: { drawn: Drawing; id: string; word: string }) =>
  drawn.canEdit && (
    <a class="edit" href={formOf(drawn, id)} target="_top">
      {drawn.view.t('Edit')}
      <span class="hidden-text"> {word}</span>
    </a>
  )

type Given = Pick<FieldProps, 'field' | 'value'>

/** The fields of an entry to draw, in their order; a field without a value only if it can be edited. */
function fieldsOf({ model, types, canEdit }: Drawing, entry: PageEntry): Given[] {
  const known: readonly ModelField[] = model.fieldsOf.get(types.get(entry.type)?.datatype_id ?? '') ?? []
  return known.flatMap(field => {
    const value = Object.hasOwn(entry.fields, field.name) ? entry.fields[field.name] : null
    const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
    const isTyped = field.field_type === 'text' || field.field_type === 'textarea'
    return isEmpty && !(canEdit && isTyped) ? [] : [{ field, value: value ?? '' }]
  })
}

/** The fields of an entry. Consecutive short values are one list. */
export function Fields({
  drawn,
  entry,
  level,
  without,
}: {
  drawn: Drawing
  entry: PageEntry
  level: number
  /** A field to leave out because it is shown elsewhere. */
  without?: string | undefined
}) {
  const parts: Child[] = []
  let values: Child[] = []
  let hasHeading = false
  const endValues = () => {
    if (values.length > 0) parts.push(<dl class="values">{values}</dl>)
    values = []
  }
  for (const { field, value } of fieldsOf(drawn, entry)) {
    if (field.name === without) continue
    const isHeading: boolean = !hasHeading && field.field_type === 'text' && level > 1
    hasHeading ||= isHeading
    const locale = field.translatable ? entry.locale : null
    const drawnField = (
      <FieldOf
        view={drawn.view}
        canEdit={drawn.canEdit}
        field={field}
        value={value}
        locale={locale}
        level={isHeading ? Math.min(level, 6) : undefined}
      />
    )
    if (isBesides(field)) values.push(drawnField)
    else {
      endValues()
      parts.push(drawnField)
    }
  }
  endValues()
  return <>{parts}</>
}

/** The entries under one, as cards; entries beyond the limit are counted and linked to. */
export function Blocks({ drawn, entry, level }: { drawn: Drawing; entry: PageEntry; level: number }) {
  const { children } = entry
  if (children.length === 0) return null
  const shown: Child[] = []
  if (level < maxLevels)
    for (const child of children) {
      if (!take(drawn.shown, child)) break
      shown.push(<Block drawn={drawn} entry={child} level={level + 1} />)
    }
  const left = children.length - shown.length
  const rest = drawn.view.count(left, '{n} more block here', '{n} more blocks here')
  const isGrid = level > 1 && children.length > 1 && children.every(({ type }) => type === children[0]?.type)
  return (
    <>
      <div class={isGrid ? 'blocks grid' : 'blocks'}>{shown}</div>
      {left > 0 && (
        <p class="rest">
          {drawn.canEdit ? (
            <a href={formOf(drawn, children[shown.length]?.id ?? entry.id)} target="_top">
              {rest}
            </a>
          ) : (
            rest
          )}
        </p>
      )}
    </>
  )
}

const Block = ({ drawn, entry, level }: { drawn: Drawing; entry: PageEntry; level: number }) => {
  const word = drawn.types.get(entry.type)?.label ?? entry.type
  return (
    <section
      class={`block l${Math.min(level, 4)}`}
      id={`b-${entry.id}`}
      data-entry={drawn.canEdit ? entry.id : undefined}
    >
      <p class="kind">
        {word}
        <EditLink drawn={drawn} id={entry.id} word={word} />
      </p>
      <Fields drawn={drawn} entry={entry} level={level} />
      <Blocks drawn={drawn} entry={entry} level={level} />
    </section>
  )
}

/** Returns the number of entries of a page, without its root. */
export function countOf(root: PageEntry): number {
  let count = 0
  const open = [root]
  for (let next = open.pop(); next; next = open.pop()) {
    count += next.children.length
    for (const child of next.children) open.push(child)
  }
  return count
}
