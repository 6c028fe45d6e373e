import { randomUUID } from 'node:crypto'
import type { ServerChannel } from 'ssh2'
import { type Io, runAs, withUsualOptions } from '../cli/command.js'
import { runWords } from '../cli/run-words.js'
import { machineCommandIn, siteCommands } from '../cli/site-commands.js'
import { complain } from '../cli/terminal.js'
import { visible } from '../cli/visible.js'
import type { Config } from '../config.js'
import { HttpError } from '../errors.js'
import { t } from '../texts/terminal.js'
import { addressOfSlug } from './addresses.js'
import type { Connection, Open } from './connection.js'
import { readLine } from './input.js'
import { Outlet } from './outlet.js'
import { isWebAddress, linkSequence, targetOf } from './screen/link.js'
import { UnclosedQuote, wordsOf } from './words.js'

interface Call {
  readonly line: string
  readonly gone: AbortSignal
  /** The client's terminal for the command, which needs a carriage return before each line feed. */
  readonly terminal?:
    | { readonly columns: number; readonly hasColour: boolean; readonly hasLinks: boolean }
    | undefined
  readonly code?: number
  readonly zone?: string
}

const endingSignals = new Set(['INT', 'TERM', 'HUP', 'QUIT', 'KILL'])

const failure = t('something went wrong: the log of the service has the details')

/** Runs one command with the words and exit codes of the command line. */
export function runCommand(
  channel: ServerChannel,
  connection: Connection,
  { line, gone, terminal, code, zone = 'UTC' }: Call,
): Omit<Open, 'gone'> & { signal(name: string): void } {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  gone.addEventListener('abort', stop)
  const outlet = new Outlet(channel, connection.socket, gone)
  const { io, waits } = ioOf(channel, outlet, {
    connection,
    stopped: stopping.signal,
    terminal,
    zone,
  })
  let told = false
  const tell = (sentence: string) => {
    if (!told) complain(io, sentence)
    told = true
    stop()
  }
  const done = run(line, connection, io).then(async own => {
    await outlet.drained()
    channel.exit(told ? 1 : (code ?? own))
    channel.end()
    // Unread input would keep the channel open.
    channel.resume()
  })
  connection.guarded(() => done)
  return {
    done,
    isBusy: () => !waits(),
    stop: tell,
    end(sentence) {
      tell(sentence)
      channel.exit(1)
      channel.end()
    },
    signal(name) {
      if (endingSignals.has(name)) stop()
    },
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: bold on and off, as lists write it
const heads = /(\x1b\[[01]m)/

/**
 * The look of lists on a terminal with colours: heads in bold, and addresses as hyperlinks. Links have a name that no
 * stored text can know, so that only those of lists are sent.
 */
function lookOf(config: Config) {
  const name = randomUUID()
  const ownLinks = new RegExp(`(\\x1b\\]8;id=${name};[\\x21-\\x7e]+\\x1b\\\\[^\\x1b]*\\x1b\\]8;;\\x1b\\\\)`)
  const safeHeads = (text: string) =>
    text
      .split(heads)
      .map((part, i) => (i % 2 === 0 ? visible(part) : part))
      .join('')
  return {
    /** Returns a text that steers no terminal, but for its heads and links. */
    safe: (text: string): string =>
      text
        .split(ownLinks)
        .map((part, i) => (i % 2 === 0 ? safeHeads(part) : part))
        .join(''),
    linked(shown: string, column: string, record: Readonly<Record<string, unknown>>): string {
      const value = record[column]
      if (typeof value !== 'string') return shown
      // Nothing is at the address of a draft, or of something in the trash.
      const isPage = column === 'slug' && record.status !== 'draft' && !('trash_id' in record)
      const target = targetOf((isPage && addressOfSlug(config, value)) || (isWebAddress(value) ? value : ''))
      const isSafe = target !== undefined && visible(shown) === shown && !/[\t\n]/.test(shown)
      return isSafe ? `${linkSequence(target, name)}${shown}${linkSequence(undefined)}` : shown
    },
  }
}

/** The input and output of a command; `waits` is true while the reader of its output is behind. */
function ioOf(
  channel: ServerChannel,
  outlet: Outlet,
  {
    connection,
    stopped,
    terminal,
    zone,
  }: { connection: Connection; stopped: AbortSignal; terminal: Call['terminal']; zone: string },
): { io: Io; waits: () => boolean } {
  const { seen } = connection
  const isTerminal = terminal !== undefined
  let waits = false
  const look = terminal?.hasColour ? lookOf(connection.site.config()) : undefined
  const safe = look?.safe ?? visible
  const shown = (text: string) => (isTerminal ? safe(text).replaceAll('\n', '\r\n') : safe(text))
  const writeError = (text: string) => void (channel.writable && channel.stderr.write(shown(text)))
  const io: Io = {
    write: text => void outlet.write(shown(text)),
    writeError,
    writeBytes: bytes => void outlet.write(bytes),
    async drained() {
      waits = true
      await outlet.drained()
      waits = false
      seen()
      // A command that writes without end learns here that nobody reads it.
      stopped.throwIfAborted()
    },
    async *input() {
      for await (const bytes of channel.iterator({ destroyOnReturn: false })) {
        seen()
        yield bytes
      }
    },
    async readSecret(question) {
      if (!isTerminal) return readLine(channel, false)
      writeError(`${question}: `)
      return readLine(channel, true).finally(() => writeError('\n'))
    },
    ask: isTerminal
      ? async question => {
          writeError(`${question}: `)
          return readLine(channel, true, text => writeError(text)).finally(() => writeError('\n'))
        }
      : undefined,
    isInteractive: false,
    isTerminal,
    hasColour: terminal?.hasColour === true,
    columns: terminal?.columns,
    linked: terminal?.hasLinks ? look?.linked : undefined,
    zone,
    stopped,
  }
  return { io, waits: () => waits }
}

/** Over SSH no option names a configuration file: that is for the operator of the machine. */
const commands = siteCommands.map(command => withUsualOptions(command))

function ofMachine(given: readonly string[]): string | undefined {
  const found = machineCommandIn(given)
  return found && t('{command} runs only on the machine of the service, not over SSH', { command: found })
}

async function run(line: string, connection: Connection, io: Io): Promise<number> {
  const { site } = connection
  try {
    const sentence = ofMachine(wordsOf(line))
    if (sentence !== undefined) {
      complain(io, sentence)
      return 2
    }
    return await runWords(commands, wordsOf(line), io, {
      perform: async (command, options, given) =>
        runAs(await connection.actor(), site.services, command, { io, options, given }),
      explain(error) {
        if (error instanceof HttpError) return error.message
        if (io.stopped.aborted) return t('the command was ended')
        site.log.error({ err: error, ip: connection.peer.address }, 'an SSH command failed')
        return failure
      },
    })
  } catch (error) {
    if (!(error instanceof UnclosedQuote)) throw error
    complain(io, error.message)
    return 2
  }
}
