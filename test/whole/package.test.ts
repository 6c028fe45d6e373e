import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { engine } from '../support/database.js'

const run = (command: string, args: string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

/** The package, made from what is in the repository and nothing that lies beside it, unpacked. */
function unpacked(): { folder: string; files: string[] } {
  const at = mkdtempSync(join(tmpdir(), 'slugline-package-'))
  onTestFinished(() => rmSync(at, { recursive: true, force: true }))
  const checkout = join(at, 'checkout')
  for (const file of run('git', ['ls-files', '-co', '--exclude-standard'], '.').trim().split('\n'))
    if (existsSync(file) && !/^(test|bench|docs)\//.test(file)) {
      mkdirSync(dirname(join(checkout, file)), { recursive: true })
      cpSync(file, join(checkout, file))
    }
  symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'))
  run('npm', ['pack', '--pack-destination', at], checkout)
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  run('tar', ['xzf', `slugline-${version}.tgz`], at)
  const files = run('tar', ['tzf', `slugline-${version}.tgz`], at)
    .trim()
    .split('\n')
  return { folder: join(at, 'package'), files: files.map(file => file.replace(/^package\//, '')) }
}

/** Links what the package depends on, and nothing that only its development does. */
function linkProduction(folder: string): void {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean }>
  }
  for (const [path, { dev }] of Object.entries(lock.packages))
    if (!dev && /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && existsSync(path)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      // A copy, for a link would find its own dependencies beside the original.
      cpSync(path, join(folder, path), { recursive: true })
    }
}

it('every package of the repository has its version, and peers of the same', () => {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
  const { version } = read('package.json')
  const packages = readdirSync('packages').map(name => read(`packages/${name}/package.json`))
  expect(packages.map(({ name }) => name).toSorted()).toEqual([
    ...['@slugline/astro', '@slugline/client', '@slugline/eleventy', 'create-slugline'],
  ])
  for (const { name, version: own, peerDependencies = {} } of packages) {
    expect([name, own]).toEqual([name, version])
    for (const [peer, wanted] of Object.entries(peerDependencies))
      if (peer.startsWith('@slugline/')) expect([name, peer, wanted]).toEqual([name, peer, version])
  }
})

describe.runIf(engine === 'sqlite')('the package', () => {
  it('holds what is needed and nothing else, and serves the sample site with media', async () => {
    const { folder, files } = unpacked()
    const others = files.filter(
      file =>
        !/^dist\/(cli|chunks\/[\w.-]+|src\/(app|ssh\/interactive|cli\/import-process|computing\/process|db\/dialects\/sqlite-thread))\.js$/.test(
          file,
        ) &&
        !/^dist\/panel\/((panel|edit|editor|field-order|markdown|narrow|webauthn|media-(crop|item|library)|page|texts-[\w-]+)\.js|(editor|style|page)\.css|icons\.svg)(\.br|\.gz)?$/.test(
          file,
        ) &&
        !/^dist\/sample\/[a-z-]+\.webp$/.test(file),
    )
    const missing = files
      .filter(file => file.endsWith('.js') && !file.startsWith('dist/panel/'))
      .flatMap(file =>
        [...readFileSync(join(folder, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+\.js)"/g)]
          .map(([, path = '']) => join(dirname(file), path))
          .filter(path => !files.includes(path)),
      )
    expect([...new Set(missing)]).toEqual([])
    expect(others.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'cms.config.json.example',
      'cms.config.servers.json.example',
      'dist/licenses.txt',
      'dist/man/slugline.1',
      'dist/twin.d.ts',
      'dist/twin.js',
      'package.json',
    ])
    linkProduction(folder)
    expect(existsSync(join(folder, 'node_modules/fauxqs'))).toBe(false)
    expect(existsSync(join(folder, 'node_modules/htmx.org'))).toBe(false)
    expect(Number.parseInt(run('du', ['-sm', '.'], folder), 10)).toBeLessThan(110)
    // What is bundled is named with its licence.
    const bundled = readFileSync(join(folder, 'dist/licenses.txt'), 'utf8')
    const { devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    for (const name of [
      '@aws-sdk/client-s3',
      'hono',
      'ssh2',
      'htmx.org',
      'lucide-static',
      'prosemirror-view',
    ])
      expect(bundled).toMatch(new RegExp(`^${name} ${devDependencies[name]}( |$)`, 'm'))
    expect(bundled).toContain('Permission is hereby granted, free of charge')
    for (const name of ['esbuild', 'fauxqs', 'vitest'])
      expect(bundled).not.toMatch(new RegExp(`^${name} `, 'm'))

    const site = join(folder, '..', 'site')
    const args = [join(folder, 'dist/cli.js'), 'quickstart', '--dir', site]
    const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH } })
    const ended = new Promise(done => child.once('close', done))
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (output += data))
    await vi.waitUntil(() => /Stop with Ctrl-C/.test(output), { timeout: 180_000, interval: 50 })
    const api = /API +(\S+)/.exec(output)?.[1] ?? ''
    const panel = await (await fetch(api.replace('/api/v1', '/admin/sign-in'))).text()
    const script = /src="([^"]+panel\.js)"/.exec(panel)?.[1] ?? 'none'
    expect((await fetch(new URL(script, api))).status).toBe(200)
    const query = encodeURIComponent('{"sum": 1 + 1}')
    const computed = await fetch(api.replace('/api/v1', `/compat/sanity/v1/data/query/site?query=${query}`))
    expect(await computed.json()).toMatchObject({ result: { sum: 2 } })
    const password = /Password +(\S+)/.exec(output)?.[1]
    const login = await fetch(`${api}/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'admin@example.com', password }),
    })
    const Cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
    // An order that no index has is found in a thread of its own.
    const types = await (await fetch(`${api}/datatypes`, { headers: { Cookie } })).json()
    const { name } = types.find(({ visibility }: { visibility: string }) => visibility !== 'private')
    const sorted = await fetch(`${api}/query/${name}?sort=title,slug`, { headers: { Cookie } })
    expect(sorted.status).toBe(200)
    const form = new FormData()
    form.set('file', new Blob(['a text']), 'a.txt')
    const upload = await fetch(`${api}/media/upload`, { method: 'POST', headers: { Cookie }, body: form })
    expect(upload.status).toBe(201)
    expect((await fetch((await upload.json()).url)).status).toBe(200)
  })
})
