/** Terminals refuse longer texts, or cut them. */
const maxBytes = 4096

/** Control characters, among them line feeds, would run commands where the text is pasted; marks of direction hide some. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * Returns the sequence that copies a text to the clipboard (OSC 52). The text is in base64, so that it cannot end the
 * sequence.
 * @returns undefined for a text that is too long
 */
export function copySequence(text: string): string | undefined {
  const bytes = Buffer.from(text.replaceAll(unsafe, ''))
  return bytes.byteLength > maxBytes ? undefined : `\x1b]52;c;${bytes.toString('base64')}\x07`
}
