import { mergedText } from '../../services/content/text-merge.js'
import type { Choice } from '../form-field.js'

interface Compared {
  readonly kind?: string | undefined
  readonly choices?: readonly Choice[]
}

type Value = string | readonly string[]

/** Fields that are not compared, because they are not typed or not shown. */
const notCompared: ReadonlySet<string | undefined> = new Set(['fixed', 'password', 'hidden'])

/**
 * Returns the fields whose stored and typed values differ.
 * @param mineOf undefined for a field without input
 */
export function differingIn<F extends Compared, V extends Value>(
  fields: readonly F[],
  mineOf: (field: F) => V | undefined,
  theirsOf: (field: F) => V,
): { field: F; mine: V; theirs: V }[] {
  return fields.flatMap(field => {
    const [mine, theirs] = [mineOf(field), theirsOf(field)]
    const isSame = JSON.stringify(mine) === JSON.stringify(theirs)
    return mine === undefined || isSame || notCompared.has(field.kind) ? [] : [{ field, mine, theirs }]
  })
}

/** Returns the values of a field as people read them: a choice has its label. */
export const wordsIn = ({ choices = [] }: Compared, value: Value): string[] =>
  [value].flat().map(one => choices.find(choice => choice.value === one)?.word || one)

/** Whether two values of a field can be kept together: only texts can. */
export const canKeepBoth = ({ kind = 'text' }: Compared): boolean => ['text', 'lines', 'html'].includes(kind)

/**
 * Returns a text with what two people have made of another: merged if they have changed different parts, else one after
 * the other.
 */
export function bothIn(
  { kind = 'text' }: Compared,
  { base, mine, theirs }: { base: string; mine: string; theirs: string },
): { text: string; isMerged: boolean } {
  const merged = kind === 'text' ? undefined : mergedText(base, mine, theirs, kind === 'html')
  const joined = [theirs, mine].filter(Boolean).join({ text: ' ', html: '' }[kind] ?? '\n')
  return { text: merged ?? joined, isMerged: merged !== undefined }
}
