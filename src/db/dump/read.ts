import type { AnyColumn, Scalar } from '../columns.js'
import { type DumpedTable, dumpedTables } from './tables.js'
import { head, insertHead, StatementText, tail } from './text.js'

/** A dump that is not exactly what this version writes. */
export class DumpError extends Error {
  constructor(problem: string) {
    super(`dump.sql: ${problem}`)
  }
}

/** Rows of one table, in the order of the dump. */
export interface DumpedRows {
  readonly of: DumpedTable
  readonly rows: readonly Scalar[][]
}

/** A row with more characters than this is refused: no engine would take it. */
const maxRowCharacters = 64 * 2 ** 20
const [batchRows, batchCharacters] = [500, 256 * 1024]

const needsMore = new Error('more text is needed')

class Window {
  text = ''
  at = 0
  private ended = false
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

  constructor(private readonly source: AsyncIterator<Uint8Array>) {}

  async fill(characters: number): Promise<void> {
    if (this.text.length - this.at >= characters) return
    const parts = [this.text.slice(this.at)]
    for (let length = parts[0]?.length ?? 0; length < characters && !this.ended; ) {
      const part = await this.next()
      parts.push(part)
      length += part.length
    }
    this.text = parts.join('')
    this.at = 0
  }

  private async next(): Promise<string> {
    try {
      const { done, value } = await this.source.next()
      if (!done) return this.decoder.decode(value, { stream: true })
      this.ended = true
      return this.decoder.decode()
    } catch (error) {
      if (error instanceof TypeError) throw new DumpError('is not UTF-8')
      throw error
    }
  }

  get left(): number {
    return this.text.length - this.at
  }

  get isEnded(): boolean {
    return this.ended
  }

  startsWith(text: string): boolean {
    return this.text.startsWith(text, this.at)
  }
}

/** Reads the values of one row, of which the text may not have come to its end. */
class RowText {
  constructor(
    private readonly text: string,
    private at: number,
  ) {}

  values(): Scalar[] {
    this.expect('(')
    const values = [this.value()]
    while (this.peek() === ',') {
      this.at++
      values.push(this.value())
    }
    this.expect(')')
    return values
  }

  private value(): Scalar {
    const first = this.peek()
    if (first === "'") return this.quoted()
    if (first === 'r') return this.replaced()
    const from = this.at
    while (/[-+.\da-z]/.test(this.peek())) this.at++
    const word = this.text.slice(from, this.at)
    if (word === 'null') return null
    if (!/^-?\d+(\.\d+)?(e[-+]?\d+)?$/.test(word)) throw new DumpError('has something that is no value')
    return Number(word)
  }

  private quoted(): string {
    this.expect("'")
    const from = this.at
    for (let end = from; ; end += 2) {
      end = this.text.indexOf("'", end)
      if (end < 0 || end + 1 >= this.text.length) throw needsMore
      if (this.text[end + 1] === "'") continue
      this.at = end + 1
      return this.text.slice(from, end).replaceAll("''", "'")
    }
  }

  private replaced(): string {
    this.expect('replace(')
    const text = this.quoted()
    this.expect(',')
    const mark = this.quoted()
    if (mark === '') throw new DumpError('has something that is no value')
    this.expect(",'\r'||'\n')")
    return text.replaceAll(mark, '\r\n')
  }

  private peek(): string {
    const next = this.text[this.at]
    if (next === undefined) throw needsMore
    return next
  }

  private expect(text: string): void {
    const end = this.at + text.length
    if (end > this.text.length) throw needsMore
    if (this.text.slice(this.at, end) !== text) throw new DumpError('has something that is no value')
    this.at = end
  }
}

const kindProblems: Readonly<Record<AnyColumn['kind'], (value: Scalar) => boolean>> = {
  id: value => typeof value !== 'string' || !/^[\x21-\x7e]{1,26}$/.test(value),
  time: value => typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  text: value => typeof value !== 'string' || value.includes('\0'),
  longtext: value => typeof value !== 'string' || value.includes('\0'),
  json: value => typeof value !== 'string' || !isJson(value),
  integer: value => !Number.isSafeInteger(value),
  bigint: value => !Number.isSafeInteger(value),
  boolean: value => value !== 0 && value !== 1,
  double: value => typeof value !== 'number',
  bytes: () => true,
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function check({ table, columns, rules, isSkipped }: DumpedTable, values: readonly Scalar[]): void {
  if (values.length !== columns.length) throw new DumpError(`a row of ${table.name} has other columns`)
  for (const [i, name] of columns.entries()) {
    const { kind, flags } = table.columns[name] as AnyColumn
    const value = values[i] ?? null
    if (value === null ? !flags.nullable : kindProblems[kind](value))
      throw new DumpError(`a row of ${table.name} has no valid ${name}`)
    if (rules[i]?.(value) !== value) throw new DumpError(`a row of ${table.name} has what no dump holds`)
  }
  if (isSkipped(values)) throw new DumpError(`has a row of ${table.name} that no dump holds`)
}

const usualCharacters = 64 * 1024

class Rows {
  private readonly statement: StatementText
  private readonly prefixes: readonly string[]

  constructor(
    private readonly window: Window,
    private readonly of: DumpedTable,
  ) {
    this.statement = new StatementText(of)
    this.prefixes = [',\n', `;\n${insertHead(of)}`, insertHead(of)]
  }

  async next(): Promise<{ values: Scalar[]; characters: number } | undefined> {
    const { window } = this
    for (let wanted = usualCharacters; ; wanted = window.left * 2) {
      await window.fill(wanted)
      const prefix = this.prefixes.find(text => window.startsWith(text))
      if (prefix === undefined) return undefined
      try {
        const values = new RowText(window.text, window.at + prefix.length).values()
        check(this.of, values)
        const text = this.statement.row(values)
        if (!window.startsWith(text))
          throw new DumpError(`a row of ${this.of.table.name} is written otherwise`)
        window.at += text.length
        return { values, characters: text.length }
      } catch (error) {
        if (error !== needsMore) throw error
        if (window.isEnded) throw new DumpError('ends too early')
        if (window.left > maxRowCharacters) throw new DumpError('has a row that is too long')
      }
    }
  }

  end(): void {
    const text = this.statement.end()
    if (!this.window.startsWith(text)) throw new DumpError('is not what this version writes')
    this.window.at += text.length
  }
}

async function* rowsOf(window: Window, of: DumpedTable): AsyncGenerator<DumpedRows> {
  const reading = new Rows(window, of)
  for (let more = true; more; ) {
    const rows: Scalar[][] = []
    for (let characters = 0; rows.length < batchRows && characters < batchCharacters; ) {
      const row = await reading.next()
      more = row !== undefined
      if (!row) break
      rows.push(row.values)
      characters += row.characters
    }
    if (rows.length > 0) yield { of, rows }
  }
  reading.end()
}

async function skip(window: Window, text: string): Promise<void> {
  await window.fill(text.length)
  if (!window.startsWith(text)) throw new DumpError('is not what this version writes')
  window.at += text.length
}

/**
 * Reads a dump of exactly the text that `dumpText` writes, in bounded batches. Nothing of it is ever run.
 * @throws DumpError as soon as anything is otherwise
 */
export async function* readDump(content: AsyncIterable<Uint8Array>): AsyncGenerator<DumpedRows> {
  const tables = dumpedTables()
  const window = new Window(content[Symbol.asyncIterator]())
  await skip(window, head(tables))
  for (const of of tables) yield* rowsOf(window, of)
  await skip(window, tail)
  await window.fill(1)
  if (window.left > 0) throw new DumpError('has data after its end')
}
