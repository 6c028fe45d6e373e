import stringWidth from 'string-width'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is sent
const sequence = /^\x1b\[(\?)?([0-9;]*)([A-Za-z])/
// biome-ignore lint/suspicious/noControlCharactersInRegex: a copied text, which changes no cell
const copy = /^\x1b\]52;c;[A-Za-z0-9+/=]*\x07/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning and the end of a hyperlink
const hyperlink = /^\x1b\]8;(?:id=[a-z0-9]+)?;([\x21-\x7e]*)\x1b\\/

/** The screen of a terminal, for the sequences that the product uses: any other sequence is an error. */
export class TerminalModel {
  cells: string[] = []
  styles: string[] = []
  /** The address that each cell is a hyperlink to. */
  links: string[] = []
  #link = ''
  x = 0
  y = 0
  style = '0'
  cursorShown = true
  modes = new Set<string>()
  /** Sends the responses of the terminal. */
  onAnswer: (text: string) => void = () => undefined

  constructor(
    public columns: number,
    public rows: number,
  ) {
    this.resize(columns, rows)
  }

  resize(columns: number, rows: number): void {
    this.columns = columns
    this.rows = rows
    this.cells = new Array<string>(columns * rows).fill(' ')
    this.styles = new Array<string>(columns * rows).fill('0')
    this.links = new Array<string>(columns * rows).fill('')
  }

  feed(text: string): void {
    let rest = text
    while (rest !== '') {
      const found = sequence.exec(rest)
      if (found) {
        this.#control(found[1] === '?', found[2] ?? '', found[3] ?? '')
        rest = rest.slice(found[0].length)
        continue
      }
      const linked = hyperlink.exec(rest)
      if (linked) {
        this.#link = linked[1] ?? ''
        rest = rest.slice(linked[0].length)
        continue
      }
      const copied = copy.exec(rest)
      if (copied) {
        rest = rest.slice(copied[0].length)
        continue
      }
      const next = rest.indexOf('\x1b', 1)
      const plain = next < 0 ? rest : rest.slice(0, next)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
      if (/[\x00-\x1f\x7f-\x9f]/.test(plain)) throw new Error(`a control character: ${JSON.stringify(plain)}`)
      for (const { segment } of segmenter.segment(plain)) this.#write(segment)
      rest = next < 0 ? '' : rest.slice(next)
    }
  }

  /** Takes lines as a terminal shows them that can do nothing else; anything but text and ends of lines is an error. */
  feedLines(text: string): void {
    for (const line of text.split('\r\n').slice(0, -1)) {
      this.cells = [...this.cells.slice(this.columns), ...new Array<string>(this.columns).fill(' ')]
      this.styles.fill('0')
      ;[this.x, this.y] = [0, this.rows - 1]
      this.feed(line)
    }
    if (text.includes('\x1b') || !text.endsWith('\r\n'))
      throw new Error(`more than lines: ${JSON.stringify(text)}`)
  }

  #control(isPrivate: boolean, parameters: string, final: string): void {
    const [first = '', second = ''] = parameters.split(';')
    if (isPrivate && final === 'h') {
      this.modes.add(parameters)
      if (parameters === '25') this.cursorShown = true
    } else if (isPrivate && final === 'l') {
      this.modes.delete(parameters)
      if (parameters === '25') this.cursorShown = false
    } else if (final === 'H') {
      this.y = Number(first || 1) - 1
      this.x = Number(second || 1) - 1
    } else if (final === 'm') this.style = parameters.replace(/^0;/, '') || '0'
    else if (final === 'J' && parameters === '2') this.resize(this.columns, this.rows)
    else if (final === 'K' && parameters === '') this.#erase(this.columns - this.x)
    else if (final === 'X') this.#erase(Number(first || 1))
    else if (final === 'C') this.x += Number(first || 1)
    else if (final === 'n' && parameters === '6') this.onAnswer(`\x1b[${this.y + 1};${this.x + 1}R`)
    else throw new Error(`an unknown sequence: ${parameters}${final}`)
  }

  #write(segment: string): void {
    const width = Math.max(1, stringWidth(segment))
    if (this.x + width > this.columns || this.y >= this.rows) throw new Error('written beyond the screen')
    this.#wipe(this.x, this.y)
    if (width === 2) this.#wipe(this.x + 1, this.y)
    const at = this.y * this.columns + this.x
    this.cells[at] = segment
    this.styles[at] = this.style
    this.links[at] = this.#link
    if (width === 2) {
      this.cells[at + 1] = ''
      this.styles[at + 1] = this.style
      this.links[at + 1] = this.#link
    }
    this.x += width
  }

  #erase(count: number): void {
    if (this.x + count > this.columns || this.y >= this.rows) throw new Error('erased beyond the screen')
    if (this.style.split(';').some(one => one === '4' || one === '7'))
      throw new Error(`erased with a style that shows: ${this.style}`)
    if (this.#link !== '') throw new Error(`erased in a link: ${this.#link}`)
    for (let x = this.x; x < this.x + count; x++) {
      this.#wipe(x, this.y)
      this.styles[this.y * this.columns + x] = '0'
      this.links[this.y * this.columns + x] = ''
    }
  }

  /** Clears the other half of a wide character that is half overwritten. */
  #wipe(x: number, y: number): void {
    const at = y * this.columns + x
    if (this.cells[at] === '' && x > 0) this.cells[at - 1] = ' '
    if (x + 1 < this.columns && this.cells[at + 1] === '') this.cells[at + 1] = ' '
    this.cells[at] = ' '
  }

  /** Returns the texts that are hyperlinks, each with its address. */
  linked(): { text: string; address: string }[] {
    const found: { text: string; address: string }[] = []
    for (const [at, address] of this.links.entries()) {
      const isNew = at % this.columns === 0 || this.links[at - 1] !== address
      if (address !== '' && isNew) found.push({ text: '', address })
      const last = found.at(-1)
      if (address !== '' && last) last.text += this.cells[at]
    }
    return found
  }

  text(): string {
    const rows: string[] = []
    for (let y = 0; y < this.rows; y++)
      rows.push(
        this.cells
          .slice(y * this.columns, (y + 1) * this.columns)
          .join('')
          .trimEnd(),
      )
    return rows.join('\n')
  }
}
