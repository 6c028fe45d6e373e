import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/** One line of standard input, without its end. @throws `none` when input ends or is interrupted before one */
function readLine(
  output?: Writable,
  none = 'no password was given: type it, or give it as one line on standard input',
): Promise<string> {
  const lines = createInterface({ input: process.stdin, ...(output ? { output, terminal: true } : {}) })
  return new Promise((resolve, reject) => {
    lines.once('line', line => {
      // Taken before the end is looked at, for a line may be the last.
      resolve(line)
      lines.close()
    })
    lines.once('SIGINT', () => lines.close())
    lines.once('close', () => reject(new Error(none)))
  })
}

/** Takes what an editor of lines would show. */
const nowhere = new Writable({ write: (_piece, _encoding, done) => done() })

/** One line that a person types and nobody sees. */
async function askHidden(question: string): Promise<string> {
  // Reading silences the terminal, so it begins before anybody is asked.
  const line = readLine(nowhere)
  process.stderr.write(`${question}: `)
  try {
    return await line
  } finally {
    process.stderr.write('\n')
  }
}

/** @throws without input, or if a person types two different texts */
export async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return readLine()
  const secret = await askHidden(question)
  if ((await askHidden('The same again')) !== secret) throw new Error('the two differ')
  return secret
}

/** One line that a person types and sees. @throws when input ends before one */
export function ask(question: string): Promise<string> {
  process.stderr.write(`${question}: `)
  return readLine(process.stderr, 'no answer was given')
}
