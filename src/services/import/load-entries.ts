import type { Actor } from '../../actor.js'
import { badRequest, HttpError } from '../../errors.js'
import { timestamp } from '../../ids.js'
import { slug } from '../text.js'
import type { KnownSources } from './known-sources.js'
import type { Loaded } from './load-files.js'
import type { Model } from './load-model.js'
import type { Losses } from './losses.js'
import { batchesOf, type Records } from './records.js'
import type { Imported, ImportServices, ImportSettings } from './settings.js'
import type { ImportedEntry } from './site.js'
import type { Sources } from './states.js'
import type { RootToStore, TreeToStore } from './tree-to-store.js'
import { type Changes, EntryUpdater, type LeftRecord } from './update-entries.js'
import { type Known, valuesOf, withChildren } from './values.js'
import { withoutValue } from './without-value.js'

const plural = { entry: 'entries', file: 'files' }

/** Most values of a tree that are left out before the tree is given up. */
const mostLeftOut = 100

/** Trees that are stored in one transaction. */
const batchSize = 50

const isRefusal = (error: unknown): error is HttpError => error instanceof HttpError && error.status === 400

interface EntrySettings extends ImportSettings {
  readonly losses: Losses
  readonly model: Model
  readonly files: Loaded
  /** By the keys of trees. */
  readonly ids: ReadonlyMap<string, string>
  isKnown(key: string): boolean
  readonly sources: KnownSources
  readonly states: Sources
  /** Files that the update has left as they are. */
  readonly left: readonly LeftRecord[]
}

/**
 * Stores entries in the order of the export, with values that name later ones: while the import runs, such an entry is
 * missing where others show it.
 */
export class EntryLoader {
  /** The ids of the entries that this import makes. */
  private readonly coming = new Set<string>()
  /** The addresses of pages that were deleted here, where links still lead: the trash can restore them. */
  private readonly trashed = new Map<string, string>()

  constructor(
    private readonly services: ImportServices,
    private readonly actor: Actor,
    private readonly entries: Records<ImportedEntry>,
    private readonly settings: EntrySettings,
  ) {}

  async load(): Promise<Pick<Imported, 'entries' | 'known' | 'changes'>> {
    const { settings, coming } = this
    const updater = this.updater()
    const deleted = await updater?.deletedHere(this.entries)
    let isNew = 0
    for (const entry of this.entries) {
      if (deleted?.has(entry.key)) this.keepAddress(entry)
      if (settings.isKnown(entry.key) || deleted?.has(entry.key)) continue
      isNew++
      if (this.hasPlace(entry)) coming.add(this.idOf(entry.key))
    }
    let [entries, done] = [0, 0]
    for (const batch of batchesOf(this.toStore(), batchSize)) {
      await this.store(batch)
      for (const entry of batch) entries += withChildren(entry).length
      done += batch.length
      settings.progress('entries', done, coming.size)
    }
    const changes = updater && (await this.update(updater))
    return { entries, known: this.entries.length - isNew, ...(changes ? { changes } : {}) }
  }

  private keepAddress({ key, page }: ImportedEntry): void {
    const path = slug.safeParse(page?.path).data
    if (path !== undefined) this.trashed.set(key, path)
  }

  private updater(): EntryUpdater | undefined {
    const { update: how, states: sources, losses, ids, isKnown } = this.settings
    return (
      how &&
      new EntryUpdater(this.services.space.imports, this.actor, {
        ...{ how, sources, losses, ids, isKnown, media: this.mediaId },
        treeOf: entry => this.rootFor(entry),
      })
    )
  }

  private async update(updater: EntryUpdater): Promise<Changes> {
    const { isKnown } = this.settings
    function* known(entries: Iterable<ImportedEntry>): Generator<ImportedEntry> {
      for (const entry of entries) if (isKnown(entry.key)) yield entry
    }
    await updater.update(known(this.entries))
    await updater.deletedThere(this.entries)
    const { left, ...changes } = updater.changes
    return { ...changes, left: [...this.settings.left, ...left] }
  }

  private readonly mediaId = (key: string): string | undefined => this.settings.files.byKey.get(key)?.media_id

  private idOf(key: string): string {
    return this.settings.ids.get(key) ?? ''
  }

  private *toStore(): Generator<ImportedEntry> {
    for (const entry of this.entries) if (this.coming.has(this.idOf(entry.key))) yield entry
  }

  /** Whether it can be stored: a datatype that was there may want a page. */
  private hasPlace(entry: ImportedEntry): boolean {
    const { model } = this.settings
    if (model.pages.has(entry.key) || !model.types.get(entry.type)?.needsPage) return true
    this.settings.losses.leaveOut(
      entry.key,
      'Entries are left out, because their datatype is for pages and they have no page',
    )
    return false
  }

  /** Stores entries in one transaction, or each by itself where one is refused. */
  private async store(entries: readonly ImportedEntry[]): Promise<void> {
    // Made once, because each tree takes its ids and notes its losses.
    const made = entries.map(entry => ({ entry, tree: this.rootFor(entry) }))
    try {
      await this.storeAll(made.map(({ tree }) => tree))
    } catch (error) {
      if (!isRefusal(error)) throw error
      for (const { entry, tree } of made) await this.storeAlone(entry, tree)
    }
  }

  private storeAll(trees: readonly RootToStore[]): Promise<void> {
    return this.services.space.imports.store(this.actor, trees, id => this.coming.has(id))
  }

  /** Stores an entry without its refused parts. */
  private async storeAlone(entry: ImportedEntry, whole: RootToStore): Promise<void> {
    let tree = whole
    for (let attempt = 0; ; attempt++)
      try {
        await this.storeAll([tree])
        return
      } catch (error) {
        if (!isRefusal(error)) throw error
        tree = this.withoutRefused(entry, tree, error, attempt === mostLeftOut)
      }
  }

  /** @throws 400 if nothing more is left out, or the refusal names nothing that could be */
  private withoutRefused(
    { key, type }: ImportedEntry,
    tree: RootToStore,
    error: HttpError,
    isLast: boolean,
  ): RootToStore {
    const { losses } = this.settings
    const where = (message: string) => `${type} ${key}: ${message.replace(/^\d+\./, '')}`
    if (isLast) throw badRequest(where(error.message))
    const problems = error.errors ?? [{ error: error.message, member: error.member ?? '' }]
    if (problems.some(one => 'content_data_id' in one)) {
      const why = 'Published entries become drafts, because they break a rule of their fields'
      losses.add([key], why, where(error.message))
      return { ...tree, isPublished: false }
    }
    let kept = tree
    for (const { error: message, member } of problems) {
      const [without] = withoutValue([kept], member) ?? []
      if (!without) throw badRequest(where(message))
      losses.add([key], 'Values are left out, because they do not fit their fields', where(message))
      kept = without
    }
    return kept
  }

  private rootFor(entry: ImportedEntry): RootToStore {
    const { key } = entry
    const createdAt = timeIn(entry.createdAt)
    const planned = timeIn(entry.publishAt)
    const isEarly = entry.isPublished && planned !== undefined && planned > timestamp(this.settings.now)
    const isPublished = entry.isPublished && !isEarly
    return {
      ...this.treeFor(entry, key),
      ...{ content_data_id: this.idOf(key), isPublished, createdAt },
      publishedAt: timeIn(entry.publishedAt) ?? createdAt,
      publishAt: isEarly ? planned : this.plannedFor(entry),
      changedAt: timeIn(entry.changedAt),
      sources: this.settings.isKnown(key) ? [] : this.settings.sources.take(entry),
      state: this.settings.states.entry(entry, this.mediaId),
      page: this.settings.model.pages.get(key),
    }
  }

  /** When a draft is to be published. What has passed already stays a draft, for nobody has seen it published. */
  private plannedFor({ key, type, isPublished, publishAt }: ImportedEntry): string | undefined {
    const time = isPublished ? undefined : timeIn(publishAt)
    if (time === undefined || time > timestamp(this.settings.now)) return time
    this.settings.losses.add(
      [key],
      'Entries become drafts, because their scheduled time has passed since the export',
      `${type} ${key}`,
    )
    return undefined
  }

  /** @param root the key of the entry that it is in */
  private treeFor(entry: ImportedEntry, root: string): TreeToStore {
    const { model, files, losses, isKnown } = this.settings
    const type = model.types.get(entry.type)
    if (!type) throw badRequest(`${entry.key}: the export has no type ${entry.type}`)
    const known: Known = {
      entry: key => (isKnown(key) || this.coming.has(this.idOf(key)) ? this.idOf(key) : undefined),
      path: key => model.pages.get(key)?.slug ?? this.trashed.get(key),
      file: key => files.byKey.get(key),
      missing: (kind, key) => {
        if (kind === 'entry' || this.settings.open)
          losses.add(
            [root],
            this.settings.ids.has(key)
              ? 'References to entries that were deleted here are left out'
              : `References to ${plural[kind]} that the export does not have are left out`,
            `${entry.type} ${entry.key}: ${key}`,
          )
      },
    }
    const translations = Object.entries(entry.translations ?? {}).map(
      ([locale, own]) => [locale, valuesOf(own, type.fields, known)] as const,
    )
    return {
      ...{ datatype_id: type.datatype_id, fields: type.fields },
      values: valuesOf(entry.values, type.fields, known),
      translations: Object.fromEntries(translations),
      children: (entry.children ?? []).map(child => this.treeFor(child, root)),
    }
  }
}

/** Returns a time as it is stored; undefined if it is missing or invalid. */
function timeIn(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '')
  return Number.isFinite(time) ? timestamp(time) : undefined
}
