import { StringDecoder } from 'node:string_decoder'
import { limits } from '../../limits.js'
import { graphemes } from './clusters.js'

/** A key that was pressed, or a text that was pasted. */
export type Key =
  /** @property key its name, such as `up`, `ctrl+s`, `alt+x`, or the character itself */
  | { readonly type: 'key'; readonly key: string; readonly text: string }
  | { readonly type: 'paste'; readonly text: string }
  /** The cursor's position, requested once to learn how the client counts widths. */
  | { readonly type: 'position'; readonly column: number }
  /** A mouse event, in cells from the top left: a press of the first button, or a turn of the wheel. */
  | { readonly type: 'mouse'; readonly does: 'press' | 'up' | 'down'; readonly x: number; readonly y: number }
  /**
   * A press of the button on something that a view has drawn.
   * @property on the view
   * @property spot the view's name for it
   */
  | { readonly type: 'click'; readonly on: object; readonly spot: string }

const finals: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  Z: 'backtab',
}
const numbers: Readonly<Record<string, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
}
const controls: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x00': 'ctrl+space',
}
const modifiers = ['', 'shift+', 'alt+', 'alt+shift+', 'ctrl+', 'ctrl+shift+', 'ctrl+alt+', 'ctrl+alt+shift+']
const [pasteStart, pasteEnd] = ['\x1b[200~', '\x1b[201~']
const maxPaste = limits.ssh.pasteBytes
/** A mouse report of terminals that know no other format: it is dropped, with the three characters after it. */
const [oldMouse, oldMouseLength] = ['\x1b[M', 3]
const maxSequence = 32
const escapeWaitMs = 40

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys come as these
const sequence = /^\x1b(?:\[([0-9;?<>=]*)([ -/]*)([@-~])|O([0-9]*)([@-~])|([^[O]))/s
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys come as these
const unfinished = /^\x1b(?:\[[0-9;?<>= -/]*|O[0-9]*)?$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys come as these
const run = /^[^\x00-\x1f\x7f]+/

const pressed = (key: string, text = ''): Key => ({ type: 'key', key, text })

const mouseButtons: Readonly<Record<string, 'press' | 'up' | 'down'>> = { 0: 'press', 64: 'up', 65: 'down' }

/** Reads a mouse report (SGR); other buttons, moves and clicks with modifiers are ignored. */
function ofMouse(button: string, column: number, row: number): Key | undefined {
  const does = mouseButtons[button]
  if (does === undefined || !(column >= 1 && row >= 1)) return undefined
  return { type: 'mouse', does, x: column - 1, y: row - 1 }
}

function ofSequence(parameters: string, final: string): Key | undefined {
  const [first = '', second = '', third = ''] = parameters.split(';')
  if (first.startsWith('<'))
    return final === 'M' ? ofMouse(first.slice(1), Number(second), Number(third)) : undefined
  if (final === 'R' && second !== '') return { type: 'position', column: Number(second) }
  const name = final === '~' ? numbers[first] : finals[final]
  if (name === undefined) return undefined
  return pressed((modifiers[Number(second) - 1] ?? '') + name)
}

/** The key that a second click stands for. */
export const enterKey: Key = pressed('enter')
export const downKey: Key = pressed('down')

/** Turns the bytes of a client into keys. One packet may have several keys, and one key several packets. */
export class Keys {
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''
  #paste: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(private readonly on: (key: Key) => void) {}

  feed(bytes: Buffer): void {
    clearTimeout(this.#timer)
    this.#rest += this.#decoder.write(bytes)
    while (this.#rest !== '' && this.#next());
    // An escape is the key itself, or the beginning of a sequence in the next packet.
    if (this.#rest !== '' && this.#paste === undefined)
      this.#timer = setTimeout(() => this.#flush(), escapeWaitMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #flush(): void {
    const rest = this.#rest
    this.#rest = ''
    this.on(pressed('escape'))
    for (const character of rest.slice(1)) this.on(pressed(character, character))
  }

  /** @returns false if more bytes are needed first */
  #next(): boolean {
    if (this.#paste !== undefined) return this.#pasted()
    if (this.#rest.startsWith(pasteStart)) {
      this.#rest = this.#rest.slice(pasteStart.length)
      this.#paste = ''
      return true
    }
    if (this.#rest.startsWith('\x1b')) return this.#escaped()
    const [text] = run.exec(this.#rest) ?? ['']
    if (text === '') return this.#control()
    this.#rest = this.#rest.slice(text.length)
    for (const one of graphemes(text)) this.on(pressed(one, one))
    return true
  }

  #control(): boolean {
    const character = this.#rest.charAt(0)
    this.#rest = this.#rest.slice(1)
    const name = controls[character] ?? `ctrl+${String.fromCharCode(character.charCodeAt(0) + 96)}`
    this.on(pressed(name))
    return true
  }

  #escaped(): boolean {
    if (unfinished.test(this.#rest) && this.#rest.length < maxSequence) return false
    const found = sequence.exec(this.#rest)
    if (!found) {
      // No key sends this: it is dropped, so that its parts do not count as keys.
      this.#rest = this.#rest.slice(Math.min(this.#rest.length, maxSequence))
      return true
    }
    const [all, parameters = '', , final, , letter, meta] = found
    if (meta !== undefined) return this.#meta(meta)
    if (all === oldMouse && this.#rest.length < oldMouse.length + oldMouseLength) return false
    this.#rest = this.#rest.slice(all === oldMouse ? all.length + oldMouseLength : all.length)
    const key = ofSequence(parameters, final ?? letter ?? '')
    if (key) this.on(key)
    return true
  }

  #meta(character: string): boolean {
    if (character === '\x1b') {
      this.#rest = this.#rest.slice(1)
      this.on(pressed('escape'))
      return true
    }
    this.#rest = this.#rest.slice(1 + character.length)
    this.on(pressed(`alt+${controls[character] ?? character}`))
    return true
  }

  #pasted(): boolean {
    const end = this.#rest.indexOf(pasteEnd)
    if (end < 0) {
      // The end marker may be split between packets.
      const keep = Math.max(0, this.#rest.length - pasteEnd.length + 1)
      this.#paste += this.#rest.slice(0, keep)
      this.#rest = this.#rest.slice(keep)
      if ((this.#paste?.length ?? 0) <= maxPaste) return false
      this.#paste = ''
      return false
    }
    const text = (this.#paste ?? '') + this.#rest.slice(0, end)
    this.#paste = undefined
    this.#rest = this.#rest.slice(end + pasteEnd.length)
    this.on({ type: 'paste', text: text.replaceAll(/\r\n?/g, '\n') })
    return true
  }
}
