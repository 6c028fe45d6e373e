import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const folder = 'test/fixtures/compile'

/** What the compiler says of the fixtures, as `file:line`. */
const refused = () =>
  new Promise<string[]>((resolve, reject) => {
    const args = ['-p', folder, '--noEmit', '--pretty', 'false']
    execFile('node_modules/.bin/tsc', args, (error, stdout) => {
      const lines = [...stdout.matchAll(/^(\S+\.ts)\((\d+),\d+\): error/gm)].map(
        ([, file, n]) => `${file}:${n}`,
      )
      // A compiler that fails for another reason has judged nothing.
      if (error && lines.length === 0) reject(error)
      else resolve([...new Set(lines)].toSorted())
    })
  })

it('refuses a misspelt column, event or member of a payload when it compiles, and nothing else', async () => {
  const marked = readdirSync(folder)
    .filter(name => name.endsWith('.ts'))
    .flatMap(name =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .flatMap((line, i) => (line.endsWith('// error') ? [`${join(folder, name)}:${i + 1}`] : [])),
    )
  expect(await refused()).toEqual(marked.toSorted())
})
