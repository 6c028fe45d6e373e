import { createApp } from '../../src/app.js'
import { type Remote, runRemotely } from '../../src/cli/remote/client.js'
import { commandSurface } from '../../src/cli/remote/surface.js'
import { listen } from '../../src/node/http-listener.js'
import type { TestApp } from './app.js'
import { whenDone } from './when-done.js'

/** Serves an app with its commands, as the product does. @returns its address, with the key of the administrator */
export async function servingCommands({ parts, services, users, call }: TestApp): Promise<Remote> {
  const app = createApp({ ...parts, commands: async (...context) => commandSurface(...context) })
  const listener = await listen('127.0.0.1:0', (request, peer) => app.fetch(request, peer), {
    log: parts.ports.log,
    maxConnections: 100,
  })
  whenDone(() => listener.stop())
  const made = await call('POST', '/api/v1/tokens', { body: { user_id: users.admin } })
  if (made.status !== 201 || !services) throw new Error(made.text)
  return { address: `http://127.0.0.1:${listener.port}`, key: made.body.token }
}

interface Given {
  /** The width of the terminal; without it there is none. */
  columns?: number
  input?: string | undefined
  secret?: string | undefined
  answers?: readonly string[]
  stopped?: AbortSignal
  /** Standard input, in pieces. */
  pieces?: () => AsyncIterable<Uint8Array>
}

/** Runs a line on a service, at a terminal of the test. */
export function runFrom(remote: Remote, args: readonly string[], given: Given = {}) {
  const { secret = '', stopped } = given
  const answers = given.answers && [...given.answers]
  const end = { out: '', err: '', asked: [] as string[] }
  const pieces: Uint8Array[] = []
  const input =
    given.pieces ??
    async function* () {
      yield Buffer.from(given.input ?? '')
    }
  const code = runRemotely(remote, args, {
    write(some) {
      stopped?.throwIfAborted()
      pieces.push(some)
      end.out = Buffer.concat(pieces).toString()
    },
    writeError(some) {
      end.err += Buffer.from(some).toString()
    },
    drained: async () => stopped?.throwIfAborted(),
    input,
    openFile: () => input(),
    readSecret: async () => secret,
    ask:
      answers &&
      (async question => {
        end.asked.push(question)
        return answers.shift() ?? ''
      }),
    isTerminal: given.columns !== undefined,
    hasColour: given.columns !== undefined,
    columns: given.columns,
    zone: 'UTC',
  })
  return { out: () => end.out, ended: code.then(code => ({ code, ...end })) }
}
