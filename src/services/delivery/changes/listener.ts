import type { Audience } from '../audience.js'
import type { Change, ChangedPage } from './change-log.js'

/** The changes that a listener may know: all of an audience, or those of one page alone. */
export type Scope =
  | { readonly kind: 'audience'; readonly audience: Audience }
  | { readonly kind: 'page'; readonly root: string }

/** The part of a change that a listener gets. */
export interface Told {
  readonly at: string
  readonly all: boolean
  readonly pages: readonly ChangedPage[]
}

/** The part of a change that the scope may know; undefined when that is nothing. */
export function toldOf({ at, all, pages }: Change, scope: Scope): Told | undefined {
  const isForPublic = scope.kind === 'audience' && scope.audience === 'public'
  const seen = pages
    .filter(({ content_data_id, isPublic }) =>
      scope.kind === 'page' ? content_data_id === scope.root : isPublic || !isForPublic,
    )
    .map(({ content_data_id, slug, isShown }) => ({
      content_data_id,
      slug: isShown || !isForPublic ? slug : null,
    }))
  return all || seen.length > 0 ? { at, all, pages: seen } : undefined
}

const encoder = new TextEncoder()
/** Most bytes that wait for a reader; with more the reader has stopped reading. */
const maxWaitingBytes = 256 * 1024
const retryMs = 2000

const heartbeat = encoder.encode(':\n\n')

/** One event of the stream. JSON has no line ends of its own. */
const eventOf = (id: number, name: string, data: unknown): Uint8Array =>
  encoder.encode(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`)

/** The events for an audience, each encoded once for all of its listeners. */
const events = new WeakMap<Change, Map<Audience, Uint8Array | undefined>>()

function changeEvent(change: Change, scope: Scope): Uint8Array | undefined {
  const make = () => {
    const told = toldOf(change, scope)
    return told && eventOf(change.id, 'change', told)
  }
  if (scope.kind === 'page') return make()
  const known = events.get(change) ?? new Map<Audience, Uint8Array | undefined>()
  events.set(change, known)
  if (!known.has(scope.audience)) known.set(scope.audience, make())
  return known.get(scope.audience)
}

/** One reader of a stream of server-sent events. */
export class Listener {
  readonly body: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #at = 0
  #held: Change[] | undefined = []

  /** @param ended called once, however it ends */
  constructor(
    readonly scope: Scope,
    private readonly ended: (listener: Listener) => void,
  ) {
    this.body = new ReadableStream<Uint8Array>(
      {
        start: controller => {
          this.#controller = controller
          controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`))
        },
        cancel: () => this.#over(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: maxWaitingBytes }),
    )
  }

  begin(at: number, missed: readonly Change[] | 'too many'): void {
    this.#send(eventOf(at, missed === 'too many' ? 'reset' : 'ready', {}))
    if (missed !== 'too many') for (const change of missed) this.#tell(change)
    this.#at = Math.max(this.#at, at)
    const held = this.#held ?? []
    this.#held = undefined
    for (const change of held) this.offer(change)
  }

  /** Sends the part of the change that the scope may know, once and in order. */
  offer(change: Change): void {
    if (this.#held) this.#held.push(change)
    else if (change.id > this.#at) {
      this.#at = change.id
      this.#tell(change)
    }
  }

  beat(): void {
    this.#send(heartbeat)
  }

  end(): void {
    const controller = this.#controller
    this.#over()
    controller?.close()
  }

  #tell(change: Change): void {
    const event = changeEvent(change, this.scope)
    if (event) this.#send(event)
  }

  #send(bytes: Uint8Array): void {
    if (!this.#controller) return
    this.#controller.enqueue(bytes)
    if ((this.#controller.desiredSize ?? 0) <= 0) this.end()
  }

  #over(): void {
    if (!this.#controller) return
    this.#controller = undefined
    this.ended(this)
  }
}
