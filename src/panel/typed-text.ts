import { raw } from 'hono/html'
import { Turns } from '../turns.js'

/** How many characters are escaped at once. A shorter text is escaped with the page. */
const pieceLength = 16_384

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

async function escapedInTurns(text: string) {
  const turns = new Turns()
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += pieceLength) {
    pieces.push(escaped(text.slice(at, at + pieceLength)))
    if (turns.isOver) await turns.next()
  }
  return raw(pieces.join(''))
}

/**
 * A typed or stored text, for a page to show in a field. Drawing a page escapes its texts at once, which takes a second
 * for 5 MiB of `<`; a long text is escaped in turns with other requests.
 */
export const typedText = (text: string): string =>
  // Hono renders the result of a promise, in attributes too, but its types allow only texts as attributes.
  text.length < pieceLength ? text : (escapedInTurns(text) as unknown as string)
