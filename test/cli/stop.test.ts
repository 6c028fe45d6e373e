import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { engine } from '../support/database.js'

it.runIf(engine === 'sqlite')('a stop while the service starts ends in order', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'slugline-stop-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const fields = { environment: 'local', port: '127.0.0.1:0', ssh_enabled: false, db_url: 'site.db' }
  writeFileSync(join(cwd, 'cms.config.json'), JSON.stringify(fields))
  const child = spawn(process.execPath, [resolve('dist/cli.js'), 'serve'], { cwd })
  let out = ''
  // The first lines are written in the middle of the start.
  const take = (piece: Buffer) => {
    if (out === '') child.kill('SIGTERM')
    out += piece
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const [code, signal] = await new Promise<[number | null, string | null]>(done =>
    child.once('exit', (...ended) => done(ended)),
  )
  expect([code, signal, out]).toEqual([0, null, out])
})
