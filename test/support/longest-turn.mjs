import { appendFileSync } from 'node:fs'

/**
 * Loaded by a started product with `--import`: writes a line for each turn of its event loop that has used more
 * processor time than usual, in milliseconds. A busy machine does not increase it. On SIGUSR2 it collects garbage
 * (`--expose-gc`) and writes a line that says so, for tests that measure kept memory.
 */
const [everyMs, usualMs] = [5, 50]
const file = process.env.TURNS_FILE
let before = process.cpuUsage()

setInterval(() => {
  const { user, system } = process.cpuUsage(before)
  before = process.cpuUsage()
  const used = (user + system) / 1000
  if (used > usualMs) appendFileSync(file, `${Math.round(used)}\n`)
}, everyMs).unref()

process.on('SIGUSR2', () => {
  globalThis.gc?.()
  appendFileSync(file, 'collected\n')
})
