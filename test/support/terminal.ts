import { commands } from '../../src/cli/commands.js'
import { runLine } from '../../src/cli/program.js'

/** Of a terminal what most commands do not use: nothing is typed, and everything is taken at once. */
export const unread = {
  writeBytes() {},
  drained: async () => undefined,
  async *input() {},
  stopped: new AbortController().signal,
}

interface Ended {
  code: number
  out: string
  err: string
  /** What a person was asked. */
  asked: string[]
}

/**
 * Runs a line of the command line in this process, at a terminal of the test.
 * @param person what somebody types: a secret, and answers to questions in their order; nobody answers without them; and
 * what the environment has
 */
export async function runHere(
  args: readonly string[],
  person: { secret?: string; answers?: readonly string[]; variables?: Record<string, string> } = {},
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
    ask:
      answers &&
      (async question => {
        end.asked.push(question)
        return answers.shift() ?? ''
      }),
    isInteractive: false,
    ...unread,
    variables: person.variables ?? {},
  })
  return end
}
