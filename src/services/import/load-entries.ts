import type { Actor } from '../../actor.js'
import { badRequest, HttpError } from '../../errors.js'
import { timestamp } from '../../ids.js'
import { componentsOf } from './components.js'
import type { KnownSources } from './known-sources.js'
import type { Loaded } from './load-files.js'
import type { Model } from './load-model.js'
import type { Losses } from './losses.js'
import type { Records } from './records.js'
import type { Imported, ImportServices, ImportSettings } from './settings.js'
import type { ImportedEntry, ImportedValue } from './site.js'
import type { Sources } from './states.js'
import type { RootToStore, TreeToStore } from './tree-to-store.js'
import { type Changes, EntryUpdater, type LeftRecord } from './update-entries.js'
import { entriesNamed, type Known, valuesOf, withChildren } from './values.js'
import { withoutValue } from './without-value.js'

const plural = { entry: 'entries', file: 'files' }

/** Most values of a tree that are left out before the tree is given up. */
const mostLeftOut = 100

/** Trees that refer to each other. */
interface Group {
  /** Its name in notes. */
  readonly name: string
  /** Of its trees. */
  readonly keys: readonly string[]
  readonly trees: readonly RootToStore[]
}

/** Trees that are stored in one transaction, or more if they refer to each other. */
const batchSize = 50

function batchesOf(groups: readonly string[][]): string[][][] {
  const batches: string[][][] = []
  let trees = batchSize
  for (const group of groups) {
    if (trees >= batchSize) {
      batches.push([])
      trees = 0
    }
    batches.at(-1)?.push(group)
    trees += group.length
  }
  return batches
}

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

/** Stores entries, group by group of those that refer to each other. */
export class EntryLoader {
  /** Which entry of the export a child is in. */
  private readonly rootOf = new Map<string, string>()
  /** The places of entries in the list, by their keys. */
  private readonly places = new Map<string, number>()

  constructor(
    private readonly services: ImportServices,
    private readonly actor: Actor,
    private readonly entries: Records<ImportedEntry>,
    private readonly settings: EntrySettings,
  ) {
    let place = 0
    for (const root of entries) {
      this.places.set(root.key, place++)
      for (const { key } of withChildren(root)) if (key !== root.key) this.rootOf.set(key, root.key)
    }
  }

  async load(): Promise<Pick<Imported, 'entries' | 'known' | 'changes'>> {
    const { settings, places } = this
    const updater = this.updater()
    const deleted = await updater?.deletedHere(this.entries)
    let isNew = 0
    const left: string[] = []
    for (const entry of this.entries) {
      if (settings.isKnown(entry.key) || deleted?.has(entry.key)) continue
      isNew++
      if (this.hasPlace(entry)) left.push(entry.key)
    }
    const groups = componentsOf(left, key => this.refersTo(this.entry(key)))
    let [entries, done] = [0, 0]
    for (const batch of batchesOf(groups)) {
      const found = batch.map(keys => keys.flatMap(key => this.entry(key) ?? []))
      await this.store(found.map(group => this.groupOf(group)))
      entries += found.flat().flatMap(withChildren).length
      done += found.flat().length
      settings.progress('entries', done, left.length)
    }
    const changes = updater && (await this.update(updater))
    return { entries, known: places.size - isNew, ...(changes ? { changes } : {}) }
  }

  private updater(): EntryUpdater | undefined {
    const { update: how, states: sources, losses, ids, isKnown } = this.settings
    return (
      how &&
      new EntryUpdater(this.services.space.imports, this.actor, {
        ...{ how, sources, losses, ids, isKnown, media: this.mediaId },
        treeOf: entry => this.rootFor(entry, new Set()),
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

  private entry(key: string): ImportedEntry | undefined {
    const place = this.places.get(key)
    return place === undefined ? undefined : this.entries.at(place)
  }

  /** The entry of the export that a record is in; undefined if the export lacks it. */
  private keyOfRoot(key: string): string | undefined {
    return this.places.has(key) ? key : this.rootOf.get(key)
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

  private refersTo(root: ImportedEntry | undefined): string[] {
    if (!root) return []
    const named = withChildren(root).flatMap(({ values, translations = {} }) =>
      [values, ...Object.values(translations)].flatMap(entriesNamed),
    )
    return [...new Set(named)].flatMap(key => {
      const of = this.keyOfRoot(key)
      return of === undefined || of === root.key ? [] : [of]
    })
  }

  /** Stores groups in one transaction, or each by itself where one is refused. */
  private async store(groups: readonly Group[]): Promise<void> {
    try {
      const trees = groups.flatMap(group => group.trees)
      await this.services.space.imports.store(this.actor, trees)
    } catch (error) {
      if (!isRefusal(error)) throw error
      for (const group of groups) await this.storeAlone(group)
    }
  }

  /** Stores a group without its refused parts. */
  private async storeAlone(group: Group): Promise<void> {
    let { trees } = group
    for (let attempt = 0; ; attempt++)
      try {
        await this.services.space.imports.store(this.actor, trees)
        return
      } catch (error) {
        if (!isRefusal(error)) throw error
        trees = this.withoutRefused(group, trees, error, attempt === mostLeftOut)
      }
  }

  /** @throws 400 if nothing more is left out, or the refusal names nothing that could be */
  private withoutRefused(
    { name, keys }: Group,
    trees: readonly RootToStore[],
    error: HttpError,
    isLast: boolean,
  ): readonly RootToStore[] {
    const { losses } = this.settings
    const where = (message: string) => `${name}: ${message.replace(/^\d+\./, '')}`
    if (isLast) throw badRequest(where(error.message))
    const problems = error.errors ?? [{ error: error.message, member: error.member ?? '' }]
    if (problems.some(one => 'content_data_id' in one)) {
      const broken = new Set(problems.map(({ member }) => Number.parseInt(member, 10)))
      const lost = [...broken].flatMap(i => keys[i] ?? [])
      const why = 'Published entries become drafts, because they break a rule of their fields'
      losses.add(lost, why, where(error.message))
      return trees.map((tree, i) => (broken.has(i) ? { ...tree, isPublished: false } : tree))
    }
    let kept = trees
    for (const { error: message, member } of problems) {
      const without = withoutValue(kept, member)
      if (!without) throw badRequest(where(message))
      const lost = keys.slice(Number.parseInt(member, 10)).slice(0, 1)
      losses.add(lost, 'Values are left out, because they do not fit their fields', where(message))
      kept = without
    }
    return kept
  }

  private groupOf(entries: readonly ImportedEntry[]): Group {
    const [first] = entries
    const keys = new Set(entries.map(({ key }) => key))
    return {
      name: `${first?.type} ${first?.key}`,
      keys: entries.map(({ key }) => key),
      trees: entries.map(entry => this.rootFor(entry, keys)),
    }
  }

  private rootFor(entry: ImportedEntry, group: ReadonlySet<string>): RootToStore {
    const { key } = entry
    const createdAt = timeIn(entry.createdAt)
    const planned = timeIn(entry.publishAt)
    const isEarly = entry.isPublished && planned !== undefined && planned > timestamp(this.settings.now)
    const isPublished = entry.isPublished && !isEarly
    return {
      ...this.treeFor(entry, group),
      ...{ content_data_id: this.settings.ids.get(key) ?? '', isPublished, createdAt },
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

  private treeFor(entry: ImportedEntry, group: ReadonlySet<string>): TreeToStore {
    const { model, files, losses } = this.settings
    const type = model.types.get(entry.type)
    if (!type) throw badRequest(`${entry.key}: the export has no type ${entry.type}`)
    const known: Known = {
      entry: key => this.settings.ids.get(key),
      path: key => model.pages.get(key)?.slug,
      file: key => files.byKey.get(key),
      missing: (kind, key) => {
        if (kind === 'entry' || this.settings.open)
          losses.add(
            [this.keyOfRoot(entry.key) ?? entry.key],
            `References to ${plural[kind]} that the export does not have are left out`,
            `${entry.type} ${entry.key}: ${key}`,
          )
      },
    }
    // Others of the group are not there yet.
    const isLate = (value: ImportedValue) => 'entries' in value && value.entries.some(key => group.has(key))
    const own = Object.entries(entry.values)
    const of = (values: typeof own) => valuesOf(Object.fromEntries(values), type.fields, known)
    const translations = Object.entries(entry.translations ?? {}).map(
      ([locale, own]) => [locale, valuesOf(own, type.fields, known)] as const,
    )
    return {
      ...{ datatype_id: type.datatype_id, fields: type.fields },
      values: of(own.filter(([, value]) => !isLate(value))),
      late: of(own.filter(([, value]) => isLate(value))),
      translations: Object.fromEntries(translations),
      children: (entry.children ?? []).map(child => this.treeFor(child, group)),
    }
  }
}

/** Returns a time as it is stored; undefined if it is missing or invalid. */
function timeIn(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '')
  return Number.isFinite(time) ? timestamp(time) : undefined
}
