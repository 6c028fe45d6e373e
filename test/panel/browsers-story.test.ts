import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { chromiumMissing } from '../support/browser.js'
import { engine } from '../support/database.js'

const run = promisify(execFile)
const program = join(import.meta.dirname, '../../bench/trials/run.mjs')

// The trial has a database of its own, so that one run is enough.
it.skipIf(chromiumMissing || engine !== 'sqlite')(
  'four people carry a page to the public and back, and lose no text at six cuts',
  { timeout: 300_000 },
  async () => {
    const trial = [program, 'browsers', '--cuts', '6', '--seed', '27']
    const { stdout } = await run(process.execPath, trial).catch(
      (error: { stdout: string; stderr: string }) => ({ stdout: `${error.stdout}\n${error.stderr}` }),
    )
    expect(stdout).toMatch(/^ok {5}texts lost +0 +0$/m)
    expect(stdout).not.toContain('BROKEN')
  },
)
