import nodeModule from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { flushStandardOutput } from '../node/log.js'
import { isRemote, runElsewhere, wishOf } from './remote/index.js'
import { processTerminal } from './terminal.js'

const flushTimeoutMs = 1000

/**
 * Keeps compiled code for the next start where Node can do so, from 22.8 on. The folder is the user's own: code in one that
 * others may write to would run as theirs.
 */
function keepCompiled({ XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): void {
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => void }
  enableCompileCache?.(join(XDG_CACHE_HOME || join(HOME || homedir(), '.cache'), 'slugline'))
}

/** Loads the parts of commands for this machine: a command that runs elsewhere starts without them. */
async function runHere(args: readonly string[]): Promise<number> {
  keepCompiled(process.env)
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
