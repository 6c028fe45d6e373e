import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'

/**
 * Compiles `program.ts` beside `types.ts`; both may import the project's packages.
 * @returns the errors, as `program 7 TS2322`
 */
export async function compiled(types: string, program: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-types-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'types.ts'), types)
  writeFileSync(join(folder, 'program.ts'), program)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const args = [
    '--strict',
    '--noEmit',
    '--pretty',
    'false',
    '--module',
    'nodenext',
    '--types',
    '',
    'program.ts',
  ]
  return new Promise((done, fail) => {
    execFile(resolve('node_modules/.bin/tsc'), args, { cwd: folder }, (error, stdout) => {
      const lines = stdout.split('\n').filter(line => / error TS/.test(line))
      if (error && lines.length === 0) fail(error)
      else done(lines.map(line => line.replace(/^(\w+)\.ts\((\d+),.*error (TS\d+).*$/, '$1 $2 $3')))
    })
  })
}
