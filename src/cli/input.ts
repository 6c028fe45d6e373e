import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/** Reads one line of standard input, without its end. @throws `none` if input ends or is interrupted first */
function readLine(
  output?: Writable,
  none = 'no password was given: type it, or give it as one line on standard input',
): Promise<string> {
  const lines = createInterface({ input: process.stdin, ...(output ? { output, terminal: true } : {}) })
  return new Promise((resolve, reject) => {
    lines.once('line', line => {
      // Resolved before the end is handled, because the line may be the last one.
      resolve(line)
      lines.close()
    })
    lines.once('SIGINT', () => lines.close())
    lines.once('close', () => reject(new Error(none)))
  })
}

const nowhere = new Writable({ write: (_piece, _encoding, done) => done() })

async function askHidden(question: string): Promise<string> {
  // Reading turns off the echo of the terminal, so it starts before the question.
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
  if ((await askHidden('Repeat it')) !== secret) throw new Error('the two inputs differ')
  return secret
}

/** Reads one line that a person types. @throws if input ends before one */
export function ask(question: string): Promise<string> {
  process.stderr.write(`${question}: `)
  return readLine(process.stderr, 'no answer was given')
}
