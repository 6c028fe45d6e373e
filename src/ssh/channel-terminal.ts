import type { Socket } from 'node:net'
import type { ServerChannel } from 'ssh2'
import { Outlet } from './outlet.js'
import type { Terminal, Wishes } from './terminal.js'

/** The window size that a client reports. It may report nothing, or any number. */
export interface Window {
  readonly cols: number
  readonly rows: number
}

const [mostColumns, mostRows] = [500, 200]
const [usualColumns, usualRows] = [80, 24]
/** The name of a terminal: a few characters that cannot steer anything. */
const termName = /^[\w.+-]{1,64}$/

/** Leaves the alternate screen, ends the modes of mouse and paste, and shows the cursor in its own colours. */
const restore = '\x1b[?1049l\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[?2004l\x1b[?25h\x1b[0m'

/** Whether a terminal can only show one line after the other, as screen readers like it. */
export const isLinear = (term: string): boolean => /^dumb$/i.test(term)

const within = (given: number, usual: number, most: number): number =>
  Number.isInteger(given) && given > 0 ? Math.min(given, most) : usual

/** The terminal of a session, until the client closes it. */
export interface ChannelTerminal extends Terminal {
  resize(window: Window): void
}

/** Terminals without colours: monochrome ones end with `-m` or `-mono` in terminfo. */
export const isColourless = (term: string): boolean => /^(dumb|unknown|vt\d.*|.*-m(ono)?|)$/i.test(term)

/** Whether a terminal shows hyperlinks, or ignores them. The console of Linux would print their addresses. */
export const hasLinks = (term: string): boolean => !isColourless(term) && !/^(linux|ansi)/i.test(term)

/** The terminal of a client that runs one command: its width, and whether it has colours and hyperlinks. */
export const commandTerminal = (pty: Window & { term?: string }, { noColour }: Wishes) => ({
  columns: within(pty.cols, usualColumns, mostColumns),
  hasColour: !noColour && !isColourless(pty.term ?? ''),
  hasLinks: !noColour && hasLinks(pty.term ?? ''),
})

interface Surroundings {
  readonly socket: Socket
  readonly gone: AbortSignal
  readonly guarded: (work: () => unknown) => void
  readonly seen: () => void
}

export function channelTerminal(
  channel: ServerChannel,
  pty: Window & { term?: string; wishes: Wishes },
  { socket, gone, guarded, seen }: Surroundings,
): ChannelTerminal {
  const outlet = new Outlet(channel, socket, gone)
  let [columns, rows] = [within(pty.cols, usualColumns, mostColumns), within(pty.rows, usualRows, mostRows)]
  const resized: (() => void)[] = []
  let ended = false
  const term = termName.test(pty.term ?? '') ? (pty.term ?? '') : 'unknown'
  return {
    get columns() {
      return columns
    },
    get rows() {
      return rows
    },
    term,
    wishes: pty.wishes,
    write: text => !ended && outlet.write(text),
    onDrain: listener => outlet.onDrain(() => guarded(listener)),
    onData: listener =>
      channel.on('data', (bytes: Buffer) => {
        seen()
        guarded(() => listener(bytes))
      }),
    onResize: listener => resized.push(listener),
    resize(window) {
      columns = within(window.cols, columns, mostColumns)
      rows = within(window.rows, rows, mostRows)
      for (const listener of resized) guarded(listener)
    },
    close(sentence) {
      if (ended || !channel.writable) return
      ended = true
      channel.write(`${isLinear(term) ? '' : restore}${sentence === undefined ? '' : `\r\n${sentence}\r\n`}`)
      channel.exit(sentence === undefined ? 0 : 1)
      channel.end()
    },
    onClose: listener => gone.addEventListener('abort', () => guarded(listener), { once: true }),
  }
}
