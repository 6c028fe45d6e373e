import type { ContentTree, Node, NodeValue } from '../content-tree.js'

/** What a format may need beside the tree. */
export interface FormatContext {
  /** The locale of the answer, `''` when it has none. */
  readonly locale: string
  /** The address of the service as front ends reach it, without a slash at the end; `''` when not known. */
  readonly origin: string
}

/** Turns a tree into the body of an answer. It never recurses, for trees may be thousands of levels deep. */
export type Format = (tree: ContentTree, context: FormatContext) => string

/** The values that a reader of one locale sees: those of the locale, and those that have none. */
export function valuesIn(node: Node, locale: string): NodeValue[] {
  if (locale === '') return node.values.filter(({ value }) => value.locale === '')
  const translated = new Set(
    node.values.filter(({ value }) => value.locale === locale).map(({ field }) => field.field_id),
  )
  return node.values.filter(
    ({ value, field }) => value.locale === locale || (value.locale === '' && !translated.has(field.field_id)),
  )
}

/** Where every format has the child entries. */
export const childrenKey = 'children'

/** The fields' values by name; a name that the format needs itself gets `_` in front instead of hiding it. */
export function addByName(
  into: Record<string, unknown>,
  values: readonly NodeValue[],
  read: (value: NodeValue) => unknown,
): Record<string, unknown> {
  for (const value of values) {
    const shown = read(value)
    if (shown === undefined) continue
    let { name } = value.field
    while (name === childrenKey || Object.hasOwn(into, name)) name = `_${name}`
    into[name] = shown
  }
  return into
}
