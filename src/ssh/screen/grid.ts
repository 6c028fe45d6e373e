import { blank, CellTexts, cellOf, codeOf, never, styleOf } from './cells.js'
import { clusters } from './clusters.js'
import { linkSequence, targetOf } from './link.js'
import {
  dim,
  hasBackground,
  inverse,
  plain,
  type Rgb,
  sequenceOf,
  sequenceOfHalves,
  type Theme,
  underline,
} from './style.js'

const lines = { unicode: '┌┐┘└─│', ascii: '++++-|' }
const asciiSigns: Readonly<Record<string, string>> = {
  '●': '*',
  '○': 'o',
  '◐': '~',
  '◷': '@',
  '⊘': '-',
  '✗': 'x',
  '✓': 'x',
  '▸': '>',
  '▾': 'v',
  '›': '>',
  '…': '.',
  '·': '-',
  '–': '-',
  '“': '"',
  '”': '"',
  '↑': '^',
  '↓': 'v',
  '☐': '.',
  '☑': 'x',
  '└': '`',
  '│': '|',
  '─': '-',
  '≤': '<',
  '▁': '.',
  '▂': '.',
  '▃': ':',
  '▄': ':',
  '▅': '|',
  '▆': '|',
  '▇': '#',
  '█': '#',
}
/** From this many blanks on, erasing to the end of the row takes fewer bytes; so does erasing some and moving on. */
const [leastToEnd, leastErased] = [4, 12]
const ascii = /^[\x20-\x7e]$/
const upperHalf = '▀'
const ellipsis = 0x2026
const asciiText = /^[\x20-\x7e]*$/

/** The part of a grid that a view draws in. */
export interface Area {
  readonly width: number
  readonly height: number
  /**
   * Draws text; there is no other way to draw. Text outside of the area is cut, and a text longer than `width` ends
   * with `…`.
   * @returns the number of cells
   */
  put(x: number, y: number, text: string, style?: number, width?: number): number
  /** Makes drawn cells a hyperlink, where the terminal shows links. Drawing a cell again removes its link. */
  link(x: number, y: number, width: number, address: string): void
  fill(x: number, y: number, width: number, height: number, style?: number): void
  box(x: number, y: number, width: number, height: number, title?: string): void
  /** Names the part of the view that a click here is about. */
  spot(x: number, y: number, width: number, height: number, name: string): void
  /** Returns this area for a view, which then gets the clicks in it. */
  by(view: object): Area
  cursor(x: number, y: number): void
  /** Whether the terminal shows pictures. */
  readonly hasPictures: boolean
  /** Draws a cell of a picture, which is two points above each other. */
  paint(x: number, y: number, above: Rgb, below: Rgb): void
  part(x: number, y: number, width: number, height: number): Area
}

interface Spot {
  readonly place: Rectangle
  readonly on: object
  readonly name: string
}

interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

interface Pen {
  out: string
  /** Negative before the first one, and behind a picture. */
  style: number
  paint: string
  link: string | undefined
}

const isBlankStyle = (style: number): boolean => style >= 0 && (style & (inverse | underline)) === 0

/** The cells of a screen, as they are drawn and as the client shows them. */
export class Grid {
  #cells = new Int32Array()
  #shown = new Int32Array()
  #cellBytes = Buffer.alloc(0)
  #shownBytes = Buffer.alloc(0)
  readonly #texts = new CellTexts()
  #cursor: readonly [number, number] | undefined
  #shownCursor = ''
  #spots: Spot[] = []
  /** The sequences of cells of pictures, which have no style. */
  #paints = new Map<number, string>()
  #shownPaints = new Map<number, string>()
  /** The targets of cells that are hyperlinks. */
  #links = new Map<number, string>()
  #shownLinks = new Map<number, string>()
  isAscii = false
  theme: Theme = 'own'
  /** Whether the terminal has 24-bit colours. */
  hasTrueColour = false
  /** Whether the terminal shows lines one after the other, and can draw nowhere else. */
  isLinear = false
  /** Whether the terminal shows hyperlinks, or ignores them. */
  hasLinks = false

  constructor(
    public columns: number,
    public rows: number,
  ) {
    this.resize(columns, rows)
  }

  resize(columns: number, rows: number): void {
    this.columns = columns
    this.rows = rows
    const size = columns * rows
    this.#cells = new Int32Array(size).fill(blank)
    this.#shown = new Int32Array(size)
    this.#cellBytes = Buffer.from(this.#cells.buffer)
    this.#shownBytes = Buffer.from(this.#shown.buffer)
    this.forget()
  }

  /** Makes the next difference write every cell. */
  forget(): void {
    this.#shown.fill(never)
  }

  clear(): Area {
    this.#cells.fill(blank)
    if (this.#texts.dropIfFull()) this.forget()
    this.#cursor = undefined
    this.#spots = []
    this.#paints.clear()
    this.#links.clear()
    return this.#area({ x: 0, y: 0, width: this.columns, height: this.rows })
  }

  spotAt(x: number, y: number): { on: object; name: string } | undefined {
    return this.#spots.findLast(
      ({ place }) => x >= place.x && x < place.x + place.width && y >= place.y && y < place.y + place.height,
    )
  }

  #area(own: Rectangle, view: object = this): Area {
    const put: Area['put'] = (x, y, text, style = plain, width = own.width - x) =>
      y < 0 || y >= own.height || x < 0
        ? 0
        : this.#put(own.x + x, own.y + y, text, style, Math.min(width, own.width - x))
    const fill: Area['fill'] = (x, y, width, height, style = plain) => {
      for (let row = y; row < y + height; row++) put(x, row, ' '.repeat(Math.max(0, width)), style, width)
    }
    return {
      width: own.width,
      height: own.height,
      hasPictures: this.hasTrueColour && this.theme !== 'none' && !this.isAscii,
      paint: (x, y, above, below) => {
        if (x < 0 || x >= own.width || put(x, y, upperHalf) === 0) return
        this.#paints.set((own.y + y) * this.columns + own.x + x, sequenceOfHalves(above, below))
      },
      put,
      link: (x, y, width, address) => {
        if (y >= 0 && y < own.height)
          this.#link(own.x + Math.max(0, x), own.y + y, own.x + Math.min(own.width, x + width), address)
      },
      fill,
      box: (x, y, width, height, title = '') => this.#box(put, { x, y, width, height }, title),
      cursor: (x, y) => {
        if (x >= 0 && y >= 0 && x < own.width && y < own.height) this.#cursor = [own.x + x, own.y + y]
      },
      spot: (x, y, width, height, name) => {
        this.#spots.push({ place: partOf(own, { x, y, width, height }), on: view, name })
      },
      by: drawing => this.#area(own, drawing),
      part: (x, y, width, height) => this.#area(partOf(own, { x, y, width, height }), view),
    }
  }

  #link(x: number, y: number, end: number, address: string): void {
    const isShown = this.hasLinks && this.theme !== 'none' && !this.isAscii && !this.isLinear
    const target = isShown && y < this.rows ? targetOf(address) : undefined
    if (target === undefined) return
    for (let at = x; at < Math.min(end, this.columns); at++) this.#links.set(y * this.columns + at, target)
  }

  #box(put: Area['put'], { x, y, width, height }: Rectangle, title: string): void {
    if (width < 2 || height < 2) return
    if (this.isLinear) return void put(x + 2, y, title, plain, width - 4)
    const [a, b, c, d, across, down] = [...(this.isAscii ? lines.ascii : lines.unicode)] as [
      string,
      string,
      string,
      string,
      string,
      string,
    ]
    put(x, y, `${a}${across.repeat(width - 2)}${b}`, dim)
    put(x, y + height - 1, `${d}${across.repeat(width - 2)}${c}`, dim)
    for (let row = y + 1; row < y + height - 1; row++) {
      put(x, row, down, dim)
      put(x + width - 1, row, down, dim)
    }
    if (title !== '') put(x + 2, y, ` ${title} `, plain, width - 4)
  }

  #put(x: number, y: number, text: string, style: number, width: number): number {
    const end = Math.min(this.columns, x + width)
    if (y < 0 || y >= this.rows || x >= end) return 0
    return x + text.length <= end && asciiText.test(text)
      ? this.#putPlain(x, y, text, style)
      : this.#putClusters({ x, end }, y, text, style)
  }

  #putPlain(x: number, y: number, text: string, style: number): number {
    for (let i = 0; i < text.length; i++) this.#set(x + i, y, text.charCodeAt(i), style)
    return text.length
  }

  #putClusters({ x, end }: { x: number; end: number }, y: number, text: string, style: number): number {
    let at = x
    let last = x
    for (const cluster of clusters(text)) {
      const sign = this.isAscii ? asAscii(cluster.text) : cluster.text
      const cells = this.isAscii ? 1 : cluster.width
      if (at + cells > end) {
        // The last cell is needed for the `…`.
        if (at > x) this.#end(at === end ? last : at, end, y, style)
        return end - x
      }
      last = at
      this.#set(at, y, this.#texts.codeOf(sign), style)
      if (cells === 2) this.#set(at + 1, y, 0, style)
      at += cells
    }
    return at - x
  }

  #end(at: number, end: number, y: number, style: number): void {
    this.#set(at, y, this.isAscii ? 0x2e : ellipsis, style)
    for (let rest = at + 1; rest < end; rest++) this.#set(rest, y, blank, style)
  }

  /** Sets a cell. The rest of a wide character that is half overwritten becomes empty. */
  #set(x: number, y: number, code: number, style: number): void {
    const at = y * this.columns + x
    if (this.#paints.size > 0) this.#paints.delete(at)
    if (this.#links.size > 0) this.#links.delete(at)
    if (code !== 0 && x > 0 && this.#isSecondHalf(at)) this.#empty(at - 1)
    if (x + 1 < this.columns && this.#isSecondHalf(at + 1)) this.#empty(at + 1)
    this.#cells[at] = cellOf(code, style)
  }

  #isSecondHalf(at: number): boolean {
    return codeOf(this.#cells[at] ?? blank) === 0
  }

  #empty(at: number): void {
    this.#cells[at] = cellOf(blank, styleOf(this.#cells[at] ?? blank))
  }

  diff(): string {
    const pen: Pen = { out: '', style: -1, paint: '', link: undefined }
    this.#forgetOther(this.#paints, this.#shownPaints)
    this.#forgetOther(this.#links, this.#shownLinks)
    for (let y = 0; y < this.rows; y++) if (!this.#isSameRow(y)) this.#diffRow(y, pen)
    this.#toLink(undefined, pen)
    this.#shown.set(this.#cells)
    this.#shownPaints = new Map(this.#paints)
    this.#shownLinks = new Map(this.#links)
    const cursor = this.#cursor ? `\x1b[${this.#cursor[1] + 1};${this.#cursor[0] + 1}H\x1b[?25h` : '\x1b[?25l'
    const isSame = cursor === this.#shownCursor
    this.#shownCursor = cursor
    if (pen.out !== '') return `\x1b[?2026h\x1b[?25l${pen.out}\x1b[0m${cursor}\x1b[?2026l`
    return isSame ? '' : cursor
  }

  /** Forgets the shown cells whose picture or link is another one now. */
  #forgetOther(now: ReadonlyMap<number, string>, before: ReadonlyMap<number, string>): void {
    for (const [cell, value] of now) if (before.get(cell) !== value) this.#shown[cell] = never
    for (const cell of before.keys()) if (!now.has(cell)) this.#shown[cell] = never
  }

  /** Most rows of a frame are as before. */
  #isSameRow(y: number): boolean {
    const size = this.columns * Int32Array.BYTES_PER_ELEMENT
    const [from, to] = [y * size, (y + 1) * size]
    return this.#cellBytes.compare(this.#shownBytes, from, to, from, to) === 0
  }

  #diffRow(y: number, pen: Pen): void {
    let at = -1
    for (let x = 0; x < this.columns; x++) {
      const cell = y * this.columns + x
      if (this.#isSecondHalf(cell) || !this.#isChanged(cell)) continue
      const text = this.#texts.textOf(this.#cells[cell] ?? blank)
      if (at !== x) pen.out += `\x1b[${y + 1};${x + 1}H`
      const blanks = this.#blanksFrom(cell, (y + 1) * this.columns)
      const isToEnd = x + blanks === this.columns
      if (blanks >= (isToEnd ? leastToEnd : leastErased)) {
        this.#erase(blanks, isToEnd, pen)
        x += blanks - 1
        at = x + 1
        continue
      }
      const isPicture = this.#write(cell, text, pen)
      // Terminals disagree about widths: the cursor is placed again for the next cell. Every terminal with 24-bit
      // colours shows a half block in one cell.
      at = isPicture || (text < '\x7f' && text.length === 1) ? x + 1 : -1
    }
  }

  /** Writes a cell in its style. @returns whether it is part of a picture */
  #write(cell: number, text: string, pen: Pen): boolean {
    this.#toLink(this.#links.get(cell), pen)
    const paint = this.#paints.get(cell)
    if (paint !== undefined) {
      pen.out += pen.style === -1 && paint === pen.paint ? text : paint + text
      pen.style = -1
      pen.paint = paint
      return true
    }
    const style = styleOf(this.#cells[cell] ?? blank)
    if (style !== pen.style) pen.out += sequenceOf(style, this.theme)
    pen.style = style
    pen.out += text
    return false
  }

  #toLink(link: string | undefined, pen: Pen): void {
    if (link === pen.link) return
    pen.out += linkSequence(link)
    pen.link = link
  }

  #erase(count: number, isToEnd: boolean, pen: Pen): void {
    this.#toLink(undefined, pen)
    // Some terminals erase with the style of the pen.
    if (!isBlankStyle(pen.style)) {
      pen.out += sequenceOf(plain, this.theme)
      pen.style = plain
    }
    if (isToEnd) pen.out += '\x1b[K'
    else pen.out += this.isAscii ? ' '.repeat(count) : `\x1b[${count}X\x1b[${count}C`
  }

  /** Returns how many cells from here on are blank, and look so whatever their colour. */
  #blanksFrom(cell: number, end: number): number {
    // Not every terminal erases with the background of the pen.
    if (hasBackground(this.theme)) return 0
    let to = cell
    let changed = cell
    const isBlank = (at: number) => {
      const own = this.#cells[at] ?? never
      return codeOf(own) === blank && isBlankStyle(styleOf(own)) && !this.#links.has(at)
    }
    while (to < end && isBlank(to)) {
      if (this.#isChanged(to)) changed = to + 1
      to++
    }
    // A blank that is shown as one stays, unless the whole end of the row is blank.
    return to === end && changed > cell ? to - cell : changed - cell
  }

  #isChanged(cell: number): boolean {
    if (this.#cells[cell] !== this.#shown[cell]) return true
    // A wide character is written again if its other half was something else.
    return this.#isSecondHalf(cell + 1) && codeOf(this.#shown[cell + 1] ?? never) !== 0
  }

  /**
   * Returns the rows that have changed as lines of text without any sequence, the marked one first. A row that is no
   * longer marked says nothing.
   */
  lines(): string {
    const marked: string[] = []
    const others: string[] = []
    for (let y = 0; y < this.rows; y++) {
      const cells = Array.from({ length: this.columns }, (_, x) => y * this.columns + x)
      const now = (cell: number) => this.#cells[cell] ?? blank
      const before = (cell: number) => this.#shown[cell] ?? never
      const isInverse = (cell: number) => cell !== never && (styleOf(cell) & inverse) > 0
      const isRead = cells.some(cell => codeOf(now(cell)) !== codeOf(before(cell)))
      const isMarked = y > 0 && cells.some(cell => isInverse(now(cell)))
      const isNew = cells.some(cell => isInverse(now(cell)) && !isInverse(before(cell)))
      const texts = cells.map(cell => this.#texts.textOf(now(cell)))
      const text = texts.join('').trim()
      if (text === '' || !(isRead || (isMarked && isNew))) continue
      if (isMarked) marked.push(`> ${text}`)
      else others.push(text)
    }
    this.#shown.set(this.#cells)
    return [...marked, ...others].map(line => `${line}\r\n`).join('')
  }

  text(): string {
    const rows: string[] = []
    for (let y = 0; y < this.rows; y++) {
      const cells = this.#cells.subarray(y * this.columns, (y + 1) * this.columns)
      const texts = Array.from(cells, cell => this.#texts.textOf(cell))
      rows.push(texts.join('').trimEnd())
    }
    return rows.join('\n')
  }

  styleAt(x: number, y: number): number {
    return styleOf(this.#cells[y * this.columns + x] ?? blank)
  }

  /** Returns the target of a cell that is a hyperlink. */
  linkAt(x: number, y: number): string | undefined {
    return this.#links.get(y * this.columns + x)
  }

  get cursor(): readonly [number, number] | undefined {
    return this.#cursor
  }
}

function partOf(whole: Rectangle, { x, y, width, height }: Rectangle): Rectangle {
  const [left, top] = [Math.max(0, x), Math.max(0, y)]
  return {
    x: whole.x + left,
    y: whole.y + top,
    width: Math.max(0, Math.min(width, whole.width - left)),
    height: Math.max(0, Math.min(height, whole.height - top)),
  }
}

const asAscii = (text: string): string => (ascii.test(text) ? text : (asciiSigns[text] ?? '?'))
