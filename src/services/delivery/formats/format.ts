import type { LeanValue } from '../../../db/queries/trees.js'
import type { Pieces } from '../../../turns.js'
import type { Root } from '../../content/rich-text/rules.js'
import type { MediaById } from '../../media/record.js'
import type { Paths } from '../expand.js'
import type { ContentTree, LeanTree, LinkedEntries, NodeValue } from '../tree.js'

/** The context that a format may need beside the tree. */
export interface FormatContext {
  readonly locale: string
  /** The locales that are read, the best first; values without a locale come last. Empty without locales. */
  readonly chain: readonly string[]
  /** When values of all locales are wanted at once: their codes, and the default one for values without a locale. */
  readonly all?: { readonly codes: ReadonlySet<string>; readonly standard: string } | undefined
  readonly stored: { readonly route: ContentTree['route']; media(): MediaById } | undefined
  readonly linked: LinkedEntries
  /** Media that values of the tree and of linked entries name; empty for a format that reads `lean`. */
  readonly media: MediaById
  readonly ids?: ReadonlyMap<string, string> | undefined
  /** Rich texts by their values, as the format writes them. What is not here is written when it is needed. */
  readonly rich?: ReadonlyMap<LeanValue, unknown>
  readonly expand?: Paths
  readonly childrenNames?: ReadonlyMap<string, string>
  /** Names of datatypes by their ids, where a format has other ones. */
  readonly typeNames?: ReadonlyMap<string, string>
  /** Ids of relations whose references are weak in Sanity. */
  readonly weak?: ReadonlySet<string>
  /** The address of the service as front ends reach it, without a slash at the end; `''` when not known. */
  readonly origin: string
}

/**
 * Turns a tree into the body of an answer, in pieces, for trees may have thousands of entries. It never recurses, for
 * they may be thousands of levels deep.
 */
export type Write<T> = (tree: T, context: FormatContext) => Pieces<string>

/** How a rich text is written. @param key the same on every read @param media with the pictures in the text */
export type WriteRich = (text: Root, key: string, media: MediaById) => Pieces<unknown>

/** How a tree is written, and how much of its rows that takes: what is not read costs nothing. */
export type Format =
  | {
      readonly reads: 'whole'
      readonly write: Write<ContentTree>
      readonly writeRich?: WriteRich | undefined
    }
  | { readonly reads: 'lean'; readonly write: Write<LeanTree> }
  | LaterFormat

/** A format that is loaded when somebody asks for it, and text that is no JSON. */
export interface LaterFormat {
  readonly reads: 'later'
  readonly load: () => Promise<Exclude<Format, LaterFormat>>
  /** Several trees in one text. */
  readonly join: (texts: readonly string[]) => string
}

export const whole = (write: Write<ContentTree>, writeRich?: WriteRich) => ({
  reads: 'whole' as const,
  write,
  writeRich,
})
export const lean = (write: Write<LeanTree>) => ({ reads: 'lean' as const, write })

/** Returns the values that a reader sees: of each field the one in the best of the locales, or the one without. */
export function valuesIn<V extends LeanValue>(
  node: { readonly values: readonly NodeValue<V>[] },
  { chain }: Pick<FormatContext, 'chain'>,
): NodeValue<V>[] {
  if (chain.length === 0) return node.values.filter(({ value }) => value.locale === '')
  const rank = ({ value }: NodeValue<V>) => {
    const at = chain.indexOf(value.locale)
    if (at >= 0) return at
    return value.locale === '' ? chain.length : Number.POSITIVE_INFINITY
  }
  const best = new Map<string, NodeValue<V>>()
  for (const candidate of node.values) {
    const { field_id } = candidate.field
    const known = best.get(field_id)
    if (rank(candidate) < (known ? rank(known) : Number.POSITIVE_INFINITY)) best.set(field_id, candidate)
  }
  return [...best.values()]
}

/** Where every format has the child entries. */
export const childrenKey = 'children'

/** Where an entry has its children. */
export const childrenNameOf = (
  { datatype }: { readonly datatype: { readonly datatype_id: string } },
  { childrenNames }: Pick<FormatContext, 'childrenNames'>,
): string => childrenNames?.get(datatype.datatype_id) ?? childrenKey

/** The name of an entry’s datatype in a format. */
export const typeNameOf = (
  { datatype }: { readonly datatype: { readonly datatype_id: string; readonly name: string } },
  { typeNames }: Pick<FormatContext, 'typeNames'>,
): string => typeNames?.get(datatype.datatype_id) ?? datatype.name

/**
 * The fields' values by name; a name that the format needs itself gets `_` in front instead of hiding it.
 * @param childrenAt the member that the children will have
 */
export function addByName<V extends LeanValue>(
  into: Record<string, unknown>,
  values: readonly NodeValue<V>[],
  read: (value: NodeValue<V>) => unknown,
  childrenAt = childrenKey,
): Record<string, unknown> {
  for (const value of values) {
    const shown = read(value)
    if (shown === undefined) continue
    let { name } = value.field
    while (name === childrenAt || Object.hasOwn(into, name)) name = `_${name}`
    into[name] = shown
  }
  return into
}
