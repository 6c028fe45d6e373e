import type { Actor } from '../actor.js'
import { HttpError } from '../errors.js'
import { t } from '../texts/terminal.js'
import { hasLinks, isColourless, isLinear } from './channel-terminal.js'
import { copySequence } from './screen/clipboard.js'
import { Grid } from './screen/grid.js'
import { type Key, Keys } from './screen/keys.js'
import { Stack } from './screen/stack.js'
import type { Theme } from './screen/style.js'
import type { AnyView, Shell } from './screen/view.js'
import { goToView, homeView } from './screens/index.js'
import { liveScreen } from './screens/live.js'
import { onlyOne } from './screens/palette.js'
import { themeView } from './screens/theme.js'
import { type Session, sessionOf } from './session.js'
import type { Site, Terminal } from './terminal.js'

const frameMs = 1000 / 30
const enter = '\x1b[?1049h\x1b[?2004h\x1b[2J'
/** Turns on reports of buttons and wheel, in decimal coordinates, which have no limit. */
const [mouseOn, mouseOff] = ['\x1b[?1000h\x1b[?1006h', '\x1b[?1006l\x1b[?1000l']
const wheelSteps = 3
/** Writes a character of two bytes and asks for the cursor: it is in the third column if the terminal lacks UTF-8. */
const probe = '\x1b[H\u00e9\x1b[6n'
const plainTerminals = /^(dumb|unknown|ansi|vt\d.*|)$/i

/** Terminals that show 24-bit colours, by their names, where the client does not say so. */
const trueColoured =
  /^(xterm-kitty|xterm-ghostty|ghostty|alacritty|foot|wezterm|contour|rio|iterm2?|.*-direct)(-extra)?$/i
/** The widest row that is read aloud: no screen has two columns of panes then. */
const widestLine = 70

/** The screen that a session begins with: the first one, what happens now, or what is found by words. */
export type First = 'home' | 'live' | { readonly words: string }

/** Opens the screens for one signed-in user at one terminal, until they leave or the connection ends. */
export async function openTerminal(
  site: Site,
  actor: Actor,
  terminal: Terminal,
  first: First = 'home',
): Promise<void> {
  const session = await sessionOf(site, actor, terminal.wishes.zone)
  const start = first === 'live' ? liveScreen(session) : homeView(session)
  const sought = typeof first === 'object' ? await soughtIn(session, first.words) : undefined
  const theme = actor.userId === null ? 'own' : await site.services.terminalTheme.own(actor)
  new Interactive(session, terminal, { name: await nameOf(site, actor), start, sought, theme })
}

/** Words that somebody looks for, and the view of the only record that has them. */
interface Sought {
  readonly words: string
  readonly only: AnyView | undefined
}

async function soughtIn(session: Session, words: string): Promise<Sought> {
  try {
    return { words, only: await onlyOne(session, words) }
  } catch (error) {
    // The palette shows what is wrong with the words.
    if (error instanceof HttpError) return { words, only: undefined }
    throw error
  }
}

async function nameOf({ services: { auth }, config }: Site, actor: Actor): Promise<string> {
  if (actor.userId === null) return `${t('Guest')} · ${config().ssh_guest}`
  const { name, username, role_label } = await auth.profile(actor)
  return `${name || username} · ${role_label}`
}

class Interactive {
  readonly #grid: Grid
  readonly #stack: Stack
  readonly #keys: Keys
  readonly #isLinear: boolean
  /** The theme with colours that `^T` returns to. */
  #theme: Theme
  #timer: NodeJS.Timeout | undefined
  #lastFrame = 0
  /** The client has not read the last frame: the next one is drawn afterwards. */
  #isSlow = false
  #isDue = false
  #hasMouse = false
  #ended = false

  constructor(
    private readonly session: Session,
    private readonly terminal: Terminal,
    {
      name,
      start,
      sought,
      theme,
    }: { name: string; start: AnyView; sought: Sought | undefined; theme: Theme },
  ) {
    const { term, wishes } = terminal
    this.#isLinear = isLinear(term)
    this.#grid = new Grid(this.#columns, terminal.rows)
    this.#grid.isLinear = this.#isLinear
    this.#grid.isAscii = plainTerminals.test(term)
    this.#grid.hasLinks = hasLinks(term)
    this.#grid.theme = wishes.noColour || isColourless(term) ? 'none' : theme
    this.#theme = theme === 'none' ? 'own' : theme
    this.#grid.hasTrueColour = wishes.trueColour || trueColoured.test(term)
    this.#stack = new Stack({
      name,
      need: access => session.need(access),
      goTo: shell => shell.open(this.#palette('')),
      undo: shell => this.#undo(shell),
      copy: text => this.#copy(text),
      look: shell => shell.open(themeView(session, this.#grid.theme, (theme: Theme) => this.#show(theme))),
      changed: () => this.#soon(),
      fault: error => this.#fault(error),
      broken: error => this.#break(error),
      end: () => this.#end(''),
    })
    this.#keys = new Keys(key => this.#guarded(() => this.#key(key)))
    terminal.onData(bytes => this.#guarded(() => this.#keys.feed(bytes)))
    terminal.onResize(() => {
      this.#grid.resize(this.#columns, terminal.rows)
      this.#soon()
    })
    terminal.onDrain(() => {
      this.#isSlow = false
      if (this.#isDue) this.#soon()
    })
    terminal.onClose(() => this.#end(undefined))
    const isPlain = this.#grid.isAscii
    if (!isPlain) this.#hasMouse = true
    if (!this.#isLinear) terminal.write(isPlain ? enter : enter + mouseOn + probe)
    this.#stack.open(start)
    if (sought) this.#stack.open(sought.only ?? this.#palette(sought.words))
  }

  #palette(typed: string): AnyView {
    return goToView(this.session, view => this.#stack.goTo(view), typed)
  }

  get #columns(): number {
    const { columns } = this.terminal
    return this.#isLinear ? Math.min(columns, widestLine) : columns
  }

  /** Undoes the last change of the session, once. */
  #undo(shell: Shell<unknown>): void {
    const { undo } = this.session
    const { last } = undo
    if (!last) {
      shell.say(t('There is nothing to undo in this session.'))
      return
    }
    shell.work(last.access, async () => {
      undo.last = undefined
      const sentence = await last.run()
      this.#stack.refresh()
      shell.say(sentence)
    })
  }

  #copy(text: string): string | undefined {
    if (this.#isLinear || plainTerminals.test(this.terminal.term)) return t('This terminal cannot copy.')
    const sequence = copySequence(text)
    if (sequence === undefined) return t('This is too long to copy.')
    this.terminal.write(sequence)
    return undefined
  }

  #guarded(work: () => void): void {
    if (this.#ended) return
    try {
      work()
    } catch (error) {
      this.#break(error)
    }
  }

  #break(error: unknown): void {
    this.#fault(error)
    this.#end(t('The service could not continue this session.'))
  }

  #fault(error: unknown): void {
    const { site, actor } = this.session
    site.log.error(
      { err: error, request_id: actor.requestId, user_id: actor.userId },
      'a screen of the terminal failed',
    )
  }

  #key(key: Key): void {
    if (key.type === 'position') this.#learn(key.column)
    else if (key.type === 'key' && key.key === 'ctrl+l') this.#redraw()
    else if (key.type === 'key' && key.key === 'ctrl+o') this.#turnMouse()
    else if (key.type === 'key' && key.key === 'ctrl+t') this.#turnColour()
    else if (key.type === 'mouse') this.#point(key)
    else this.#stack.key(key)
  }

  #turnColour(): void {
    const isOff = this.#grid.theme === 'none'
    this.#stack.say(isOff ? t('Colours are on.') : t('Colours are off.'))
    this.#show(isOff ? this.#theme : 'none')
  }

  #show(theme: Theme): void {
    this.#grid.theme = theme
    if (theme !== 'none') this.#theme = theme
    this.#redraw()
  }

  /** Turns mouse reports on or off. While they are off the terminal itself selects and copies text. */
  #turnMouse(): void {
    if (this.#isLinear) return
    this.#hasMouse = !this.#hasMouse
    this.terminal.write(this.#hasMouse ? mouseOn : mouseOff)
    this.#stack.say(this.#hasMouse ? t('The mouse is on.') : t('The mouse is off: it selects text.'))
  }

  #point({ does, x, y }: Key & { type: 'mouse' }): void {
    if (!this.#hasMouse) return
    const spot = this.#grid.spotAt(x, y)
    if (does !== 'press')
      for (let step = 0; step < wheelSteps; step++) this.#stack.key({ type: 'key', key: does, text: '' })
    else if (spot) this.#stack.key({ type: 'click', on: spot.on, spot: spot.name })
  }

  #learn(column: number): void {
    if (column >= 3) this.#grid.isAscii = true
    this.#redraw()
  }

  #redraw(): void {
    this.#grid.forget()
    this.#soon()
  }

  #soon(): void {
    if (this.#ended) return
    this.#isDue = true
    if (this.#isSlow || this.#timer) return
    const wait = Math.max(0, this.#lastFrame + frameMs - performance.now())
    this.#timer = setTimeout(() => this.#guarded(() => this.#frame()), wait)
  }

  #frame(): void {
    this.#timer = undefined
    this.#isDue = false
    this.#lastFrame = performance.now()
    this.#stack.draw(this.#grid.clear())
    const text = this.#isLinear ? this.#grid.lines() : this.#grid.diff()
    if (text !== '') this.#isSlow = !this.terminal.write(text)
  }

  /** @param sentence the last message to the user; undefined if the user is gone */
  #end(sentence: string | undefined): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#timer)
    this.#keys.stop()
    this.#stack.end()
    if (sentence === undefined) return
    this.terminal.close(sentence === '' ? undefined : sentence)
  }
}
