import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { packed } from '../support/package-registry.js'

const folder = mkdtempSync(join(tmpdir(), 'slugline-create-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { PATH } = process.env
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

const tarball = packed(folder, ['create-slugline'])['create-slugline'] ?? ''
writeFileSync(join(folder, 'package.json'), '{}')
execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], {
  cwd: folder,
  stdio: 'ignore',
})

/** Runs the installed command, without a terminal. */
async function create(...args: string[]) {
  const command = join(folder, 'node_modules/.bin/create-slugline')
  const child = spawn(command, args, { cwd: folder, env: { PATH }, stdio: ['ignore', 'pipe', 'pipe'] })
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', data => (text[name] += data))
  const code = await new Promise<number | null>(done => child.once('close', done))
  return { code, ...text }
}
const filesIn = (name: string) =>
  readdirSync(join(folder, name), { recursive: true, withFileTypes: true }).flatMap(entry => {
    const path = join(entry.parentPath, entry.name)
    return entry.isFile() ? [[path, readFileSync(path, 'utf8')] as const] : []
  })

it.each(['astro', 'eleventy', 'next', 'nuxt', 'sveltekit'])(
  'writes a site with %s that needs nothing of this repository',
  async name => {
    const { code, stdout } = await create(name, '--template', name)
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(`npx slugline@${version} quickstart --empty --dir cms`),
    ])
    const own = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'))
    expect(own).toMatchObject({
      name,
      private: true,
      scripts: { build: expect.any(String), seed: 'node seed.mjs 20' },
    })
    for (const [dependency, at] of Object.entries(own.dependencies))
      expect([dependency, at]).toEqual([
        dependency,
        dependency.startsWith('@slugline/') ? version : expect.stringMatching(/^\d/),
      ])
    const config = JSON.parse(readFileSync(join(folder, name, 'cms/cms.config.json'), 'utf8'))
    expect(new URL(config.preview_url).origin).toBe(config.cors_origins[0])
    for (const [file, text] of filesIn(name)) {
      expect([file, /file:\.\.|\.\.\/(?:\.\.\/)*(?:packages|docs|eleventy)\b/.exec(text)?.[0]]).toEqual([
        file,
        undefined,
      ])
      expect(file).not.toMatch(/node_modules\//)
    }
    const lock = JSON.parse(readFileSync(join(folder, name, 'package-lock.json'), 'utf8'))
    expect([lock.name, lock.packages[''].dependencies]).toEqual([name, own.dependencies])
    expect(Object.values(lock.packages).filter(one => (one as { resolved?: string }).resolved)).toEqual([])
    // Every command that is printed is also in the README.
    const readme = readFileSync(join(folder, name, 'README.md'), 'utf8')
    for (const line of stdout.split('\n').filter(line => /^ {2}(npm|npx|export) /.test(line)))
      expect(readme).toContain(line.trim())
  },
)

it('needs nothing that is published, in a copy of the repository', async () => {
  const site = join(folder, 'from the repository')
  const command = ['packages/create-slugline/index.js', site, '-t', 'astro']
  const stdout = execFileSync(process.execPath, command, { encoding: 'utf8' })
  const serve = `npm run quickstart --prefix ${process.cwd()}/ -- --empty --dir "$PWD/cms"`
  for (const text of [stdout, readFileSync(join(site, 'README.md'), 'utf8')]) expect(text).toContain(serve)
  const read = (file: string) => JSON.parse(readFileSync(join(site, file), 'utf8'))
  const [own, lock] = [read('package.json'), read('package-lock.json')]
  expect(lock.packages[''].dependencies).toEqual(own.dependencies)
  for (const name of ['astro', 'client']) {
    const at = `file:packages/slugline-${name}-${version}.tgz`
    expect(own.dependencies[`@slugline/${name}`]).toBe(at)
    expect(lock.packages[`node_modules/@slugline/${name}`]).toEqual({ version, resolved: at })
    const files = execFileSync('tar', ['tzf', join(site, at.slice('file:'.length))], { encoding: 'utf8' })
    expect(files).toContain('package/index.js')
  }
  expect(readdirSync(site)).toEqual(
    expect.arrayContaining(['seed.mjs', 'rebuild.mjs', 'receiver.mjs', 'cms']),
  )
})

it('overwrites nothing, and names what is wrong', async () => {
  await create('twice', '-t', 'eleventy')
  writeFileSync(join(folder, 'twice/languages.mjs'), 'mine')
  for (const [args, reason] of [
    [['twice', '-t', 'next'], /twice exists already/],
    [['.', '-t', 'next'], /exists already/],
    [['missing/site', '-t', 'next'], /its parent folder is missing/],
    [['other', '-t', 'vue'], /Unknown template vue\. Templates: astro, eleventy, next, nuxt, sveltekit/],
    [['other', '-t', '../../packages'], /Unknown template/],
    [['other', '-t', '__proto__'], /Unknown template/],
    [['other'], /Name a folder and a template/],
    [['other', '--tempalte', 'next'], /tempalte/],
    [['one', 'two', '-t', 'next'], /Usage/],
  ] as const) {
    const { code, stderr, stdout } = await create(...args)
    expect([args, code, stderr, stdout]).toEqual([args, 1, expect.stringMatching(reason), ''])
  }
  expect(readFileSync(join(folder, 'twice/languages.mjs'), 'utf8')).toBe('mine')
  expect(readdirSync(folder)).not.toContain('other')
})
