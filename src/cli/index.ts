import { flushStandardOutput } from '../node/log.js'
import { commands } from './commands.js'
import { runLine } from './program.js'
import { processTerminal } from './terminal.js'

const flushTimeoutMs = 1000

/** Runs the command line of the process. */
export async function run(args: readonly string[]): Promise<void> {
  process.exitCode = await runLine(commands, args, processTerminal)
  await flushStandardOutput(flushTimeoutMs)
  // Something that could not be closed after a failure, as on another runtime, must not keep the process alive.
  if (process.exitCode !== 0) process.exit()
}
