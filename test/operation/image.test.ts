import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { installedPackages } from '../support/installed.js'
import { freePort } from '../support/process.js'

// `npm run test:image`, as root on Debian with buildah and debootstrap: it builds the image of deploy/Dockerfile.
const isWanted = process.env.TEST_IMAGE !== undefined

const run = promisify(execFile)
const place = mkdtempSync(join(tmpdir(), 'slugline-image-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))
const at = (...path: string[]) => join(place, ...path)

async function buildah(...args: string[]): Promise<string> {
  const store = ['--root', at('store'), '--runroot', at('running'), '--storage-driver', 'vfs']
  const { stdout } = await run('buildah', [...store, ...args], { maxBuffer: 2 ** 26 })
  return stdout.trim()
}

const dockerfile = readFileSync('deploy/Dockerfile', 'utf8')
const [, base = '', version = ''] = /^FROM (node:(\d+)\S+)/m.exec(dockerfile) ?? []

/** The image that the Dockerfile begins with, made of packages of Debian and of the Node that npm has. */
async function makeBase(): Promise<void> {
  const root = at('base')
  const [, release = ''] = /-([a-z]+)-slim$/.exec(base) ?? []
  const packages = '--include=ca-certificates,libatomic1,libstdc++6'
  await run('debootstrap', ['--variant=minbase', packages, release, root], { maxBuffer: 2 ** 26 })
  const node = join(await installedPackages('test/runtimes', 'runtimes'), `node_modules/node${version}`)
  const npm = dirname(
    dirname(await run('readlink', ['-f', await which('npm')]).then(({ stdout }) => stdout.trim())),
  )
  const local = (path: string) => join(root, 'usr/local', path)
  cpSync(join(node, 'bin/node'), local('bin/node'))
  cpSync(join(node, 'include/node'), local('include/node'), { recursive: true })
  cpSync(npm, local('lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, local(`bin/${name}`))
  // The authorities that this machine trusts, and no download of headers: they are here.
  const authorities = 'etc/ssl/certs/ca-certificates.crt'
  cpSync(join('/', authorities), join(root, authorities))
  writeFileSync(join(root, 'root/.npmrc'), 'cafile=/etc/ssl/certs/ca-certificates.crt\nnodedir=/usr/local\n')
  await run('chroot', [root, 'useradd', '--create-home', '--uid', '1000', 'node'])
  const container = await buildah('from', 'scratch')
  await buildah('copy', '--quiet', container, root, '/')
  await buildah('commit', '--quiet', '--format', 'docker', container, `docker.io/library/${base}`)
  await buildah('rm', container)
  rmSync(root, { recursive: true })
}

const which = async (name: string) => (await run('which', [name])).stdout.trim()

/** What git has, and nothing that lies beside it. */
async function makeCopy(): Promise<string> {
  const copy = at('copy')
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard'], { maxBuffer: 2 ** 26 })
  for (const file of stdout.trim().split('\n')) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(file, join(copy, file), { force: true })
  }
  return copy
}

/** Runs a command of the image as its user, on a root that cannot be written, with a volume and a /tmp that can. */
const contained = `set -e
mount --bind "$ROOT" "$ROOT"
mount --bind "$DATA" "$ROOT/data"
mount -t tmpfs tmpfs "$ROOT/tmp"
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount -o remount,bind,ro "$ROOT"
exec chroot --userspec=node:node "$ROOT" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/home/node NODE_ENV=production \\
  sh -c 'cd /data && ! touch /app/written 2>/dev/null && exec "$@"' sh "$@"`

it.runIf(isWanted)(
  'the image is built, and serves from a root that cannot be written',
  async () => {
    await makeBase()
    const image = 'slugline:test'
    await buildah(
      ...[
        'bud',
        '--isolation',
        'chroot',
        '--pull-never',
        '--format',
        'docker',
        '--layers=false',
        '-t',
        image,
      ],
      ...['-f', resolve('deploy/Dockerfile'), await makeCopy()],
    )
    const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', image))
    expect(Docker.config).toMatchObject({ User: 'node', WorkingDir: '/data' })
    const ROOT = await buildah('mount', await buildah('from', '--pull-never', image))
    const DATA = at('data')
    mkdirSync(DATA)
    const port = await freePort()
    writeFileSync(
      join(DATA, 'cms.config.json'),
      JSON.stringify({
        ...{ environment: 'production-docker', tls: 'off', port: `127.0.0.1:${port}`, ssh_enabled: false },
        ...{ client_site: 'www.example.com', db_driver: 'sqlite', db_url: './modula.db' },
      }),
    )
    await run('chown', ['-R', '1000:1000', DATA])
    const [, ...command] = Docker.config.Cmd as string[]
    const args = [
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      '--propagation',
      'private',
      'bash',
      '-c',
      contained,
    ]
    const child = spawn('unshare', [...args, 'bash', '/usr/local/bin/node', ...command], {
      env: { PATH: process.env.PATH, ROOT, DATA },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (output += data))
    const ended = new Promise(done => child.once('exit', done))
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended
    })
    const health = () =>
      fetch(`http://127.0.0.1:${port}/api/v1/health/ready`).then(
        answer => answer.status,
        () => output,
      )
    await expect.poll(health, { timeout: 180_000 }).toBe(200)
    expect(output).toContain('First administrator')
    // The image's own check, at the port of this test.
    const [kind, ...check] = Docker.config.Healthcheck.Test as string[]
    expect(kind).toBe('CMD')
    const asked = check.map(part => part.replace(':8080', `:${port}`))
    await run('chroot', ['--userspec=node:node', ROOT, ...asked])
    await expect(run('chroot', [ROOT, ...check.map(part => part.replace(':8080', ':1'))])).rejects.toThrow()
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { Accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ])
    // unshare ignores the signal, and ends as its child does.
    const pid = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'))
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\t1000\t1000\t/m)
    process.kill(pid, 'SIGTERM')
    expect(await ended).toBe(0)
  },
  1_800_000,
)
