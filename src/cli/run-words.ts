import { CommanderError, Command as Node } from 'commander'
import { ConfigError, HttpError } from '../errors.js'
import { version } from '../node/version.js'
import { type Values, type Words, WrongCall } from './command.js'
import { examplesOf } from './examples.js'
import { manualOf } from './man.js'
import { groups } from './site-commands.js'
import { complain, type Terminal } from './terminal.js'
import { visible } from './visible.js'

function nodeOf(root: Node, words: readonly string[], hidden: boolean): Node {
  const [first = '', ...rest] = words
  const known = root.commands.find(node => node.name() === first)
  const node = known ?? root.command(first, { hidden })
  if (!known && !root.parent) node.helpGroup(groupOf(first))
  if (rest.length === 0) return node
  if (!known) node.description(groups[first] ?? '')
  return nodeOf(node, rest, hidden)
}

const helpGroups: Readonly<Record<string, readonly string[]>> = {
  'Set up and run:': [
    'serve',
    'quickstart',
    'init',
    'doctor',
    'config',
    'migrate',
    'backup',
    'import',
    'compare',
    'twin',
  ],
  'Content:': [
    'content',
    'pages',
    'versions',
    'trash',
    'comments',
    'routes',
    'redirects',
    'media',
    'locales',
    'query',
    'search',
    'go',
  ],
  'Content model:': ['datatypes', 'fields', 'model', 'types', 'compat'],
  'People and access:': ['user', 'roles', 'token', 'keys'],
  'Watch and notify:': ['webhooks', 'deliveries', 'audit', 'top'],
}

const otherGroup = 'Further commands:'

const groupOf = (word: string): string =>
  Object.entries(helpGroups).find(([, words]) => words.includes(word))?.[0] ?? otherGroup

/** Returns the options as they were given: one without a value is an empty text, several values are lines. */
const valuesOf = (options: Readonly<Record<string, string | readonly string[] | true>>): Values =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      kebab(name),
      value === true ? '' : [value].flat().join('\n'),
    ]),
  )

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

type Output = Pick<Terminal, 'write' | 'writeError'>
type Perform<C> = (command: C, options: Values, given: readonly string[]) => Promise<number>

function programOf<C extends Words>(
  commands: readonly C[],
  terminal: Output,
  perform: (...call: Parameters<Perform<C>>) => Promise<void>,
): Node {
  const program = new Node('slugline')
    .description('A self-hosted headless content service.')
    .version(version, '--version', 'show the version')
    .helpOption('-h, --help', 'show the help of a command')
    .commandsGroup(otherGroup)
    .helpCommand('help [command]', 'show the help of a command')
    // Arguments behind the words would push the descriptions to the right.
    .configureHelp({
      subcommandTerm: node => (node.options.length > 0 ? `${node.name()} [options]` : node.name()),
    })
    // Commands inherit these when they are created.
    .exitOverride()
    .configureOutput({
      writeOut: text => terminal.write(text),
      writeErr: text => terminal.writeError(text),
      outputError: text => complain(terminal, text.replace(/^error: /, '').trimEnd()),
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
  if (commands.some(({ words }) => words === 'login'))
    program.addHelpText(
      'after',
      '\nA service on another machine: slugline --remote <url> <command>, or the variable SLUGLINE_URL. The key is that of\nslugline login <url>, or in SLUGLINE_KEY.',
    )
  for (const command of commands) {
    const { words, summary, arguments: places = {}, options = {}, isHidden = false } = command
    const node = nodeOf(program, words.split(' '), isHidden).description(summary)
    const shown = examplesOf(words)
    if (shown.length > 0) node.addHelpText('after', `\nExamples:\n${shown.map(one => `  ${one}`).join('\n')}`)
    for (const [flags, meaning] of Object.entries(options)) node.option(flags, meaning)
    for (const [name, meaning] of Object.entries(places)) node.argument(name, meaning)
    // The arguments, then the options, then the command itself.
    node.action((...given) => perform(command, valuesOf(given.at(-2)), given.slice(0, -2).flat()))
  }
  return program
}

const isForProgram = (args: readonly string[]) => args.some(arg => arg === '--json' || arg === '--jsonl')

function asJson(error: unknown, sentence: string) {
  if (error instanceof HttpError)
    return { error: sentence, code: error.code, member: error.member, errors: error.errors }
  if (error instanceof ConfigError) return { error: sentence, code: 'invalid', member: error.field }
  return { error: sentence, code: error instanceof WrongCall ? 'malformed' : 'internal' }
}

/**
 * Runs one line of a table of commands. It writes only to the terminal and does not exit the process, so it serves the
 * shell and other lines alike.
 * @returns the exit code: 0; 1 with one sentence for an error; 2 for a wrong call
 */
export async function runWords<C extends Words>(
  commands: readonly C[],
  args: readonly string[],
  output: Output,
  { perform, explain }: { perform: Perform<C>; explain: (error: unknown) => string },
): Promise<number> {
  if (args.length === 2 && args[0] === 'help' && args[1] === '--man') {
    output.write(manualOf(commands, version))
    return 0
  }
  let code = 0
  const program = programOf(commands, output, async (...call) => {
    code = await perform(...call)
  })
  try {
    await program.parseAsync(args.length === 0 ? ['help'] : args, { from: 'user' })
    return code
  } catch (error) {
    // The library has already written the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const sentence = error instanceof WrongCall ? error.message : explain(error)
    if (isForProgram(args)) output.writeError(`${visible(JSON.stringify(asJson(error, sentence)))}\n`)
    else complain(output, sentence)
    return error instanceof WrongCall ? 2 : 1
  }
}
