import { flushStandardOutput } from '../node/log.js'
import { commands } from './commands.js'
import { runLine } from './program.js'
import { processTerminal } from './terminal.js'

/** How long the end of a command waits for whoever reads its log. */
const flushTimeoutMs = 1000

/** The command line of the process. */
export async function run(args: readonly string[]): Promise<void> {
  process.exitCode = await runLine(commands, args, processTerminal)
  await flushStandardOutput(flushTimeoutMs)
  // What could not be closed after a failure, as on another runtime, must not go on by itself.
  if (process.exitCode !== 0) process.exit()
}
