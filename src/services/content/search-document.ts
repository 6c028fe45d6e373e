import type { RowOf } from '../../db/columns.js'
import type { ContentSpace, RouteRow } from '../../db/tables.js'
import type { Pieces } from '../../turns.js'
import type { PublicEntry } from './book-rows.js'
import type { FieldType } from './field-types.js'
import { parseRichText } from './rich-text/parse.js'
import { type Child, marking } from './rich-text/rules.js'
import { datatypeWord, indexedWord, tagOf, wordsOf } from './search-words.js'
import type { EntrySnapshot } from './tree-diff.js'

/** Makes the words by which an entry is found: of its texts and of the titles of its route, each with its locale. */

export type SearchRow = RowOf<ContentSpace['publicSearch']>
type Value = EntrySnapshot['fields'][number]

const searchLimits = {
  characters: 100_000,
  /** Different words. PostgreSQL holds a megabyte of them. */
  words: 10_000,
}
const titleCharacters = 500
const wordsAtOnce = 200

const searched: ReadonlySet<string> = new Set<FieldType>([
  'text',
  'textarea',
  'richtext',
  'select',
  'slug',
  'email',
  'url',
])

export const isSearched = (type: string | undefined): boolean => searched.has(type ?? '')

function* textsIn(nodes: readonly Child[]): Generator<string> {
  for (const node of nodes)
    if (node.type === 'text') yield node.value
    else {
      const end = marking.has(node.tagName) ? '' : ' '
      yield end
      if (node.properties.alt !== undefined) yield `${node.properties.alt} `
      yield* textsIn(node.children)
      yield end
    }
}

/** The text of a value as it is read: of rich text without its markup. */
export const searchedText = (type: string, value: string): string =>
  type === 'richtext' && value.includes('<')
    ? [...textsIn(parseRichText(value).root.children)].join('').slice(0, searchLimits.characters)
    : value.slice(0, searchLimits.characters)

class Document {
  readonly words = new Set<string>()
  private readonly titleWords = new Set<string>()
  private titleLength = 0

  private addToTitle(indexed: string): void {
    const length = this.titleLength + indexed.length + 1
    if (length > titleCharacters || this.titleWords.has(indexed)) return
    this.titleWords.add(indexed)
    this.titleLength = length
  }

  *add(locale: string, text: string, isTitle: boolean): Pieces<void> {
    const tag = tagOf(locale)
    let n = 0
    for (const { word } of wordsOf(text)) {
      if (++n % wordsAtOnce === 0) yield
      if (this.words.size >= searchLimits.words) return
      const indexed = tag + indexedWord(word)
      this.words.add(indexed)
      if (isTitle) this.addToTitle(indexed)
    }
  }

  row({ numeric_id, content_data_id, datatype_id }: PublicEntry): SearchRow | undefined {
    if (this.words.size === 0 || numeric_id === null) return undefined
    return {
      document_id: numeric_id,
      content_data_id,
      word_count: this.words.size,
      title_words: [...this.titleWords].join(' '),
      words: [datatypeWord(datatype_id), ...this.words].join(' '),
    }
  }
}

/**
 * The row by which an entry is found, made in pieces; undefined where it has no words.
 * @param typeOf the type of a field by its id
 */
export function* searchDocument(
  entry: PublicEntry,
  route: RouteRow | undefined,
  values: readonly Value[],
  typeOf: (fieldId: string) => string | undefined,
): Pieces<SearchRow | undefined> {
  const document = new Document()
  if (route) {
    yield* document.add('', route.title, true)
    for (const [locale, { title }] of Object.entries(route.translations))
      yield* document.add(locale, title ?? '', true)
  }
  for (const { field_id, locale, field_value } of values) {
    const type = typeOf(field_id)
    if (type !== undefined && isSearched(type))
      yield* document.add(locale, searchedText(type, field_value), type === 'text')
  }
  return document.row(entry)
}
