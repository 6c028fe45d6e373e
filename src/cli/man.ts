import type { Words } from './command.js'
import { examplesOf } from './examples.js'

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll("'", '\\(aq').replace(/^\./gm, '\\&.')

const sentence = (text: string) => `${escaped(text.charAt(0).toUpperCase() + text.slice(1))}.`

function sectionOf({ words, summary, arguments: places = {}, options = {} }: Words): string {
  const usage = ['slugline', words, ...Object.keys(places)].join(' ')
  const named = [...Object.entries(places), ...Object.entries(options)]
  const shown = examplesOf(words)
  return [
    `.SS ${escaped(words)}`,
    `.B ${escaped(usage)}`,
    '.PP',
    sentence(summary),
    ...named.flatMap(([name, meaning]) => ['.TP', `.B ${escaped(name)}`, sentence(meaning)]),
    ...(shown.length > 0
      ? ['.PP', 'Examples:', '.PP', '.nf', '.RS 4', ...shown.map(escaped), '.RE', '.fi']
      : []),
  ].join('\n')
}

/** Returns the manual page of a table of commands. */
export const manualOf = (
  commands: readonly Words[],
  version: string,
): string => `.TH SLUGLINE 1 "" "slugline ${escaped(version)}" "Slugline"
.SH NAME
slugline \\- a self\\-hosted headless content service
.SH SYNOPSIS
.B slugline
.I command
.RI [ options ]
.SH DESCRIPTION
The commands read
.I ./cms.config.json
or the file that
.B \\-\\-config
names. The result goes to standard output, everything else to standard error.
Where a command takes an id, it also takes a name: the slug of a page, an e\\-mail address, the name of a datatype.
.SH COMMANDS
${commands
  .filter(({ isHidden }) => !isHidden)
  .map(sectionOf)
  .join('\n')}
.SH EXIT STATUS
0 for success, 1 if the command failed, was refused or found a problem, and 2 for invalid arguments.
.SH ENVIRONMENT
.TP
.B NO_COLOR
If set, list headings are not bold.
.SH SEE ALSO
.BR ssh (1)
`
