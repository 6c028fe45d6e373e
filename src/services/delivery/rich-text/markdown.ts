/**
 * Texts as CommonMark with the extensions of GitHub: what an editor wrote is never read as Markdown or HTML. A kept
 * writer was measured and refused (D-971): a text within the limits of rich text took it seconds in one piece.
 */

/** Where a text is written: a paragraph has several lines, and a cell of a table ends at `|`. */
export type Place = 'block' | 'line' | 'cell'

const addresses =
  /https?:\/\/[^\s<>"`\\|*]{1,2000}|(?<![A-Za-z0-9._+-])[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/g

/** The end of a sentence, and a bracket around an address, are not part of it. */
const ending = /[.,:;!?'()[\]{}*_~-]{1,20}$/

const isWord = /[\p{L}\p{N}\p{M}]/u

function escapeUnderlines(text: string): string {
  return text.replaceAll(/_+/g, (run, at: number) => {
    // Inside of a word it never marks anything.
    const isInside = isWord.test(text.charAt(at - 1)) && isWord.test(text.charAt(at + run.length))
    return isInside ? run : run.replaceAll('_', '\\_')
  })
}

/** Every mark that means something within a line. What begins a block is escaped by `escapeStarts`. */
export function escapeText(text: string, place: Place): string {
  const escaped = escapeUnderlines(text.replaceAll(/[\\`*[\]~]/g, '\\$&'))
    // Some readers take the backslashes from brackets before they read a link's text.
    .replaceAll('](', ']\\(')
    .replaceAll(/<(?=[A-Za-z/!?])/g, '\\<')
    .replaceAll(/&(?=#?[A-Za-z0-9]{1,40};)/g, '\\&')
    // Addresses that GitHub's extension would make links of.
    .replaceAll(/(https?|ftp):(?=\/\/)/gi, '$1\\:')
    .replaceAll(/www\.(?=[\w-])/gi, found => `${found.slice(0, 3)}\\.`)
    .replaceAll(/(?<=[\w.+-])@(?=[\w-])/g, '\\@')
  return place === 'cell' ? escaped.replaceAll('|', '\\|') : escaped
}

/**
 * A text in parts of which every other one is an address between angle brackets: those have no backslash in them and
 * can be copied, and GitHub's extension makes links of them anyway.
 */
export function withAddresses(text: string, place: Place): string[] {
  const parts: string[] = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(addresses)) {
    const address = found.replace(ending, '')
    const link = autolink(address, place)
    if (link === undefined) continue
    parts.push(text.slice(from, index), link)
    from = index + address.length
  }
  return [...parts, text.slice(from)]
}

const hasReference = /&#?[A-Za-z0-9]{1,40};/
const webAddress = /^https?:\/\/[^\s<>"`\\]+$/i
const mailAddress =
  /^[A-Za-z0-9](?:[A-Za-z0-9._+-]{0,62}[A-Za-z0-9])?@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?){1,8}$/

/** An address between angle brackets; undefined if Markdown would not read it as one. */
export function autolink(address: string, place: Place): string | undefined {
  if ((place === 'cell' && address.includes('|')) || hasReference.test(address)) return undefined
  const isAddress = webAddress.test(address) || mailAddress.test(address)
  return isAddress && !isControl.test(address) ? `<${address}>` : undefined
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for here
const isControl = /[\u0000-\u0020\u007f]/
const isPlainAddress = /^[^\s<>()\\]+$/

/** The address of a link or picture. */
function destination(address: string, place: Place): string {
  const one = address.replaceAll(/[\r\n]+/g, '')
  const safe = one.replaceAll(/&(?=#?[A-Za-z0-9]{1,40};)/g, '\\&')
  const isPlain = isPlainAddress.test(one) && !isControl.test(one)
  const shown = isPlain ? safe : `<${one.replaceAll(/[\\<>&]/g, '\\$&')}>`
  return place === 'cell' ? shown.replaceAll('|', '\\|') : shown
}

export const link = (text: string, address: string, place: Place): string =>
  `[${text}](${destination(address, place)})`

export const image = (alt: string, address: string, place: Place): string =>
  `![${escapeText(alt.replaceAll(/\s+/g, ' ').trim(), place)}](${destination(address, place)})`

/** Backticks, more than there are anywhere in the text. */
const ticksFor = (text: string, least: number): string => {
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
  return '`'.repeat(Math.max(least, longest + 1))
}

/** A text of one line as code. */
export function code(text: string, place: Place): string {
  // A backslash in front of `|` means something else in each reader.
  if (place === 'cell' && text.includes('|')) return escapeText(text, place)
  const ticks = ticksFor(text, 1)
  const space = /^`|`$/.test(text) ? ' ' : ''
  return ticks + space + text + space + ticks
}

export function fenced(text: string, language = ''): string {
  const ticks = ticksFor(text, 3)
  return `${ticks}${language}\n${text}\n${ticks}`
}

const starts: readonly (readonly [RegExp, string])[] = [
  [/^#{1,6}(?= |$)/, '\\$&'],
  [/^-(?=[ :|-]|$)/, '\\-'],
  [/^\+(?= |$)/, '\\+'],
  [/^=(?==* *$)/, '\\='],
  [/^[>|]/, '\\$&'],
  [/^:(?=-)/, '\\:'],
  [/^(\d{1,9})([.)])(?= |$)/, '$1\\$2'],
]

const escapeStart = (line: string): string =>
  starts.reduce((escaped, [pattern, by]) => escaped.replace(pattern, by), line)

/** Escapes what begins a heading, a list, a quote, a table or a line, in each line of a paragraph. */
export const escapeStarts = (text: string): string => text.split('\n').map(escapeStart).join('\n')
