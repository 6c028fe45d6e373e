import { commands } from './commands.js'
import { runLine } from './program.js'
import { processTerminal } from './terminal.js'

/** The command line of the process. */
export async function run(args: readonly string[]): Promise<void> {
  process.exitCode = await runLine(commands, args, processTerminal)
}
