/** C0 except tab and line feed, DEL and C1; characters that turn text around, are invisible, or break a line. */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is made visible here
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** The joiner between two emoji, as in a family, which is one picture. */
const joinsEmoji =
  /(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})/gu
/** Stands for such a joiner meanwhile. No text has a lone one of these, because texts are well-formed. */
const place = '\ud800'

const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

/**
 * Escapes every character that could steer a terminal, or look like another one. In JSON the escape means the character
 * itself, so programs read the original text.
 */
export function visible(text: string): string {
  if (!text.includes('\u200d')) return text.replaceAll(unseen, escaped)
  return text.replaceAll(joinsEmoji, place).replaceAll(unseen, escaped).replaceAll(place, '\u200d')
}
