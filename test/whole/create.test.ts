import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { installedPackages } from '../support/installed.js'
import { freePort } from '../support/process.js'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'slugline-create-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { PATH } = process.env
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

const packed = execFileSync(
  'npm',
  ['pack', '--silent', '--workspace', 'create-slugline', '--pack-destination', folder],
  { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
)
const tarball = packed.trim().split('\n').at(-1) ?? ''
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

it.each(['astro', 'eleventy', 'next'])(
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
      expect(file).not.toMatch(/node_modules|package-lock/)
    }
    // Every command that is printed is also in the README.
    const readme = readFileSync(join(folder, name, 'README.md'), 'utf8')
    for (const line of stdout.split('\n').filter(line => /^ {2}(npm|npx|export) /.test(line)))
      expect(readme).toContain(line.trim())
  },
)

it('overwrites nothing, and names what is wrong', async () => {
  await create('twice', '-t', 'eleventy')
  writeFileSync(join(folder, 'twice/languages.mjs'), 'mine')
  for (const [args, reason] of [
    [['twice', '-t', 'next'], /twice exists already/],
    [['.', '-t', 'next'], /exists already/],
    [['missing/site', '-t', 'next'], /the folder above is missing/],
    [['other', '-t', 'vue'], /no template vue: astro, eleventy, next/],
    [['other', '-t', '../../packages'], /no template/],
    [['other', '-t', '__proto__'], /no template/],
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

it('leads to a built site beside an empty service, by the printed commands', async () => {
  await create('my-site', '-t', 'eleventy')
  const site = join(folder, 'my-site')
  const [port, sshPort] = [await freePort(), await freePort()]
  const configPath = join(site, 'cms/cms.config.json')
  const config = JSON.parse(readFileSync(configPath, 'utf8'))
  writeFileSync(
    configPath,
    JSON.stringify({ ...config, port: `127.0.0.1:${port}`, ssh_port: `127.0.0.1:${sshPort}` }),
  )
  const env = {
    PATH,
    CMS_ADMIN_PASSWORD: 'a pass phrase of the test',
    SLUGLINE_URL: `http://127.0.0.1:${port}`,
  }
  const service = spawn(
    process.execPath,
    ['dist/cli.js', 'quickstart', '--empty', '--dir', join(site, 'cms')],
    {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  try {
    await new Promise<void>((done, failed) => {
      let text = ''
      service.stdout.on('data', data => {
        text += data
        if (text.includes('Stop with Ctrl-C')) done()
      })
      service.once('close', code => failed(new Error(`the service ended with ${code}: ${text}`)))
    })
    // The installed packages of the example are those that `npm install` takes here.
    const packages = await installedPackages('examples/eleventy', 'example-site')
    symlinkSync(join(packages, 'node_modules'), join(site, 'node_modules'))
    await expect(
      run('npm', ['run', 'seed'], { cwd: site, env: { PATH, SLUGLINE_URL: env.SLUGLINE_URL } }),
    ).rejects.toThrow(/CMS_ADMIN_PASSWORD/)
    await run('npm', ['run', 'seed'], { cwd: site, env })
    await run('npm', ['run', 'build'], { cwd: site, env })
    for (const [page, title] of [
      ['posts/post-1', 'Post 1 &lt;of many&gt;'],
      ['de/beitraege/beitrag-20', 'Beitrag 20 &lt;von vielen&gt;'],
    ] as const)
      expect(readFileSync(join(site, '_site', page, 'index.html'), 'utf8')).toContain(`<h1>${title}</h1>`)
  } finally {
    service.kill('SIGTERM')
    await new Promise(done => service.once('close', done))
  }
})
