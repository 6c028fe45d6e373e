import { z } from 'zod'
import type { Actor } from '../../actor.js'
import { authorOf, systemActor } from '../../actor.js'
import type { Config } from '../../config.js'
import type { RowOf } from '../../db/columns.js'
import type { Database } from '../../db/database.js'
import { internalTables, tables } from '../../db/tables.js'
import { badRequest, conflict, HttpError, notFound } from '../../errors.js'
import { timestamp } from '../../ids.js'
import { limits } from '../../limits.js'
import type { ImportMessage, Ports } from '../../ports.js'
import { type Crud, reads } from '../crud.js'
import { endLease, keepLease, leaseMs, takeLease } from '../operation/leases.js'
import { randomSecret } from '../secrets.js'
import { permits, refuseTarget } from '../webhooks/targets.js'
import type { ImportSystem } from './systems.js'

type Imports = typeof tables.imports
type ImportRecord = RowOf<Imports>
/** An import as callers see it. */
export type ShownImport = Awaited<ReturnType<Crud<Imports>['get']>>

const flagText = z
  .enum(['true', 'false'])
  .transform(text => text === 'true')
  .optional()

/** The fields beside the file. */
export const ImportUpload = z.object({ public: flagText, without_files: flagText, preview: flagText })

export const ImportAddress = z.object({
  url: z.string().max(4096).meta({ description: 'The URL of the export.' }),
  public: z.boolean().optional().meta({ description: 'Make published content readable without an API key.' }),
  without_files: z.boolean().optional().meta({ description: 'Do not import files.' }),
  preview: z
    .boolean()
    .optional()
    .meta({ description: 'Only read the export. The import waits until you start it.' }),
})

export type ImportChoices = Pick<z.output<typeof ImportAddress>, 'public' | 'without_files' | 'preview'>

const leaseName = 'import'
const mostRedirects = 5
/** How often progress is stored at most. */
const progressMs = 1000
/** How often it is looked whether another instance has cancelled it. */
const watchMs = 2000
const maxName = 255
const maxMessage = 2000

interface ImportJobParts extends Pick<Ports, 'importer' | 'files' | 'outgoing' | 'clock' | 'random' | 'log'> {
  config: () => Config
}

interface Running {
  readonly importId: string
  readonly stop: AbortController
  readonly ended: Promise<unknown>
}

/** The parts of an address that are no secret. */
const shownAddress = (url: string): string => {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`.slice(0, 512)
}

const stopped = Symbol('the service stops')
const cancelled = Symbol('it was cancelled')

/** Imports that requests start: one at a time, each in a process of its own, found again after a crash. */
export class ImportJobs {
  readonly table = tables.imports
  readonly list: Crud<Imports>['list']
  readonly count: Crud<Imports>['count']
  readonly get: Crud<Imports>['get']
  private running: Running | undefined

  constructor(
    private readonly db: Database,
    private readonly parts: ImportJobParts,
  ) {
    const { list, count, get } = reads(db, tables.imports)
    ;[this.list, this.count, this.get] = [list, count, get]
  }

  /** Receives an export, and begins its import. @throws 400, 413, 415 as uploads do; 409 while another one runs */
  async upload(actor: Actor, system: ImportSystem, request: Request): Promise<ShownImport> {
    await this.refuseSecond()
    const { file, fields } = await this.parts.files.receive(request, limits.imports.fileBytes)
    let place: string | undefined
    try {
      const choices = this.choicesIn(fields)
      if (file.size === 0) throw badRequest('file: is empty', 'file')
      place = await this.parts.importer.keep(file)
      const source = file.name.split(/[/\\]/).at(-1)?.slice(0, maxName) || 'export'
      return await this.start(actor, { system, source, place, address: null }, choices)
    } catch (error) {
      if (place !== undefined) await this.parts.importer.remove(place)
      throw error
    } finally {
      await file.discard()
    }
  }

  /** Begins the import of an export at an address. @throws 400 for one that webhooks may not reach, 409 */
  async fetch(
    actor: Actor,
    system: ImportSystem,
    { url, ...choices }: z.output<typeof ImportAddress>,
  ): Promise<ShownImport> {
    await this.refuseSecond()
    await refuseTarget(url, this.parts.config(), this.parts.outgoing)
    return this.start(actor, { system, source: shownAddress(url), place: null, address: url }, choices)
  }

  /**
   * Starts one that waits, or again one that was cancelled or has failed: what is here already stays as it is.
   * @param withoutFiles leaves the files out, even if the import was to have them
   */
  async resume(actor: Actor, id: string, withoutFiles = false): Promise<ShownImport> {
    await this.refuseSecond()
    const { importer } = this.parts
    const known = await this.db.get(tables.imports, id)
    if (!known) throw notFound()
    if (known.address === null && !(known.place && (await importer.has(known.place))))
      throw conflict('the uploaded file is not on this server any more: upload it again')
    return this.begin(actor, async tx => {
      const row = await tx.lock(tables.imports, id)
      if (row.status === 'running' || row.status === 'completed')
        throw conflict(`an import that is ${row.status} cannot be started`)
      const files = withoutFiles ? { with_files: false } : {}
      const patch = { status: 'running', is_preview: false, started_at: tx.now, ...files } as const
      return (
        await tx.update(tables.imports, id, { ...patch, ...empty, error_message: null, completed_at: null })
      ).after
    })
  }

  /** Cancels one. Content that it has already created stays. @throws 409 unless it runs or waits */
  async cancel(actor: Actor, id: string): Promise<ShownImport> {
    const row = await this.db.write(actor, async tx => {
      const known = await tx.lock(tables.imports, id)
      if (known.status !== 'running' && known.status !== 'ready')
        throw conflict(`an import that is ${known.status} cannot be cancelled`)
      const patch = { status: 'cancelled', completed_at: tx.now } as const
      return (await tx.update(tables.imports, id, patch)).after
    })
    // Another instance sees it soon.
    if (this.running?.importId === id) this.running.stop.abort(cancelled)
    return this.shown(row)
  }

  /** Deletes the record of one, its report and its file; the content stays. @throws 409 while it runs */
  async remove(actor: Actor, id: string): Promise<void> {
    const { place } = await this.db.write(actor, async tx => {
      const known = await tx.lock(tables.imports, id)
      if (known.status === 'running') throw conflict('a running import cannot be deleted: cancel it first')
      await tx.deleteAllInternal(internalTables.importRecords, 'import_id', [id])
      await tx.remove(tables.imports, id)
      return known
    })
    if (place !== null) await this.parts.importer.remove(place)
  }

  /**
   * Rows of the report, in the order of the export.
   * @param after the key of the last row that the caller has
   */
  async report(
    id: string,
    { problems, after, limit }: { problems?: boolean | undefined; after?: string | undefined; limit: number },
  ): Promise<{ key: string; row: Record<string, unknown> }[]> {
    await this.get(id)
    const where = { import_id: id, ...(problems ? { is_problem: true } : {}) }
    const found: { key: string; row: Record<string, unknown> }[] = []
    for await (const rows of this.db.stream(internalTables.importRecords, where, { limit, after }))
      found.push(...rows.map(({ record_key, report }) => ({ key: record_key, row: report })))
    return found
  }

  /** How many rows the report has, and how many of them somebody should look at. */
  async reported(id: string): Promise<{ all: number; problems: number }> {
    const table = internalTables.importRecords
    return {
      all: await this.db.count(table, { import_id: id }),
      problems: await this.db.count(table, { import_id: id, is_problem: true }),
    }
  }

  /** Goes on with an import whose process has died. Called every few seconds. */
  async runDue(): Promise<void> {
    if (this.running) return
    const [row] = await this.db.findAll(tables.imports, { status: 'running' }, { limit: 1 })
    if (!row) return
    const isHere = row.address !== null || (row.place !== null && (await this.parts.importer.has(row.place)))
    const actor: Actor = { ...systemActor, userId: row.created_by }
    try {
      await this.begin(actor, async tx => {
        const known = await tx.lock(tables.imports, row.import_id)
        if (known.status !== 'running') throw conflict('it has already ended')
        if (isHere) return known
        const patch = { status: 'failed', completed_at: tx.now, error_message: lost } as const
        return (await tx.update(tables.imports, row.import_id, patch)).after
      })
    } catch (error) {
      // Its instance lives, or another one goes on with it.
      if (!(error instanceof HttpError && error.status === 409)) throw error
    }
  }

  /** Stops a running import, which goes on at the next start. */
  async stop(): Promise<void> {
    this.running?.stop.abort(stopped)
    await this.running?.ended
  }

  private choicesIn(fields: ReadonlyMap<string, string>): ImportChoices {
    const { data, error } = z.strictObject(ImportUpload.shape).safeParse(Object.fromEntries(fields))
    if (data) return data
    const [issue] = error.issues
    throw badRequest(
      `${issue?.path.map(String).join('.')}: ${issue?.message}`,
      issue?.path.map(String).join('.'),
    )
  }

  /** A cheap look before a large file is received; the lease decides. */
  private async refuseSecond(): Promise<void> {
    if (await this.db.exists(tables.imports, { status: 'running' }))
      throw conflict('another import is running')
  }

  private async start(
    actor: Actor,
    source: Pick<ImportRecord, 'system' | 'source' | 'place' | 'address'>,
    { public: isPublic = false, without_files = false, preview = false }: ImportChoices,
  ): Promise<ShownImport> {
    const created_by = authorOf(actor, undefined)
    const started = await this.begin(actor, tx =>
      tx.insert(tables.imports, {
        ...{ ...source, is_public: isPublic, with_files: !without_files, is_preview: preview },
        ...{ ...empty, status: 'running', started_at: tx.now, created_by },
      }),
    )
    await this.removeOthers(started.import_id)
    return started
  }

  /** Only the newest import keeps its file, so that files do not fill the disk. */
  private async removeOthers(id: string): Promise<void> {
    const kept = await this.db.findAll(tables.imports, { status: ['ready', 'failed', 'cancelled'] })
    for (const { import_id, place } of kept)
      if (import_id !== id && place !== null) {
        await this.parts.importer.remove(place)
        await this.db.write(systemActor, tx => tx.update(tables.imports, import_id, { place: null }))
      }
  }

  /** Takes the right to run an import, and runs it. @throws 409 while another one runs */
  private async begin(
    actor: Actor,
    prepare: (tx: Parameters<Parameters<Database['write']>[1]>[0]) => Promise<ImportRecord>,
  ): Promise<ShownImport> {
    const holder = randomSecret(this.parts.random)
    const row = await this.db.write(actor, async tx => {
      const until = timestamp(this.parts.clock.now() + leaseMs)
      if (!(await takeLease(tx, { name: leaseName, holder, until })))
        throw conflict('another import is running')
      return prepare(tx)
    })
    const stop = new AbortController()
    const { claim: _, ...worker } = actor
    const ended: Promise<void> = this.work(worker, row, holder, stop)
      .catch(error => this.parts.log.error({ err: error, import_id: row.import_id }, 'an import failed'))
      .finally(() => {
        if (this.running?.importId === row.import_id) this.running = undefined
      })
    this.running = { importId: row.import_id, stop, ended }
    return this.shown(row)
  }

  private async shown({ import_id }: ImportRecord): Promise<ShownImport> {
    return this.get(import_id)
  }

  private async work(actor: Actor, row: ImportRecord, holder: string, stop: AbortController): Promise<void> {
    const { clock, log } = this.parts
    const id = row.import_id
    const lostLease = () => stop.abort(stopped)
    const stopKeeping = keepLease(this.db, { name: leaseName, holder }, { clock, log, lost: lostLease })
    const watch = setInterval(() => {
      this.db.get(tables.imports, id).then(
        now => now?.status === 'running' || stop.abort(cancelled),
        error => log.warn({ err: error, import_id: id }, 'the status of an import could not be read'),
      )
    }, watchMs)
    try {
      if (row.status === 'running')
        await this.finish(actor, row, await this.outcome(actor, row, stop.signal), stop)
    } finally {
      clearInterval(watch)
      stopKeeping()
      await this.db.write(systemActor, tx => endLease(tx, { name: leaseName, holder }))
    }
  }

  /** Fetches the file, unless it is stored, and runs the import. */
  private async outcome(actor: Actor, row: ImportRecord, signal: AbortSignal): Promise<ImportMessage> {
    const { importer, log, config } = this.parts
    try {
      const path = await this.fileOf(row, signal)
      const { import_id: importId, system, is_preview, is_public, with_files } = row
      let storedAt = 0
      return await importer.run(
        {
          ...{ importId, system, path, actor: { ...actor, userId: row.created_by } },
          ...{ isPreview: is_preview, isPublic: is_public, withFiles: with_files },
        },
        config(),
        {
          signal,
          heard: message => {
            if (message.kind !== 'progress') return
            const now = performance.now()
            if (now - storedAt < progressMs) return
            storedAt = now
            const { doing, done, total } = message
            this.db
              .write(systemActor, async tx => {
                const known = await tx.lock(tables.imports, importId)
                if (known.status === 'running')
                  await tx.update(tables.imports, importId, { doing, done, total })
              })
              .catch(error => log.warn({ err: error, import_id: importId }, 'progress could not be stored'))
          },
        },
      )
    } catch (error) {
      if (!signal.aborted) log.error({ err: error, import_id: row.import_id }, 'an import failed')
      return { kind: 'refused', message: error instanceof HttpError ? error.message : undefined }
    }
  }

  private async fileOf(row: ImportRecord, signal: AbortSignal): Promise<string> {
    const { importer, outgoing, config } = this.parts
    if (row.place !== null && (await importer.has(row.place))) return row.place
    let url = row.address
    for (let i = 0; url !== null && i <= mostRedirects; i++) {
      await refuseTarget(url, config(), outgoing)
      const { fileBytes: maxBytes } = limits.imports
      const found = await importer.fetch(url, { permits: permits(config()), maxBytes, signal })
      if ('place' in found) {
        const { place } = found
        await this.db.write(systemActor, tx => tx.update(tables.imports, row.import_id, { place }))
        return place
      }
      url = found.location
    }
    throw badRequest(url === null ? lost : 'the address redirects too often')
  }

  private async finish(
    actor: Actor,
    { import_id }: ImportRecord,
    outcome: ImportMessage,
    { signal }: AbortController,
  ): Promise<void> {
    // It goes on at the next start, or in the instance that has taken it over.
    if (signal.reason === stopped) return
    const place = await this.db.write(actor, async tx => {
      const known = await tx.lock(tables.imports, import_id)
      if (known.status !== 'running') return null
      const completed_at = tx.now
      if (outcome.kind === 'preview')
        await tx.update(tables.imports, import_id, { status: 'ready', preview: outcome.preview })
      else if (outcome.kind === 'made') {
        const patch = { status: 'completed', result: outcome.made, place: null, completed_at } as const
        await tx.update(tables.imports, import_id, patch)
        return known.place
      } else {
        const message = outcome.kind === 'refused' ? outcome.message : undefined
        const error_message = (message ?? 'the import failed: see the log').slice(0, maxMessage)
        await tx.update(tables.imports, import_id, { status: 'failed', error_message, completed_at })
      }
      return null
    })
    if (place !== null) await this.parts.importer.remove(place)
  }
}

const empty = { doing: '', done: 0, total: 0 } as const
const lost = 'the uploaded file is not on this server any more: upload it again'
