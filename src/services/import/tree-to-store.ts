import type { NewEntry, Values } from '../content/content-input.js'
import type { ImportedField } from './site.js'
import type { NewState } from './states.js'

/** An entry that an import makes, in the ids of this site. */
export interface TreeToStore {
  readonly datatype_id: string
  /** All fields for which the import has values, by their names. An update clears those without a value in this entry. */
  readonly fields: ReadonlyMap<string, Pick<ImportedField, 'translatable'>>
  readonly values: Values
  readonly translations: Readonly<Record<string, Values>>
  readonly children: readonly TreeToStore[]
}

/** A tree of its own. */
export interface RootToStore extends TreeToStore {
  readonly content_data_id: string
  readonly page: { readonly slug: string; readonly title: string } | undefined
  readonly isPublished: boolean
  readonly publishedAt: string | undefined
  readonly createdAt: string | undefined
  readonly changedAt: string | undefined
  readonly sources: readonly string[]
  readonly publishAt: string | undefined
  readonly state: NewState
}

/** The entry as `POST /content` takes it. */
export const newEntry = ({ datatype_id, values, translations, children }: TreeToStore): NewEntry => ({
  ...{ datatype_id, fields: values },
  locales: Object.fromEntries(Object.entries(translations).map(([code, fields]) => [code, { fields }])),
  children: children.map(newEntry),
})
