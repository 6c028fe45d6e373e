import { raw } from 'hono/html'
import { Turns } from '../turns.js'

/** How much is escaped at once. What is shorter is escaped with the page. */
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
 * A text that was typed or is stored, for a page to show in a field. Drawing a page escapes its texts at once, which takes a
 * second for 5 MiB of `<`; a long text is escaped in turns with other requests.
 */
export const typedText = (text: string): string =>
  // Hono draws what a promise gives, in attributes too, and types attributes as texts alone.
  text.length < pieceLength ? text : (escapedInTurns(text) as unknown as string)
