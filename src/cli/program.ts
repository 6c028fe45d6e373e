import { installationProblem } from '../node/installed.js'
import type { Command, Values } from './command.js'
import { runWords } from './run-words.js'
import type { Terminal } from './terminal.js'

async function runCommand(
  command: Command,
  terminal: Terminal,
  options: Values,
  given: readonly string[],
): Promise<number> {
  if ('run' in command) return command.run(terminal, options, given)
  return (await import('./site.js')).runOnSite(terminal, command, options, given)
}

/** Runs one line of the process's own command line. @returns the exit code, as `runWords` */
export const runLine = (
  commands: readonly Command[],
  args: readonly string[],
  terminal: Terminal,
): Promise<number> =>
  runWords(commands, args, terminal, {
    perform: (command, options, given) => runCommand(command, terminal, options, given),
    explain: error => installationProblem(error) ?? (error instanceof Error ? error.message : String(error)),
  })
