/** An event without a length in a calendar file. */
export interface CalendarEntry {
  /** Names the event, also when it moves. */
  readonly uid: string
  readonly at: string
  /** When it was last changed. */
  readonly changed: string
  readonly summary: string
  readonly url: string
}

/** The most octets of a line, without its end (RFC 5545, 3.1). */
const maxOctets = 75
const octets = (character: string): number => {
  const code = character.codePointAt(0) ?? 0
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}

/** Breaks a long line; the blank before each further part is one of its octets. No character is broken. */
function folded(line: string): string {
  let [text, length] = ['', 0]
  for (const character of line) {
    const size = octets(character)
    if (length + size > maxOctets) {
      text += '\r\n '
      length = 1
    }
    text += character
    length += size
  }
  return text
}

/** Escapes a text (RFC 5545, 3.3.11); other control characters are not allowed in one. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?|\n/g, '\n')
    .replaceAll(/[\\;,]/g, mark => `\\${mark}`)
    .replaceAll('\n', '\\n')
    .replaceAll(/\p{Cc}/gu, '')

/** Such as `20261127T083000Z`. */
const utc = (at: string): string => `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

const eventLines = ({ uid, at, changed, summary, url }: CalendarEntry): string[] => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  `DTSTAMP:${utc(changed)}`,
  `DTSTART:${utc(at)}`,
  `SUMMARY:${escaped(summary)}`,
  `URL:${url}`,
  'TRANSP:TRANSPARENT',
  'END:VEVENT',
]

/** Returns a calendar as a file of RFC 5545, which programs read again every hour. */
export const calendarFile = (name: string, entries: readonly CalendarEntry[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Slugline//Calendar//EN',
    'CALSCALE:GREGORIAN',
    `X-WR-CALNAME:${escaped(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    ...entries.flatMap(eventLines),
    'END:VCALENDAR',
  ]
    .map(line => `${folded(line)}\r\n`)
    .join('')
