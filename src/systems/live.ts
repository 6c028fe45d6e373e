import { badRequest, HttpError } from '../errors.js'
import type { ExportFiles } from '../ports.js'
import type { Json } from './imports.js'

/** The source answers with a status that another attempt would not change. */
export class SourceRefusal extends HttpError {
  constructor(
    readonly sourceStatus: number,
    message: string,
  ) {
    super(400, 'invalid', message)
  }
}

/** Whether the source refused a request for one of these reasons: wrong, without the right to it, or unknown. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof SourceRefusal && [400, 401, 403, 404].includes(error.sourceStatus)

/** Whether the source does not know the key. */
export const isUnknownKey = (error: unknown): boolean =>
  error instanceof SourceRefusal && error.sourceStatus === 401

/** Asks the live API of another system. @throws HttpError for anything but JSON with the status 200 */
export type Ask = (path: string) => Promise<unknown>

/** A record as the API shows it. */
export interface LiveRecord {
  /** The list that it is in, such as `posts`. */
  readonly list: string
  /** Unique in the list. */
  readonly id: string
  readonly record: Json
}

/** The records of a source as they were when they were read last. */
export interface LiveRecords {
  in(list: string): Iterable<Json>
  readonly lists: readonly string[]
}

/** The content of another system, over its API. */
export interface LiveSource {
  /**
   * Reads all records, or those that have changed.
   * @param since the latest of the times that `changedAt` has returned; undefined for all
   */
  records(since: string | undefined): AsyncIterable<LiveRecord>
  /** When a record was changed last, in the words of the source, whose order is that of time. */
  changedAt(record: LiveRecord): string | undefined
  /** The records as the files of an export, which the reader of exports takes. */
  files(records: LiveRecords): ExportFiles
  /** A sentence for each thing that this API does not give. */
  readonly notes: readonly string[]
}

export interface LiveChoices {
  /** The address without a slash at its end. */
  readonly base: URL
  /** Names of lists, where the system does not tell them. */
  readonly types: readonly string[]
  /** Whether requests have a key. */
  readonly hasKey: boolean
}

/** Begins to read a source. @throws HttpError 400 for an address of something else, 401 for a key that is refused */
export type OpenLive = (ask: Ask, choices: LiveChoices) => Promise<LiveSource>

/** Files of an export that are made while they are read. */
export function madeFiles(files: Readonly<Record<string, () => Iterable<string>>>): ExportFiles {
  const of = (name: string) => files[name]?.() ?? []
  async function* lines(name: string): AsyncGenerator<string> {
    yield* of(name)
  }
  return {
    names: Object.keys(files),
    text: async name => [...of(name)].join('\n'),
    lines,
    pieces: lines,
  }
}

/** Pages after which a list is not read further. */
const mostPages = 20_000

/**
 * Reads the pages of a list until one is not full.
 * @param size how many records a full page has
 * @param page reads one, from 1
 * @throws HttpError 400 if a page has only records of the pages before it
 */
export async function* pagesOf<T>(
  name: string,
  size: number,
  page: (number: number) => Promise<readonly T[]>,
  idOf: (one: T) => string,
): AsyncGenerator<T> {
  const seen = new Set<string>()
  for (let number = 1; number <= mostPages; number++) {
    const records = await page(number)
    let isNew = false
    for (const one of records) {
      const id = idOf(one)
      if (seen.has(id)) continue
      seen.add(id)
      isNew = true
      yield one
    }
    if (records.length < size) return
    if (!isNew) break
  }
  throw badRequest(`${name}: the pages of the source do not end`)
}

/** A time some seconds earlier: changes may become visible a moment after their time. */
export function earlier(time: string, seconds = 60): string {
  const at = new Date(Date.parse(/[Zz]|[+-]\d\d:\d\d$/.test(time) ? time : `${time}Z`) - seconds * 1000)
  return Number.isNaN(at.getTime()) ? time : at.toISOString()
}
