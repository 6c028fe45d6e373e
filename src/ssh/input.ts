import { StringDecoder } from 'node:string_decoder'
import type { ServerChannel } from 'ssh2'
import { t } from '../texts/terminal.js'

const maxLength = 4096

function typed(line: string[], key: string, byPerson: boolean): string[] | 'end' | 'interrupt' {
  if (key === '\r' || key === '\n') return 'end'
  if (!byPerson) return [...line, key]
  // Ctrl-C and Ctrl-D.
  if (key === '\u0003' || key === '\u0004') return 'interrupt'
  return key === '\b' || key === '\u007f' ? line.slice(0, -1) : [...line, key]
}

/**
 * Reads one line from a client, without its end.
 * @param byPerson a person types it: Backspace, Ctrl-C and Ctrl-D work
 * @param echo shows what is typed, if it is no secret
 * @throws when input ends before a line, or a person interrupts
 */
export async function readLine(
  channel: ServerChannel,
  byPerson: boolean,
  echo: (text: string) => void = () => undefined,
): Promise<string> {
  const decoder = new StringDecoder('utf8')
  let line: string[] = []
  for await (const bytes of channel.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
    for (const key of decoder.write(bytes)) {
      const next = typed(line, key, byPerson)
      if (next === 'end') return line.join('')
      if (next === 'interrupt' || next.length > maxLength) throw new Error(t('no password was given'))
      echo(next.length > line.length ? key : next.length < line.length ? '\b \b' : '')
      line = next
    }
  if (line.length > 0 && !byPerson) return line.join('')
  throw new Error(t('no password was given'))
}
