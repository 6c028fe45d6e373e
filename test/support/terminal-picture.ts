import type { TerminalModel } from './terminal-model.js'

const [cellWidth, cellHeight, margin] = [8.4, 18, 12]

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(' ', '\u00a0')

const classes: Readonly<Record<string, string>> = {
  1: 'b',
  2: 'd',
  4: 'u',
  31: 'red',
  32: 'green',
  35: 'magenta',
}

/** Returns the class of a style; marked cells swap their colours with the background. */
const classOf = (style: string) => {
  const codes = style.split(';')
  const names = codes.flatMap(code => classes[code] ?? [])
  return codes.includes('7') ? [...names, 'i'].join(' ') : names.join(' ')
}

const round = (value: number) => String(Math.round(value * 10) / 10)

/** Returns the screen of a terminal as a picture that follows the reader's light or dark theme. */
export function pictureOf({ cells, styles, columns, rows }: TerminalModel): string {
  const [width, height] = [columns * cellWidth + 2 * margin, rows * cellHeight + 2 * margin]
  const parts: string[] = []
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; ) {
      const from = x
      const style = styles[y * columns + x] ?? '0'
      let text = ''
      let isPlain = true
      // Only characters that are surely as wide as their cells are joined into one text.
      while (x < columns && styles[y * columns + x] === style && isPlain) {
        const cell = cells[y * columns + x] ?? ' '
        isPlain = /^[ -~]$/.test(cell)
        if (!isPlain && text !== '') break
        text += cell
        x += cells[y * columns + x + 1] === '' && x + 1 < columns ? 2 : 1
      }
      const name = classOf(style)
      const [left, top] = [margin + from * cellWidth, margin + y * cellHeight]
      if (name.endsWith('i'))
        parts.push(
          `<rect class="g" x="${round(left)}" y="${round(top)}" width="${round((x - from) * cellWidth + 0.3)}" height="${cellHeight}"/>`,
        )
      if (text.trim() !== '')
        parts.push(
          `<text${name ? ` class="${name}"` : ''} x="${round(left)}" y="${round(top + 13.5)}" textLength="${round((x - from) * cellWidth)}">${escaped(text)}</text>`,
        )
    }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" role="img">
<style>
svg{--ground:#16181d;--ink:#d6d9de;--red:#ff7b72;--green:#6ecb78;--magenta:#d79bf0}
@media (prefers-color-scheme: light){svg{--ground:#fff;--ink:#1f2328;--red:#b3261e;--green:#1a7f37;--magenta:#8a3fb0}}
.p{fill:var(--ground)}text{font:14px/18px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:var(--ink);white-space:pre}
.g{fill:var(--ink)}.b{font-weight:700}.d{opacity:.6}.u{text-decoration:underline}.red{fill:var(--red)}.green{fill:var(--green)}.magenta{fill:var(--magenta)}.i{fill:var(--ground);opacity:1}
</style>
<rect class="p" width="100%" height="100%" rx="8"/>
${parts.join('\n')}
</svg>
`
}
