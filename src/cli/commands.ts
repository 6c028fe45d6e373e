import { connectionLimit } from '../node/descriptors.js'
import { version } from '../node/version.js'
import { say, type Terminal } from './terminal.js'

type Values = Readonly<Record<string, string | undefined>>

export interface Command {
  /** What is typed, such as `media regenerate`. */
  readonly words: string
  readonly summary: string
  /** What stands behind the words, as `<email>`, and what it means. */
  readonly arguments?: Readonly<Record<string, string>>
  /** Options that take a value, as `--config <path>`, and what they mean. */
  readonly options?: Readonly<Record<string, string>>
  /** @returns the exit code */
  run(terminal: Terminal, options: Values, given: readonly string[]): Promise<number>
}

/** What a word of several commands is about. */
export const groups: Readonly<Record<string, string>> = {
  user: 'look after accounts',
  media: 'look after media',
}

const config = { '--config <path>': 'configuration file (default: ./cms.config.json, when it is there)' }

/** Every command, in the order of the help. What a command needs is loaded when it runs. */
export const commands: readonly Command[] = [
  {
    words: 'serve',
    summary: 'serve the site of a configuration file, or defaults without one',
    options: config,
    async run(terminal, options) {
      // Loading what serves needs most of the descriptors, and would fail with no word about them.
      connectionLimit()
      return (await import('./serve.js')).serve(terminal, options)
    },
  },
  {
    words: 'quickstart',
    summary: 'serve a sample site on SQLite from a folder of its own',
    options: { '--dir <path>': 'the folder (default: ./quickstart)' },
    async run(terminal, options) {
      connectionLimit()
      return (await import('./quickstart.js')).runQuickstart(terminal, options)
    },
  },
  {
    words: 'user password',
    summary: 'set the password of an account, which is asked for or read from standard input as one line',
    arguments: { '<email>': 'the e-mail address of the account' },
    options: config,
    run: async (terminal, options, [email = '']) =>
      (await import('./user-password.js')).userPassword(terminal, options, email),
  },
  {
    words: 'media regenerate',
    summary: 'make the variants of all images again',
    options: config,
    run: async (terminal, options) =>
      (await import('./media-regenerate.js')).mediaRegenerate(terminal, options),
  },
  {
    words: 'version',
    summary: 'show the version',
    run: async terminal => {
      say(terminal, version)
      return 0
    },
  },
]
