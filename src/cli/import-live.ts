import { setTimeout as sleep } from 'node:timers/promises'
import { badRequest, HttpError } from '../errors.js'
import { openerOf } from '../node/export-files.js'
import { outgoing } from '../node/outgoing.js'
import { growHeapSlowly, openRecords } from '../node/record-files.js'
import type { GrowingRecords } from '../ports.js'
import type { Imported } from '../services/import/settings.js'
import type { ReadLargeExport } from '../services/import/site.js'
import type { Changes } from '../services/import/update-entries.js'
import type { Json } from '../systems/imports.js'
import type { LiveRecord, LiveRecords, LiveSource } from '../systems/live.js'
import { liveOf, liveSystems } from '../systems/readers.js'
import { show, WrongCall } from './command.js'
import { type Call, exitCode, loadRecords, onTarget, preview, withLineFiles } from './import-load.js'
import { changesLines, summary } from './import-summary.js'
import { progressLine } from './progress.js'
import { apiAddress, SourceApi } from './source-api.js'
import { complain } from './terminal.js'

const maxSource = 512
const standardSeconds = 60
const mostSeconds = 24 * 60 * 60
/** Every so many rounds all records are read: deletions and records without a time of change are seen then. */
const wholeEvery = 10

/** The records of a source as they were read last, in a temporary file. */
class Mirror implements LiveRecords {
  private readonly file = openRecords()
  private readonly records: GrowingRecords<Json> = this.file.make()
  private readonly places = new Map<string, Map<string, number>>()
  /** The latest time of a change. */
  latest: string | undefined

  get lists(): readonly string[] {
    return [...this.places.keys()]
  }

  get count(): number {
    let count = 0
    for (const list of this.places.values()) count += list.size
    return count
  }

  *in(list: string): Generator<Json> {
    for (const place of this.places.get(list)?.values() ?? []) {
      const record = this.records.at(place)
      if (record) yield record
    }
  }

  find({ list, id }: LiveRecord): Json | undefined {
    const place = this.places.get(list)?.get(id)
    return place === undefined ? undefined : this.records.at(place)
  }

  put({ list, id, record }: LiveRecord, time: string | undefined): void {
    const places = this.places.get(list) ?? new Map<string, number>()
    this.places.set(list, places)
    places.set(id, this.records.length)
    this.records.push(record)
    if (time !== undefined && (this.latest === undefined || time > this.latest)) this.latest = time
  }

  close(): void {
    this.file.close()
  }
}

/** Keeps a mirror of a source. */
class Watch {
  private mirror: Mirror | undefined
  private rounds = 0
  /** Whether the mirror has changes that are not stored yet. */
  isPending = false
  /** Whether the mirror has exactly the records of the source. */
  isWhole = false

  constructor(
    private readonly live: LiveSource,
    private readonly api: SourceApi,
    private readonly progress: (done: number) => void,
  ) {}

  get records(): LiveRecords {
    if (!this.mirror) throw new Error('the source was not read')
    return this.mirror
  }

  /** Reads what has changed, or everything. */
  async read(): Promise<void> {
    this.api.begin()
    const known = this.mirror
    const isWhole = !known || this.rounds % wholeEvery === 0
    const next = isWhole ? new Mirror() : known
    let [done, isOther] = [0, false]
    try {
      for await (const one of this.live.records(isWhole ? undefined : known?.latest)) {
        const before = known?.find(one)
        const isSame = before !== undefined && JSON.stringify(before) === JSON.stringify(one.record)
        if (!isSame) isOther = true
        if (!isSame || isWhole) next.put(one, this.live.changedAt(one))
        this.progress(++done)
      }
    } catch (error) {
      if (next !== known) next.close()
      else if (isOther) this.isPending = true
      throw error
    }
    this.rounds++
    if (next !== known) {
      if (next.count !== known?.count) isOther = true
      known?.close()
      this.mirror = next
    }
    this.isWhole = isWhole
    if (isOther) this.isPending = true
  }

  close(): void {
    this.mirror?.close()
  }
}

function secondsOf(text: string | undefined): number {
  const seconds = text === undefined ? standardSeconds : Number(text)
  if (!Number.isFinite(seconds) || seconds < 1 || seconds > mostSeconds)
    throw new WrongCall(`--every must be a number of seconds from 1 to ${mostSeconds}`)
  return seconds
}

/** The sums of all rounds so far. */
class Totals {
  private last: Imported | undefined
  private sums = { datatypes: 0, fields: 0, entries: 0, files: 0, redirects: 0, updated: 0, deleted: 0 }
  private compat: Imported['compat'] = {}

  add(made: Imported): void {
    this.last = made
    const { updated = 0, deleted = 0 } = made.changes ?? {}
    const added = { ...made, updated, deleted }
    const sums = Object.entries(this.sums).map(([name, sum]) => [
      name,
      sum + added[name as keyof typeof this.sums],
    ])
    this.sums = Object.fromEntries(sums) as typeof this.sums
    this.compat = { ...this.compat, ...made.compat }
  }

  get result(): Imported | undefined {
    if (!this.last) return undefined
    const { updated, deleted, ...sums } = this.sums
    const changes: Changes = { updated, deleted, left: this.last.changes?.left ?? [] }
    return { ...this.last, ...sums, changes, compat: this.compat }
  }
}

function roundLine({ entries, files, changes }: Imported): string {
  const [first = ''] = changes ? changesLines(changes) : []
  const left = changes?.left.length ?? 0
  const deleted = changes?.deleted ? ` Deleted ${changes.deleted}.` : ''
  return `Created ${entries} entries and ${files} files. ${first}${deleted} Left as they are: ${left}.`
}

const stoppedEarly = 'stopped before everything was imported: run it again to go on'

const isStop = (error: unknown, { stopped }: Call['terminal']): boolean =>
  stopped.aborted && !(error instanceof HttpError)

type Site = Awaited<ReturnType<ReadLargeExport>>
type Target = Parameters<Parameters<typeof onTarget>[1]>[0]
type Files = Parameters<Parameters<typeof withLineFiles>[1]>[0]

const noExport = { names: [], file: async () => Promise.reject(badRequest('there is no export')) }

/** The source of an import, as its options name it. */
interface Source {
  readonly live: LiveSource
  readonly api: SourceApi
  readonly base: URL
  /** Under which its records are followed. */
  readonly name: string
  readonly seconds: number
}

class LiveImport {
  private readonly line
  private readonly watch
  private readonly totals = new Totals()
  private problem: string | undefined

  constructor(
    private readonly call: Call,
    private readonly reader: () => Promise<ReadLargeExport>,
    private readonly source: Source,
  ) {
    this.line = progressLine(call.terminal)
    this.watch = new Watch(source.live, source.api, done =>
      this.line.draw({ doing: 'reading the source', of: 'records', done }),
    )
  }

  async once(): Promise<number> {
    const { call } = this
    const { terminal, options } = call
    await this.watch.read()
    this.line.end()
    if (options['dry-run'] !== undefined) return this.reading(site => preview(call, async () => site))
    return onTarget(call, target =>
      withLineFiles(call, async files => {
        const made = await this.load(target, files)
        show(terminal, options, made, summary(made))
        return exitCode(made)
      }),
    )
  }

  async follow(): Promise<number> {
    const { terminal, options } = this.call
    await onTarget(this.call, async target => {
      while (!terminal.stopped.aborted) {
        await this.round(target)
        await sleep(this.source.seconds * 1000, undefined, { signal: terminal.stopped }).catch(
          () => undefined,
        )
      }
    })
    const { result } = this.totals
    if (!result) {
      complain(terminal, stoppedEarly)
      return 1
    }
    show(terminal, options, result, summary(result))
    return exitCode(result)
  }

  close(): void {
    this.line.end()
    this.watch.close()
  }

  /** Takes what has changed. Reports later failures and goes on, because the source may come back. @throws those of the first round */
  private async round(target: Target): Promise<void> {
    const { terminal } = this.call
    try {
      await this.watch.read()
      this.line.end()
      if (this.watch.isPending || this.watch.isWhole) this.tell(await this.load(target, {}))
      this.problem = undefined
    } catch (error) {
      this.line.end()
      if (isStop(error, terminal)) return
      if (!this.totals.result || !(error instanceof HttpError)) throw error
      if (this.problem !== error.message) complain(terminal, error.message)
      this.problem = error.message
    }
  }

  private tell(made: Imported): void {
    const { updated = 0, deleted = 0 } = made.changes ?? {}
    const isFirst = !this.totals.result
    this.totals.add(made)
    if (isFirst || made.entries + made.files + updated + deleted > 0)
      this.call.terminal.writeError(`${roundLine(made)}\n`)
  }

  /** Reads the mirror as an export. */
  private async reading<T>(work: (site: Site) => Promise<T>): Promise<T> {
    const { live } = this.source
    const records = openRecords()
    try {
      const site = await (await this.reader())(live.files(this.watch.records), records)
      return await work({ ...site, notes: [...live.notes, ...site.notes] })
    } finally {
      records.close()
    }
  }

  private load(target: Target, files: Files): Promise<Imported> {
    const { call, source, watch } = this
    const { follow, update, delete: deletes } = call.options
    return this.reading(async site => {
      const open = openerOf(outgoing, noExport, undefined, target.config.max_upload_size, source.base.host)
      const made = await loadRecords(call, target, site, open, {
        ...{ ...files, source: source.name },
        update:
          follow === undefined && update === undefined
            ? undefined
            : { isWhole: watch.isWhole, deletes: deletes !== undefined },
      })
      watch.isPending = false
      return made
    })
  }
}

/** Imports from a live API, once or until it is stopped. @returns the exit code */
export async function importLive(call: Call, reader: () => Promise<ReadLargeExport>): Promise<number> {
  const { terminal, options, system } = call
  const found = liveOf(system)
  if (!found)
    throw badRequest(`${system} has no live API that can be read: there are ${liveSystems.join(', ')}`)
  const seconds = secondsOf(options.every)
  const given = apiAddress(options.from ?? '', 'SOURCE_TOKEN')
  const base = found.api?.(given) ?? given
  const { SOURCE_TOKEN: token } = terminal.variables
  const api = new SourceApi({ base, token, stopped: terminal.stopped, keyParameter: found.keyParameter })
  const types = (options.types ?? '').split(',').filter(name => name !== '')
  // Where other lists are read, other records are missing.
  const lists = types.length > 0 ? `#${types.toSorted().join()}` : ''
  growHeapSlowly()
  const live = await (await found.open())(api.ask, { base, types, hasKey: !!token })
  const name = `${base.origin}${base.pathname}${lists}`.slice(0, maxSource)
  const importing = new LiveImport(call, reader, { live, api, base, name, seconds })
  try {
    return await (options.follow === undefined ? importing.once() : importing.follow())
  } catch (error) {
    if (!isStop(error, terminal)) throw error
    complain(terminal, stoppedEarly)
    return 1
  } finally {
    importing.close()
  }
}
