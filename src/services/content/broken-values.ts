import { z } from 'zod'
import { chunks } from '../../db/batches.js'
import type { Reader } from '../../db/reader.js'
import type { ContentSpace, EntryRow, FieldRow } from '../../db/tables.js'
import { limits } from '../../limits.js'
import { Turns } from '../../turns.js'
import { type CheckedValue, entryErrors, type Facts, type FieldError, hasRules } from './check-values.js'
import { factsOf, ruled } from './publication-check.js'

/** Which stored values break the rules of a field. */

const maxExamples = limits.content.brokenValueExamples

export const BrokenValues = z
  .object({
    published: z.int().meta({ description: 'The number of published entries that break the rules.' }),
    drafts: z.int().meta({
      description: 'The number of drafts that break the rules. They cannot be published as they are.',
    }),
    examples: z
      .array(
        z.object({
          content_data_id: z.string(),
          status: z.string(),
          locale: z.string(),
          rule: z.string().meta({ description: 'The broken setting, or `required`, or `type`.' }),
          error: z.string(),
        }),
      )
      .meta({ description: `At most ${maxExamples} of them, published entries first.` }),
  })
  .meta({ description: 'Stored values that break the rules of the field.' })
type Broken = z.output<typeof BrokenValues>

const batchLength = 50

interface Batch {
  readonly entries: readonly EntryRow[]
  readonly values: readonly CheckedValue[]
}

async function* batches(
  read: Reader,
  space: ContentSpace,
  { parent_id, field_id }: FieldRow,
): AsyncGenerator<Batch> {
  const turns = new Turns()
  for await (const many of read.stream(space.contentData, { datatype_id: parent_id }))
    for (const entries of chunks(many, batchLength)) {
      const content_data_id = entries.map(entry => entry.content_data_id)
      yield { entries, values: await read.findAll(space.contentFields, { field_id, content_data_id }) }
      await turns.next()
    }
}

const checkedKey = ({ locale, field_value }: CheckedValue) => `${locale} ${field_value}`

/** Who has which value among published entries: the first two of each. */
async function publishedHolders(
  read: Reader,
  space: ContentSpace,
  field: FieldRow,
): Promise<Facts['holderOf']> {
  const holders = new Map<string, string[]>()
  for await (const { entries, values } of batches(read, space, field)) {
    const published = new Set(
      entries.flatMap(entry => (entry.status === 'published' ? [entry.content_data_id] : [])),
    )
    for (const value of values) {
      if (!published.has(value.content_data_id)) continue
      const known = holders.get(checkedKey(value))
      if (!known) holders.set(checkedKey(value), [value.content_data_id])
      else if (known.length < 2) known.push(value.content_data_id)
    }
  }
  return value => holders.get(checkedKey(value))?.find(id => id !== value.content_data_id)
}

class Count {
  private readonly published = { number: 0, examples: [] as Broken['examples'] }
  private readonly drafts = { number: 0, examples: [] as Broken['examples'] }

  add({ status }: EntryRow, errors: readonly FieldError[]): void {
    const of = status === 'published' ? this.published : this.drafts
    if (errors.length > 0) of.number++
    for (const { content_data_id, locale, rule, error } of errors)
      if (of.examples.length < maxExamples) of.examples.push({ content_data_id, status, locale, rule, error })
  }

  result(): Broken {
    const { published, drafts } = this
    const examples = [...published.examples, ...drafts.examples].slice(0, maxExamples)
    return { published: published.number, drafts: drafts.number, examples }
  }
}

/**
 * Looks through all entries of the field's datatype, in the working state, by the field as it is given, which need not
 * be stored. Other work goes on in between.
 */
export async function brokenValues(read: Reader, space: ContentSpace, given: FieldRow): Promise<Broken> {
  const field = ruled(given)
  const count = new Count()
  if (!hasRules(field)) return count.result()
  const { unique, ...rules } = field.rules
  const turns = new Turns()
  const holders = unique ? await publishedHolders(read, space, field) : undefined
  for await (const { entries, values } of batches(read, space, field)) {
    // Unique values are asked for one by one elsewhere, and all at once here.
    const facts = await factsOf(read, space, [{ ...field, rules }], values)
    const known = holders ? { ...facts, holderOf: holders } : facts
    for (const entry of entries)
      count.add(entry, await turns.run(entryErrors(ofEntry(entry, values), [field], known)))
  }
  return count.result()
}

const ofEntry = ({ content_data_id }: EntryRow, values: readonly CheckedValue[]) => ({
  content_data_id,
  values: values.filter(value => value.content_data_id === content_data_id),
})
