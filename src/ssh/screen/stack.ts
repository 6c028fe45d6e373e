import { HttpError } from '../../errors.js'
import { t } from '../../texts/terminal.js'
import { widthOf } from './clusters.js'
import type { Area } from './grid.js'
import type { Key } from './keys.js'
import { confirmView } from './over.js'
import { pageView } from './page.js'
import { bold, dim, inverse, red } from './style.js'
import type { AnyView, Change, Hint, Shell, Work } from './view.js'
import { wrapped } from './wrap.js'

interface Frame {
  readonly view: AnyView
  state: unknown
}

/** Work for what the user has come to rest on. */
interface Rest {
  readonly timer: NodeJS.Timeout
  readonly moved: AbortController
  hasBegun: boolean
}

/** The functions of a session that its views need. */
export interface Ground {
  readonly name: string
  /** @throws the refusal without the permission */
  need(access: string): Promise<void>
  goTo(shell: Shell<unknown>): void
  undo(shell: Shell<unknown>): void
  /** Copies a text to the user's clipboard. @returns why it cannot */
  copy(text: string): string | undefined
  /** Chooses the colours. */
  look(shell: Shell<unknown>): void
  changed(): void
  fault(error: unknown): void
  broken(error: unknown): void
  end(): void
}

const maxWaiting = 50
/** A held key comes every 30 ms or so. */
const restMs = 80
const maxKeys = 20_000
const maxMessageRows = 4
const unforeseen = t('internal server error')

const everywhere: readonly Hint[] = [
  { key: 'Esc q', does: t('back') },
  { key: 'g : ^K', does: t('search and commands: pages, files, people, screens') },
  { key: 'z', does: t('undo the last change of this session') },
  { key: 'y Y', does: t('copy the address of the selected record, its id') },
  { key: '?', does: t('this help') },
  { key: '^R', does: t('reload the list') },
  { key: '^L', does: t('redraw the screen') },
  { key: '^O', does: t('mouse on or off') },
  { key: '^T', does: t('colours on or off') },
  { key: ',', does: t('choose the colours: dark, light, high contrast') },
  { key: '^C', does: t('end the session') },
]

/** Stacked views; the top one gets the keys. */
export class Stack {
  readonly #frames: Frame[] = []
  #message: { text: string; isBad: boolean } | undefined
  #asked = 0
  #pending = 0
  #waiting = 0
  readonly #keys: Key[] = []
  #isPumping = false
  #work: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #rest: Rest | undefined
  #ended = false

  constructor(private readonly ground: Ground) {}

  open(view: AnyView): void {
    this.#frames.push({ view, state: view.start })
    this.#up()
  }

  say(text: string): void {
    this.#tell(text, false)
  }

  end(): void {
    this.#ended = true
    clearTimeout(this.#timer)
    this.#move()
  }

  /**
   * Handles a key after the requests of earlier keys, so that a user who types ahead on a slow line types into the
   * expected view. Ending the session waits for nothing.
   */
  key(key: Key): void {
    if (this.#ended || this.#keys.length >= maxKeys) return
    if (key.type === 'key' && key.key === 'ctrl+c' && this.#waiting > 0) this.#handle(key)
    else this.#keys.push(key)
    if (!this.#isPumping) this.#pump().catch(error => this.ground.broken(error))
  }

  async #pump(): Promise<void> {
    this.#isPumping = true
    try {
      for (let key = this.#keys.shift(); key && !this.#ended; key = this.#keys.shift()) {
        this.#handle(key)
        while (this.#pending > 0 || this.#waiting > 0)
          await (this.#pending > 0 ? Promise.resolve() : this.#work)
      }
    } finally {
      this.#isPumping = false
    }
  }

  #handle(key: Key): void {
    const frame = this.#frames.at(-1)
    // Another view may cover the clicked part by now.
    if (!frame || (key.type === 'click' && key.on !== frame.view)) return
    this.#message = undefined
    this.#delay()
    const asked = this.#asked
    const next = frame.view.update(frame.state, key, this.#shellOf(frame))
    const isUsed = next !== frame.state || asked !== this.#asked
    frame.state = next
    if (!isUsed && key.type === 'key') this.#everywhere(key.key, frame)
    this.ground.changed()
  }

  #everywhere(key: string, frame: Frame): void {
    if (key === 'q' || (key === 'escape' && this.#frames.length > 1)) this.#leave(frame)
    else if (key === 'ctrl+c' || key === 'ctrl+d') this.#quit()
    else if (key === '?') this.open(helpView(frame.view.hints(frame.state)))
    else if (frame.view.isOver) return
    else if (key === 'g' || key === ':' || key === 'ctrl+k') this.ground.goTo(this.#shellOf(frame))
    else if (key === 'z') this.ground.undo(this.#shellOf(frame))
    else if (key === ',') this.ground.look(this.#shellOf(frame))
  }

  #leave(frame: Frame): void {
    if (!frame.view.unsaved?.(frame.state)) this.#back(frame)
    else
      this.open(
        confirmView(t('Not saved'), t('Your changes here are not saved yet.'), {
          word: t('leave without saving'),
          act: () => this.#back(frame),
        }),
      )
  }

  #quit(): void {
    const isUnsaved = this.#frames.some(({ view, state }) => view.unsaved?.(state))
    if (!isUnsaved) this.ground.end()
    else
      this.open(
        confirmView(t('Not saved'), t('You have changes that are not saved yet.'), {
          word: t('end the session without saving'),
          act: () => this.ground.end(),
        }),
      )
  }

  #back(frame: Frame): void {
    const at = this.#frames.indexOf(frame)
    if (at === 0) this.#quit()
    if (at < 1) return
    this.#frames.splice(at, 1)
    this.#up()
  }

  #up(): void {
    const frame = this.#frames.at(-1)
    clearTimeout(this.#timer)
    if (!frame || this.#ended) return
    frame.view.shown?.(this.#shellOf(frame), frame.state)
    if (frame.view.everyMs) this.#timer = setTimeout(() => this.#again(), frame.view.everyMs).unref()
    this.ground.changed()
  }

  #again(): void {
    try {
      this.#up()
    } catch (error) {
      this.ground.broken(error)
    }
  }

  /** Shows the top view again, after a change that it has not made itself. */
  refresh(): void {
    this.#up()
  }

  /** Opens a view after leaving all views above the first one. */
  goTo(view: AnyView): void {
    const unsaved = this.#frames.findLast(frame => frame.view.unsaved?.(frame.state))
    // A form with unsaved values stays below, so that no typed text is lost.
    if (unsaved) this.#frames.splice(this.#frames.indexOf(unsaved) + 1)
    else this.#frames.splice(1)
    this.open(view)
  }

  #shellOf(frame: Frame): Shell<unknown> {
    const asks =
      <A extends readonly unknown[]>(act: (...given: A) => void) =>
      (...given: A): void => {
        this.#asked++
        this.#pending++
        // The state that `update` returns is stored before anything else reads it.
        queueMicrotask(() => {
          this.#pending--
          if (this.#ended) return
          try {
            act(...given)
          } catch (error) {
            this.ground.broken(error)
          }
        })
      }
    return {
      open: asks(view => this.open(view)),
      back: asks(() => this.#back(frame)),
      replace: asks((view: AnyView) => {
        const at = this.#frames.indexOf(frame)
        if (at >= 0) this.#frames.splice(at, 1)
        this.open(view)
      }),
      say: asks(text => this.#tell(text, false)),
      complain: asks(text => this.#tell(text, true)),
      copy: asks(text => this.#copy(text)),
      set: asks(change => this.#set(frame, change)),
      rest: asks((access, work) => this.#toRest(frame, access, work)),
      work: asks((access, work, refused) => this.#enqueue(frame, access, { work, refused })),
    }
  }

  #tell(text: string, isBad: boolean): void {
    this.#message = { text, isBad }
    this.ground.changed()
  }

  #copy(text: string): void {
    const problem = this.ground.copy(text)
    this.#tell(problem ?? t('Copied, if your terminal allows it.'), problem !== undefined)
  }

  #set(frame: Frame, change: Change<unknown>): void {
    frame.state = change(frame.state)
    this.ground.changed()
  }

  /** Runs work one after the other, in the order of the keys. */
  #enqueue(
    frame: Frame,
    access: string,
    { work, refused }: { work: Work<unknown>; refused: Parameters<Shell<unknown>['work']>[2] },
  ): void {
    if (this.#waiting >= maxWaiting) return
    this.#waiting++
    this.#work = this.#work.then(async () => {
      try {
        if (this.#ended) return
        await this.ground.need(access)
        const change = await work()
        if (change && !this.#ended) this.#set(frame, change)
      } catch (error) {
        if (!this.#ended) this.#refused(frame, error, refused)
      } finally {
        this.#waiting--
        this.ground.changed()
      }
    })
  }

  /** Ends the work of a rest. */
  #move(): void {
    clearTimeout(this.#rest?.timer)
    this.#rest?.moved.abort()
    this.#rest = undefined
  }

  /** Begins the rest again, unless its work has begun. */
  #delay(): void {
    if (this.#rest?.hasBegun === false) this.#rest.timer.refresh()
  }

  #toRest(frame: Frame, access: string, work: Parameters<Shell<unknown>['rest']>[1]): void {
    this.#move()
    const moved = new AbortController()
    const { signal } = moved
    const rest: Rest = {
      moved,
      hasBegun: false,
      timer: setTimeout(() => {
        rest.hasBegun = true
        if (this.#frames.includes(frame)) void rested()
      }, restMs).unref(),
    }
    const rested = async () => {
      try {
        await this.ground.need(access)
        const change = signal.aborted ? undefined : await work(signal)
        if (change && !signal.aborted) this.#set(frame, change)
      } catch (error) {
        if (!signal.aborted) this.#refused(frame, error, undefined)
      }
    }
    this.#rest = rest
  }

  #refused(frame: Frame, error: unknown, refused: Parameters<Shell<unknown>['work']>[2]): void {
    try {
      const change = refused?.(error)
      if (change) this.#set(frame, change)
      else if (error instanceof HttpError) this.#tell(error.message, true)
      else throw error
    } catch (unknown) {
      this.#tell(unforeseen, true)
      this.ground.fault(unknown)
    }
  }

  draw(area: Area): void {
    const base = this.#frames.findLastIndex(({ view }) => !view.isOver)
    const top = this.#frames.at(-1)
    if (!top) return
    const message = this.#message ? wrapped(this.#message.text, area.width - 2, maxMessageRows) : []
    const below = 1 + message.length
    const body = area.part(0, 1, area.width, area.height - 1 - below)
    for (const { view, state } of this.#frames.slice(Math.max(0, base))) view.draw(body.by(view), state)
    this.#drawTitle(area)
    for (const [i, row] of message.entries())
      area.put(1, area.height - below + i, row, this.#message?.isBad ? red | bold : bold)
    drawHints(area, top.view.hints(top.state))
  }

  #drawTitle(area: Area): void {
    area.fill(0, 0, area.width, 1, inverse)
    const busy = this.#waiting > 0 ? '… ' : ''
    const own = `${busy}${this.ground.name} `
    const titles = this.#frames.filter(({ view }) => !view.isOver).map(({ view, state }) => view.title(state))
    const beside = area.width - widthOf(own) - 4
    const isFitting = widthOf(pathIn(titles, beside, 2)) <= beside
    // Without room for both, the name of the user goes first.
    const name = isFitting ? own : busy
    const room = isFitting ? beside : Math.max(0, area.width - widthOf(name) - 2)
    area.put(1, 0, pathIn(titles, room, isFitting ? 2 : 1), inverse | bold, room)
    area.put(Math.max(0, area.width - widthOf(name)), 0, name, inverse)
  }
}

/** Returns the path of titles, without as many of them as have no room: its end says more than its beginning. */
function pathIn(titles: readonly string[], room: number, least: number): string {
  const kept = [...titles]
  while (kept.length > 2 && widthOf(kept.join(' › ')) > room) kept.splice(1, 1)
  while (kept.length > least && widthOf(kept.join(' › ')) > room) kept.shift()
  return kept.join(' › ')
}

function drawHints(area: Area, hints: readonly Hint[]): void {
  const y = area.height - 1
  let x = 1
  for (const { key, does } of [...hints, { key: '?', does: t('help') }]) {
    const isLast = key === '?'
    const length = key.length + does.length + 3
    if (x + length > area.width - (isLast ? 0 : 8)) continue
    x += area.put(x, y, key, bold)
    x += 1 + area.put(x + 1, y, does, dim) + 2
  }
}

const helpView = (hints: readonly Hint[]): AnyView =>
  pageView(t('Keys'), [
    ...hints.map(({ key, does }) => ({ text: `${key.padEnd(12)} ${does}` })),
    { text: '' },
    ...everywhere.map(({ key, does }) => ({ text: `${key.padEnd(12)} ${does}` })),
  ])
