/** The names of marks of text, by the HTML element that is written for each. Of several, the first is innermost. */
const names = {
  code: { contentful: 'code', sanity: 'code', strapi: 'code' },
  strong: { contentful: 'bold', sanity: 'strong', strapi: 'bold' },
  em: { contentful: 'italic', sanity: 'em', strapi: 'italic' },
  u: { contentful: 'underline', sanity: 'underline', strapi: 'underline' },
  s: { contentful: 'strikethrough', sanity: 'strike-through', strapi: 'strikethrough' },
  sub: { contentful: 'subscript', sanity: 'sub', strapi: undefined },
  sup: { contentful: 'superscript', sanity: 'sup', strapi: undefined },
} as const

export type Mark = keyof typeof names
type Marking = 'contentful' | 'sanity' | 'strapi'

const marks = Object.keys(names) as Mark[]
const byElement: ReadonlyMap<string, Mark> = new Map([
  ...marks.map(mark => [mark, mark] as const),
  ...([
    ['b', 'strong'],
    ['i', 'em'],
    ['ins', 'u'],
    ['del', 's'],
    ['strike', 's'],
  ] as const),
])

/** The mark that an HTML element is. */
export const markOf = (tagName: string): Mark | undefined => byElement.get(tagName)

/** The names of marks in a system, without those that it does not have. */
export const namesIn = (system: Marking, of: readonly Mark[]): string[] =>
  of.flatMap(mark => names[mark][system] ?? [])

/** The marks of a system by their names there, the innermost first. */
export const marksOf = (system: Marking): ReadonlyMap<unknown, Mark> =>
  new Map(marks.flatMap(mark => namesIn(system, [mark]).map(name => [name, mark] as const)))

/** HTML within elements. @param tags the outermost first */
export const within = (tags: readonly string[], html: string): string =>
  tags.reduceRight((inner, tag) => `<${tag}>${inner}</${tag}>`, html)

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
}

/** A text as HTML, in which these characters are references. */
export const escapeHtml = (text: string, characters = /[&<>"']/g): string =>
  text.replaceAll(characters, found => references[found] ?? found)
