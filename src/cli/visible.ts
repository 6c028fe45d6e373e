/** C0 except tab and line feed, DEL and C1; characters that turn text around, are invisible, or break a line. */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is made visible here
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

/**
 * Escapes every character that could steer a terminal, or look like another one. In JSON the escape means the character
 * itself, so programs read the original text.
 */
export const visible = (text: string): string => text.replaceAll(unseen, escaped)
