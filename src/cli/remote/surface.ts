import { Hono } from 'hono'
import { z } from 'zod'
import type { Actor, Identity } from '../../actor.js'
import {
  badKey,
  HttpError,
  malformed,
  methodNotAllowed,
  tooLarge,
  tooMany,
  unsupported,
} from '../../errors.js'
import { limits } from '../../limits.js'
import { bearerOf, identified } from '../../middleware/authenticate.js'
import { actorOf, type Ctx, type Env } from '../../middleware/context.js'
import { jsonErrors } from '../../middleware/errors.js'
import { headers } from '../../middleware/headers.js'
import type { Log } from '../../ports.js'
import type { ApiContext } from '../../routes/context.js'
import type { Services } from '../../services/index.js'
import { type Io, runAs, withUsualOptions } from '../command.js'
import { runWords } from '../run-words.js'
import { machineCommandIn, siteCommands } from '../site-commands.js'
import { complain } from '../terminal.js'
import { type Call, commandsPath, contentType, frame, kinds, type Need } from './protocol.js'

const { callBytes, callMs, ofUser, beatMs, heldBytes } = {
  ...limits.commands,
  callMs: 60_000,
  beatMs: 15_000,
  heldBytes: 2 ** 18,
}

const isZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

const CallBody = z.strictObject({
  args: z.array(z.string()).max(1000),
  answers: z.array(z.string().max(4096)).max(20),
  hasInput: z.boolean(),
  canAsk: z.boolean(),
  isTerminal: z.boolean(),
  hasColour: z.boolean(),
  columns: z.int().min(1).max(1000).optional(),
  zone: z.string().max(64).refine(isZone, 'must be a time zone'),
}) satisfies z.ZodType<Call>

/** A command needs something from the person or the machine that called it. */
class Needs extends Error {
  constructor(readonly need: Need) {
    super('the command needs more')
  }
}

const lineFeed = 10
const commands = siteCommands.map(command => withUsualOptions(command))

interface Given {
  readonly call: Call
  readonly rest: AsyncIterable<Uint8Array>
  /** Resolves when the command has read all of the body. */
  readonly isRead: Promise<void>
}

/** Reads the call at the start of a body, and leaves the rest. @throws 400, 413 */
async function callIn(request: Request): Promise<Given> {
  const reader = (request.body ?? new Blob([]).stream()).getReader()
  let read = new Uint8Array()
  const late = setTimeout(() => void reader.cancel().catch(() => undefined), callMs)
  try {
    for (let at = -1; at < 0; at = read.indexOf(lineFeed)) {
      if (read.byteLength > callBytes) throw tooLarge(`the call is larger than ${callBytes} bytes`)
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
      if (done || !value) throw malformed('the call is incomplete')
      read = new Uint8Array(Buffer.concat([read, value]))
    }
  } finally {
    clearTimeout(late)
  }
  const end = read.indexOf(lineFeed)
  if (end > callBytes) throw tooLarge(`the call is larger than ${callBytes} bytes`)
  let whole = () => {}
  const isRead = new Promise<void>(resolve => {
    whole = resolve
  })
  async function* rest() {
    if (read.byteLength > end + 1) yield read.subarray(end + 1)
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return whole()
      yield value
    }
  }
  return { call: parsedCall(read.subarray(0, end)), rest: rest(), isRead }
}

function parsedCall(bytes: Uint8Array): Call {
  try {
    return CallBody.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : []
    throw malformed(issue ? `the call: ${issue.path.join('.')}: ${issue.message}` : 'the call is not JSON')
  }
}

/** The answer to a call: frames, which wait until they are read. A reader who goes ends the command. */
function answerBody(stopping: AbortController) {
  let into: ReadableStreamDefaultController<Uint8Array> | undefined
  let waiting: (() => void)[] = []
  const wake = () => {
    for (const resume of waiting.splice(0)) resume()
  }
  stopping.signal.addEventListener('abort', wake)
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        into = controller
      },
      pull: wake,
      cancel: () => stopping.abort(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: heldBytes }),
  )
  let ended = false
  let isSent = false
  const send = (kind: 1 | 2 | 3, bytes: Uint8Array) => {
    if (!ended && !stopping.signal.aborted) into?.enqueue(frame(kind, bytes))
  }
  return {
    send,
    /** The answer goes out from now on. Before that nobody can read it, so nothing waits for a reader. */
    begin() {
      isSent = true
      return body
    },
    async drained() {
      while (isSent && !stopping.signal.aborted && (into?.desiredSize ?? 1) <= 0)
        await new Promise<void>(resume => waiting.push(resume))
      // A command that writes without end learns here that nobody reads it.
      stopping.signal.throwIfAborted()
    },
    end() {
      if (ended) return
      ended = true
      waiting = []
      try {
        into?.close()
      } catch {
        // Its reader has gone.
      }
    },
  }
}

const encoder = new TextEncoder()

function ioOf(
  call: Call,
  rest: AsyncIterable<Uint8Array>,
  { send, drained }: Pick<ReturnType<typeof answerBody>, 'send' | 'drained'>,
  stopped: AbortSignal,
): Io {
  const answers = [...call.answers]
  const answered = async (need: Need) => {
    const answer = answers.shift()
    if (answer === undefined) throw new Needs(need)
    return answer
  }
  async function* read(need: Need) {
    if (!call.hasInput) throw new Needs(need)
    yield* rest
  }
  return {
    write: text => send(kinds.output, encoder.encode(text)),
    writeError: text => send(kinds.error, encoder.encode(text)),
    writeBytes: bytes => send(kinds.output, bytes),
    drained,
    input: () => read({ kind: 'input' }),
    openFile: path => read({ kind: 'file', path }),
    readSecret: question => answered({ kind: 'secret', question }),
    ask: call.canAsk ? question => answered({ kind: 'answer', question }) : undefined,
    isInteractive: false,
    isTerminal: call.isTerminal,
    hasColour: call.hasColour,
    columns: call.columns,
    zone: call.zone,
    stopped,
  }
}

interface Place {
  readonly services: Services
  readonly actor: Actor
  readonly io: Io
  readonly log: Log
}

/** Runs the command of a call. @returns its exit code, or what it needs first */
async function run(args: readonly string[], { services, actor, io, log }: Place) {
  const local = machineCommandIn(args)
  if (local !== undefined) {
    complain(io, `${local} runs only on the machine of the service`)
    return { code: 2 }
  }
  let need: Need | undefined
  const code = await runWords(commands, args, io, {
    perform: (command, options, given) =>
      runAs(actor, services, command, { io, options, given }).catch(error => {
        if (!(error instanceof Needs)) throw error
        need = error.need
        return 0
      }),
    explain(error) {
      if (error instanceof HttpError) return error.message
      if (io.stopped.aborted) return 'the command was ended'
      log.error({ err: error, request_id: actor.requestId }, 'a command from another machine failed')
      return 'something went wrong: the log of the service has the details'
    },
  })
  return need ? { need } : { code }
}

const presentedIn = (c: Ctx) => ({ cookie: undefined, bearer: bearerOf(c.req.header('authorization')) })

/**
 * Runs the commands of a site for command lines on other machines, each as the holder of its key: the commands of the
 * table, and services decide what the caller may do, as over SSH (docs/decisions/970-remote-commands.md).
 */
export function commandSurface(
  { services, authentication }: ApiContext,
  { log, secure }: { log: Log; secure: boolean },
) {
  const { auth } = authentication
  const running = new Map<string, number>()

  async function holderOf(c: Ctx): Promise<Identity> {
    const identity = await identified(c, presentedIn(c), auth)
    if (!identity) throw badKey()
    return identity
  }

  /** Counts a running command. @throws 429 for one too many of a user */
  function begin({ userId }: Identity): () => void {
    const now = running.get(userId) ?? 0
    if (now >= ofUser) throw tooMany(1000)
    running.set(userId, now + 1)
    return () => {
      const left = (running.get(userId) ?? 1) - 1
      if (left > 0) running.set(userId, left)
      else running.delete(userId)
    }
  }

  const app = new Hono<Env>({ strict: false })
  app.onError(jsonErrors(log))
  app.use(headers(secure))
  app.all(commandsPath, async (c, next) => {
    c.env.route = commandsPath
    if (c.req.method !== 'POST' && c.req.method !== 'DELETE') throw methodNotAllowed(['POST', 'DELETE'])
    c.env.identity = await holderOf(c)
    await next()
  })
  // Signing out: a key may always end itself.
  app.delete(commandsPath, async c => {
    const actor = actorOf(c)
    if (actor.credential) await services.tokens.update(actor, actor.credential.id, { revoked: true })
    return c.body(null, 204)
  })
  app.post(commandsPath, async c => {
    if (c.req.header('content-type') !== contentType) throw unsupported(`the body must be ${contentType}`)
    const actor = actorOf(c)
    const done = begin(await holderOf(c))
    const stopping = new AbortController()
    const answer = answerBody(stopping)
    let beat: ReturnType<typeof setInterval> | undefined
    const finish = () => {
      clearInterval(beat)
      done()
    }
    try {
      const { call, rest, isRead } = await callIn(c.req.raw)
      // Proxies end a connection that is silent; and a key that has ended ends what it runs.
      beat = setInterval(() => {
        answer.send(kinds.output, new Uint8Array())
        auth.identify(presentedIn(c)).then(
          holder => {
            if (!holder) stopping.abort()
          },
          () => undefined,
        )
      }, beatMs)
      const io = ioOf(call, rest, answer, stopping.signal)
      const ended = run(call.args, { services, actor, io, log })
        .then(end => answer.send(kinds.end, encoder.encode(JSON.stringify(end))))
        .catch(error => log.error({ err: error }, 'a command from another machine failed'))
        .finally(() => {
          finish()
          answer.end()
        })
      // An answer that begins before the body has come would end the connection.
      if (call.hasInput) await Promise.race([isRead, ended])
    } catch (error) {
      finish()
      throw error
    }
    c.header('Content-Type', contentType)
    c.header('Cache-Control', 'no-store')
    c.header('X-Accel-Buffering', 'no')
    return c.body(answer.begin())
  })
  return app
}
