import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config.js'
import { testApp } from '../support/app.js'

const read = (path: string) => readFileSync(path, 'utf8')
const { call } = await testApp()

const variables = {
  SITE: 'www.example.com',
  MEDIA_SITE: 'media.example.com',
  APP_SECRET: 'x'.repeat(32),
  DB_PASSWORD: 'x',
  STORAGE_SECRET: 'x',
}

it('the dashboard and the page on monitoring name metrics that there are, and all of ours', async () => {
  await call('GET', '/somewhere', { as: 'nobody' })
  const { text } = await call('GET', '/api/v1/metrics')
  const there = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
  const named = (file: string) =>
    new Set(
      [...read(file).matchAll(/\b(?:slugline|process|nodejs)_[a-z0-9_]+[a-z]\b/g)].map(([name]) => name),
    )
  const metrics = (file: string) => [...named(file)].map(name => name.replace(/_bucket$/, ''))
  for (const file of ['deploy/grafana-dashboard.json', 'docs/monitoring.md'])
    expect([file, metrics(file).filter(name => !there.has(name))]).toEqual([file, []])
  const ours = [...there].filter(name => name?.startsWith('slugline_'))
  for (const file of ['deploy/grafana-dashboard.json', 'docs/monitoring.md'])
    expect([file, ours.filter(name => !metrics(file).includes(name ?? ''))]).toEqual([file, []])
})

it('the configurations of deploy are taken, and name no unknown field', () => {
  const files = readdirSync('deploy').filter(name => name.startsWith('cms.config'))
  expect(files.length).toBeGreaterThan(1)
  for (const file of files)
    expect([file, parseConfig(JSON.parse(read(`deploy/${file}`)), variables).unknown]).toEqual([file, []])
})

it('proxies and containers ask addresses that there are', async () => {
  for (const file of ['Caddyfile', 'Dockerfile', 'haproxy.cfg'])
    for (const [path] of read(`deploy/${file}`).matchAll(/\/api\/v1\/health\/\w+/g))
      expect([file, (await call('GET', path, { as: 'nobody' })).status]).toEqual([file, 200])
  const compose = read('deploy/compose.yaml')
  const named = read('deploy/cms.config.compose.json').matchAll(/\$\{(\w+)\}/g)
  for (const [, name] of named) expect(compose).toContain(`${name}: \${${name}:?}`)
})

it('the service in a container trusts the gateway of its network, and finds the store where it listens', () => {
  const compose = read('deploy/compose.yaml')
  const { trusted_proxies, bucket_endpoint } = JSON.parse(read('deploy/cms.config.compose.json'))
  expect(trusted_proxies).toEqual([/gateway: ([\d.]+)/.exec(compose)?.[1]])
  expect(compose).toContain(`AWS_ENDPOINT_URL: ${bucket_endpoint}\n`)
  expect(compose).toContain(`http://127.0.0.1:${new URL(bucket_endpoint).port}/health`)
})

it('the image has a Node, and a driver of SQLite, that the product is tried on', () => {
  const { dependencies } = JSON.parse(read('test/runtimes/package.json'))
  const images = [...read('deploy/Dockerfile').matchAll(/^FROM node:(\d+)/gm)].map(([, version]) => version)
  expect(images).toHaveLength(2)
  for (const version of images) expect(Object.keys(dependencies)).toContain(`node${version}`)
  const { optionalDependencies } = JSON.parse(read('package.json'))
  expect(optionalDependencies['better-sqlite3-node22']).toBe(
    `npm:better-sqlite3@${dependencies['better-sqlite3']}`,
  )
})

// `npm run test:image` builds and starts it.
it('the image has the files of the package, and a root that need not be written', () => {
  const dockerfile = read('deploy/Dockerfile')
  expect(dockerfile).toMatch(/^RUN npm pack && mkdir \/package && tar -xzf slugline-\*\.tgz -C \/package /m)
  expect(dockerfile).toMatch(/^COPY --from=build \/package \/app$/m)
  expect(read('deploy/compose.yaml')).toMatch(/^ {4}read_only: true\n {4}tmpfs: \[\/tmp\]$/m)
})

/** The number of a port such as `:8080` or `127.0.0.1:8080`. */
const numberOf = (port: string | number) => Number(String(port).split(':').at(-1))

it('containers, proxies and pages name the ports that the service listens on', () => {
  const portsOf = (given: object) => {
    const { config } = parseConfig(given, variables)
    expect(config.ssh_enabled).toBe(true)
    return [config.port, config.ssh_port].map(numberOf)
  }
  const usual = portsOf({})
  const exposed = /^EXPOSE (.+)$/m.exec(read('deploy/Dockerfile'))?.[1]
  expect(exposed?.split(' ').map(Number)).toEqual(usual)
  const [published = ''] = /ports: \[.*2233.*\]/.exec(read('deploy/compose.yaml')) ?? []
  const inside = [...published.matchAll(/"127\.0\.0\.1:(\d+):(\d+)"/g)].map(([, out, to]) =>
    [out, to].map(Number),
  )
  const composed = portsOf(JSON.parse(read('deploy/cms.config.compose.json')))
  expect(inside).toEqual(composed.map(port => [port, port]))
  const [web, terminal] = portsOf(JSON.parse(read('deploy/cms.config.proxy.json')))
  for (const file of ['deploy/nginx.conf', 'deploy/Caddyfile']) {
    expect([file, read(file)]).toEqual([file, expect.stringContaining(`127.0.0.1:${web}`)])
    expect([file, read(file)]).toEqual([file, expect.stringContaining(`ssh_port (${terminal})`)])
  }
  for (const file of ['README.md', 'docs/installation.md', 'docs/proxy.md', 'docs/terminal/README.md'])
    expect([file, read(file)]).toEqual([file, expect.stringMatching(new RegExp(`\\b${terminal}\\b`))])
})

it.each(['.gitignore', '.dockerignore'])('%s keeps out what the first commands make', name => {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-ignored-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
  git('init', '--quiet')
  copyFileSync(name, join(folder, '.gitignore'))
  const made = ['modula.db', 'modula.db-wal', 'modula.db.secret', 'modula.db.ssh_host_key', 'cms.config.json']
  const paths = [
    // README: quickstart, its own site, a shell in the folder itself. Then docs/installation.md.
    ...['quickstart', 'site', '.'].flatMap(at => made.map(file => join(at, file))),
    ...['quickstart/media/a', 'cookies', 'cms.config.json.secret', 'deploy/.env'],
  ]
  expect(
    git('check-ignore', '--no-index', ...paths)
      .stdout.trim()
      .split('\n'),
  ).toEqual(paths)
  expect(git('check-ignore', '--no-index', 'cms.config.json.example', 'src/server.ts').stdout).toBe('')
})

it('the host key of the terminal is kept in a volume', () => {
  expect(read('deploy/Dockerfile')).toMatch(/^VOLUME \/data$/m)
  expect(read('deploy/compose.yaml')).toMatch(/- data:\/data\n[\s\S]*^volumes:\n {2}data:/m)
})

const units = ['slugline.service', 'slugline-demonstration.service']

it.for(units)('%s is a unit that systemd takes', (name, { skip }) => {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-unit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const unit = join(folder, name)
  copyFileSync(`deploy/${name}`, unit)
  const { error, status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
  if (error) return skip('systemd-analyze is not installed')
  expect([status, stderr]).toEqual([0, ''])
})
