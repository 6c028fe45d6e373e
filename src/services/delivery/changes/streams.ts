import type { Actor, Identity } from '../../../actor.js'
import type { Database } from '../../../db/database.js'
import { tables } from '../../../db/tables.js'
import { type HttpError, invalid, tooMany, unavailable } from '../../../errors.js'
import { limits } from '../../../limits.js'
import type { Log } from '../../../ports.js'
import { Turns } from '../../../turns.js'
import { type Audience, audienceOf } from '../audience.js'
import type { PreviewLinkService } from '../preview-links.js'
import { ChangeFeed } from './change-feed.js'
import { type Change, ChangeLog } from './change-log.js'
import { Listener, type Scope, type Told, toldOf } from './listener.js'
import { missedChanges } from './missed-changes.js'

const { streamsOfUser: maxOfUser, streamsOfLink: maxOfLink } = limits.webhooks
const defaultIntervalMs = 250
/** After this many intervals of the feed a sign of life is sent, and the rights of all listeners are checked. */
const ticksBetweenBeats = 60
const rightsTables = new Set<string>(
  [
    tables.users,
    tables.sessions,
    tables.tokens,
    tables.roles,
    tables.permissions,
    tables.rolePermissions,
    tables.previewLinks,
  ].map(({ name }) => name),
)

type Caller = Pick<Actor, 'roleId' | 'credential'>

interface Needs {
  rights: {
    can(caller: Caller, access: `${string}:${string}`): Promise<boolean>
    partOf(caller: Identity): Promise<{ readonly name: string }>
    refusal(caller: Identity, access: `${string}:${string}`): Promise<HttpError>
  }
  liveCallers(identities: readonly Identity[]): Promise<ReadonlyMap<Identity, Caller>>
  previewLinks: Pick<PreviewLinkService, 'open' | 'alive'>
  log: Log
  maxStreams: () => number
  intervalMs?: number
}

type Holder =
  | { readonly kind: 'caller'; readonly identity: Identity; readonly audience: Audience }
  | { readonly kind: 'link'; readonly linkId: string; readonly root: string }
  | { readonly kind: 'public' }

/** The changes after one, for callers who do not keep a connection. */
export interface ChangesSince {
  last_event_id: string
  /** Too much has changed to send it, or the change that was given is no longer known: read everything again. */
  reset: boolean
  changes: (Told & { id: string })[]
}

export interface ChangeStreams {
  /**
   * A body of server-sent events for a caller who may read content.
   * @param after the last event that the caller has; undefined for changes from now on
   * @throws 429 or 503 when too many open change streams: close one, or try again later; 400 for a text that is not an event's id
   */
  open(identity: Identity, after: string | undefined): Promise<ReadableStream<Uint8Array>>
  /** A body of events about what the public sees, for anybody: half of all streams at most. @throws as `open` */
  openPublic(after: string | undefined): Promise<ReadableStream<Uint8Array>>
  /** A body of events about the page of a preview link. @throws as `open`, and as `PreviewLinkService.open` */
  openPreview(token: string, after: string | undefined): Promise<ReadableStream<Uint8Array>>
  /** Returns what a stream would send at once. @throws 400 for a text that is not an event's id */
  since(identity: Identity, after: string | undefined): Promise<ChangesSince>
  /** @throws also as `PreviewLinkService.open` */
  sincePreview(token: string, after: string | undefined): Promise<ChangesSince>
  /** Ends all streams; those that are asked for afterwards end at once, so that their readers come back later. */
  stop(): void
}

/** Reads the number of an event; undefined without one. @throws 400 for anything else */
function changeId(after: string | undefined): number | undefined {
  if (after === undefined || after === '') return undefined
  if (!/^\d{1,15}$/.test(after)) throw invalid('last_event_id', 'must be the id of an event')
  return Number(after)
}

class Streams implements ChangeStreams {
  readonly #listeners = new Map<Listener, Holder>()
  readonly #counts = new Map<string, number>()
  readonly #changes: ChangeLog
  readonly #feed: ChangeFeed
  #total = 0
  #ticks = 0
  #stopped = false
  /** The number of foreign commits when everybody's rights were last looked at; undefined when they must be again. */
  #checked: number | undefined
  #checking: Promise<void> | undefined

  constructor(
    private readonly db: Database,
    private readonly needs: Needs,
  ) {
    this.#changes = new ChangeLog(db)
    const follower = {
      changed: (changes: readonly Change[]) => this.#changed(changes),
      tick: () => this.#tick(),
    }
    this.#feed = new ChangeFeed(db, this.#changes, follower, needs.log, needs.intervalMs ?? defaultIntervalMs)
    db.onCommit(commit => {
      if (this.#listeners.size === 0) return
      for (const table of commit.tables) if (rightsTables.has(table)) return this.#suspect()
    })
  }

  async open(identity: Identity, after: string | undefined): Promise<ReadableStream<Uint8Array>> {
    const audience = await this.#audienceOf(identity)
    return this.#open({ kind: 'caller', identity, audience }, after)
  }

  /** @throws 403 for a caller who may read only a part of the content, because changes are of all of it */
  async #audienceOf(identity: Identity): Promise<Audience> {
    const { rights } = this.needs
    if ((await rights.partOf(identity)).name !== '') throw await rights.refusal(identity, 'content:read')
    return audienceOf(rights, identity)
  }

  async openPublic(after: string | undefined): Promise<ReadableStream<Uint8Array>> {
    return this.#open({ kind: 'public' }, after)
  }

  async openPreview(token: string, after: string | undefined): Promise<ReadableStream<Uint8Array>> {
    return this.#open(await this.#holderOf(token), after)
  }

  async since(identity: Identity, after: string | undefined): Promise<ChangesSince> {
    return this.#since({ kind: 'audience', audience: await this.#audienceOf(identity) }, after)
  }

  async sincePreview(token: string, after: string | undefined): Promise<ChangesSince> {
    return this.#since(scopeOf(await this.#holderOf(token)), after)
  }

  stop(): void {
    this.#stopped = true
    for (const listener of [...this.#listeners.keys()]) listener.end()
    this.#feed.stop()
  }

  async #holderOf(token: string): Promise<Holder & { kind: 'link' }> {
    const { link } = await this.needs.previewLinks.open(token)
    return { kind: 'link', linkId: link.preview_link_id, root: link.content_data_id }
  }

  async #open(holder: Holder, after: string | undefined): Promise<ReadableStream<Uint8Array>> {
    const from = changeId(after)
    if (this.#stopped) return endedStream()
    const release = this.#reserve(holder)
    const listener = new Listener(scopeOf(holder), ended => {
      this.#listeners.delete(ended)
      release()
    })
    try {
      // It gets nothing before `begin`, and everything that comes from here on after it.
      this.#listeners.set(listener, holder)
      const now = await this.#feed.now()
      const missed = from === undefined ? [] : await missedChanges(this.#changes, from, now)
      if (this.#stopped) listener.end()
      // Its rights may have changed while it was not looked at.
      this.#checked = undefined
      listener.begin(now, missed)
      return listener.body
    } catch (error) {
      listener.end()
      throw error
    }
  }

  async #since(scope: Scope, after: string | undefined): Promise<ChangesSince> {
    const from = changeId(after)
    const newest = await this.#changes.newest()
    const missed = from === undefined ? [] : await missedChanges(this.#changes, from, newest)
    const known = missed === 'too many' ? [] : missed
    const changes = known.flatMap(change => {
      const told = toldOf(change, scope)
      return told ? [{ id: String(change.id), ...told }] : []
    })
    return { last_event_id: String(newest), reset: missed === 'too many', changes }
  }

  /** @returns gives the place back */
  #reserve(holder: Holder): () => void {
    const [name, most] = this.#shareOf(holder)
    const n = this.#counts.get(name) ?? 0
    if (n >= most) throw tooMany(5000)
    if (this.#total >= this.needs.maxStreams())
      throw unavailable('too many open change streams: close one, or try again later', 5)
    this.#counts.set(name, n + 1)
    this.#total++
    return () => {
      const left = (this.#counts.get(name) ?? 1) - 1
      if (left > 0) this.#counts.set(name, left)
      else this.#counts.delete(name)
      this.#total--
      if (this.#total === 0) this.#feed.stop()
    }
  }

  #shareOf(holder: Holder): [name: string, most: number] {
    if (holder.kind === 'link') return [holder.linkId, maxOfLink]
    if (holder.kind === 'caller') return [holder.identity.userId, maxOfUser]
    return ['public', Math.floor(this.needs.maxStreams() / 2)]
  }

  async #changed(changes: readonly Change[]): Promise<void> {
    await this.#check()
    const turns = new Turns()
    for (const change of changes) {
      await turns.next()
      for (const listener of [...this.#listeners.keys()]) listener.offer(change)
    }
  }

  #tick(): void {
    this.#ticks++
    if (this.#ticks % ticksBetweenBeats === 0) {
      // Sessions and links end by themselves.
      this.#checked = undefined
      for (const listener of [...this.#listeners.keys()]) listener.beat()
    }
    if (this.#isDoubtful()) void this.#tryCheck()
  }

  #suspect(): void {
    this.#checked = undefined
    void this.#tryCheck()
  }

  async #tryCheck(): Promise<void> {
    // Nothing is sent before this has succeeded.
    await this.#check().catch(error =>
      this.needs.log.warn(
        { err: error },
        'the permissions of the clients of change streams could not be read',
      ),
    )
  }

  async #check(): Promise<void> {
    // One that runs may have read what has changed since.
    if (this.#isDoubtful()) await this.#checking
    if (!this.#isDoubtful()) return
    this.#checking ??= this.#endOthers().finally(() => {
      this.#checking = undefined
    })
    await this.#checking
  }

  #isDoubtful(): boolean {
    return this.#checked !== this.db.externalChanges()
  }

  async #endOthers(): Promise<void> {
    this.#checked = this.db.externalChanges()
    try {
      for (const listener of await this.#withoutRights([...this.#listeners])) listener.end()
    } catch (error) {
      this.#checked = undefined
      throw error
    }
  }

  async #withoutRights(all: readonly [Listener, Holder][]): Promise<Listener[]> {
    const identities = all.flatMap(([, holder]) => (holder.kind === 'caller' ? [holder.identity] : []))
    const links = all.flatMap(([, holder]) => (holder.kind === 'link' ? [holder.linkId] : []))
    const callers = identities.length > 0 ? await this.needs.liveCallers(identities) : new Map()
    const alive = links.length > 0 ? await this.needs.previewLinks.alive([...new Set(links)]) : new Map()
    const ended: Listener[] = []
    for (const [listener, holder] of all) {
      const may =
        holder.kind === 'caller'
          ? await this.#mayStill(callers.get(holder.identity), holder.audience)
          : holder.kind === 'public' || alive.has(holder.linkId)
      if (!may) ended.push(listener)
    }
    return ended
  }

  async #mayStill(caller: Caller | undefined, audience: Audience): Promise<boolean> {
    const { rights } = this.needs
    if (!caller || !(await rights.can(caller, 'content:read'))) return false
    return (await audienceOf(rights, caller)) === audience
  }
}

function scopeOf(holder: Holder): Scope {
  if (holder.kind === 'link') return { kind: 'page', root: holder.root }
  return { kind: 'audience', audience: holder.kind === 'caller' ? holder.audience : 'public' }
}

/** Returns a stream that ends at once: browsers reconnect after an end, and never after a refusal. */
function endedStream(): ReadableStream<Uint8Array> {
  const listener = new Listener({ kind: 'page', root: '' }, () => undefined)
  listener.end()
  return listener.body
}

export const changeStreams = (db: Database, needs: Needs): ChangeStreams => new Streams(db, needs)
