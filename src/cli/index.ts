import { flushStandardOutput } from '../node/log.js'
import { isRemote, runElsewhere, wishOf } from './remote/index.js'
import { processTerminal } from './terminal.js'

const flushTimeoutMs = 1000

/** Loads the parts of commands for this machine: a command that runs elsewhere starts without them. */
async function runHere(args: readonly string[]): Promise<number> {
  const [{ commands }, { runLine }] = await Promise.all([import('./commands.js'), import('./program.js')])
  return runLine(commands, args, processTerminal)
}

/** Runs the command line of the process. */
export async function run(args: readonly string[]): Promise<void> {
  const wish = wishOf(args, process.env)
  process.exitCode = isRemote(wish) ? await runElsewhere(wish, processTerminal) : await runHere(wish.args)
  await flushStandardOutput(flushTimeoutMs)
  // Something that could not be closed after a failure, as on another runtime, must not keep the process alive.
  if (process.exitCode !== 0) process.exit()
}
