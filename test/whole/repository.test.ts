import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n').filter(existsSync)
const read = (path: string) => readFileSync(path, 'utf8')

interface Workflow {
  permissions: object
  jobs: Record<string, { needs?: string | string[]; steps: { uses?: string; run?: string }[] }>
}
const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yaml`))

it('every YAML file parses', () => {
  // The chart's templates are YAML once they are rendered: chart.test.ts.
  const found = files.filter(path => /\.ya?ml$/.test(path) && !/^deploy\/helm\/.*\/templates\//.test(path))
  expect(found.length).toBeGreaterThan(5)
  for (const path of found) expect(() => parse(read(path), { strict: true }), path).not.toThrow()
})

it('the workflows call .ci/run, and can only read unless a job says otherwise', () => {
  for (const name of ['check', 'release']) {
    const { permissions, jobs } = workflow(name)
    expect(permissions).toEqual({ contents: 'read' })
    expect(jobs.check?.steps.map(({ run }) => run)).toContain('.ci/run')
    for (const { uses } of Object.values(jobs).flatMap(({ steps }) => steps))
      expect(uses ?? 'actions/x@v1').toMatch(/^(actions|docker)\/[\w-]+@v\d+$/)
  }
  accessSync('.ci/run', constants.X_OK)
})

it('a release publishes nothing before the checks have passed', () => {
  const { jobs } = workflow('release')
  expect(Object.entries(jobs).map(([name, { needs }]) => [name, needs])).toEqual([
    ['check', undefined],
    ['npm', 'check'],
    ['image', 'check'],
    ['notes', ['npm', 'image']],
  ])
  expect(jobs.npm?.steps.map(({ run }) => run)).toContain('npm publish --provenance --access public')
  expect(read('.github/workflows/release.yaml')).toContain('platforms: linux/amd64,linux/arm64')
})

it('the development container names files that exist', () => {
  const { dockerComposeFile } = JSON.parse(read('.devcontainer/devcontainer.json'))
  const { services } = parse(read(join('.devcontainer', dockerComposeFile)))
  expect(Object.keys(services)).toEqual(['workspace', 'postgres', 'mariadb'])
})

it('the starters have one look: each has the same style sheet, because each is copied out alone', () => {
  const sheets = files.filter(path => /^examples\/.*\/site\.css$/.test(path))
  const starters = files.filter(path => /^examples\/[^/]+\/package\.json$/.test(path))
  const foldersOf = (paths: readonly string[]) => paths.map(path => path.split('/')[1]).toSorted()
  expect(foldersOf(sheets)).toEqual(foldersOf(starters))
  expect(new Set(sheets.map(read)).size).toBe(1)
})
