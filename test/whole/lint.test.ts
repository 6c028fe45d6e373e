import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { importsIn } from '../support/imports.js'
import { mayImport } from './layers.js'

const fixtures = 'test/fixtures/walls'

/** What Biome says of the files in a folder that has our rules, as `file:line`. */
const refused = (folder: string) =>
  new Promise<string[]>((done, reject) => {
    const biome = resolve('node_modules/.bin/biome')
    execFile(
      biome,
      ['lint', '--reporter=json', '--max-diagnostics=200'],
      { cwd: folder },
      (error, stdout) => {
        const { diagnostics } = JSON.parse(stdout) as {
          diagnostics: { severity: string; location: { path: string; start: { line: number } } }[]
        }
        const errors = diagnostics.filter(({ severity }) => severity === 'error')
        // A linter that fails for another reason has judged nothing.
        if (error && errors.length === 0) reject(error)
        else
          done(
            [...new Set(errors.map(({ location }) => `${location.path}:${location.start.line}`))].toSorted(),
          )
      },
    )
  })

it('keeps the runtime and upper layers out of lower ones, however they are reached', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-walls-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(fixtures, folder, { recursive: true })
  const rules = { ...JSON.parse(readFileSync('biome.json', 'utf8')), vcs: { enabled: false } }
  writeFileSync(join(folder, 'biome.json'), JSON.stringify(rules))
  const marked = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .flatMap(name =>
      readFileSync(join(fixtures, name), 'utf8')
        .split('\n')
        .flatMap((line, i) => (line.endsWith('// error') ? [`${name}:${i + 1}`] : [])),
    )
  const upwards = importsIn(fixtures, ['src'])
    .filter(({ file, imported }) => !mayImport(file, imported))
    .map(({ file, line }) => `${file}:${line}`)
  expect([...(await refused(folder)), ...upwards].toSorted()).toEqual(marked.toSorted())
})
