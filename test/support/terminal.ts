import { commands } from '../../src/cli/commands.js'
import { runLine } from '../../src/cli/program.js'

/** The members of a terminal that most commands do not use: no input, and all output is accepted at once. */
export const unread = {
  writeBytes() {},
  drained: async () => undefined,
  ask: undefined,
  isTerminal: false,
  hasColour: false,
  zone: 'UTC',
  async *input() {},
  stopped: new AbortController().signal,
}

interface Ended {
  code: number
  out: string
  err: string
  /** The questions to the person. */
  asked: string[]
}

/**
 * Runs a line of the command line in this process, at a terminal of the test.
 * @param person the typed input: a secret, and the answers to questions in their order (without them nobody answers);
 * and the environment
 */
export async function runHere(
  args: readonly string[],
  person: {
    secret?: string
    answers?: readonly string[]
    variables?: Record<string, string>
    isTerminal?: boolean
    columns?: number
    /** Aborted when the person ends the command. */
    stopped?: AbortSignal
  } = {},
): Promise<Ended> {
  const end: Ended = { code: 0, out: '', err: '', asked: [] }
  const answers = person.answers && [...person.answers]
  const writeError = (some: string) => {
    end.err += some
  }
  end.code = await runLine(commands, args, {
    write(some) {
      end.out += some
    },
    writeError,
    writeSurely: writeError,
    readSecret: async () => person.secret ?? '',
    isInteractive: false,
    ...unread,
    stopped: person.stopped ?? unread.stopped,
    ask:
      answers &&
      (async question => {
        end.asked.push(question)
        return answers.shift() ?? ''
      }),
    isTerminal: person.isTerminal ?? false,
    columns: person.columns,
    variables: person.variables ?? {},
  })
  return end
}
