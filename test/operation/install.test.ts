import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { engine } from '../support/database.js'
import { programPath } from '../support/programs.js'

const run = promisify(execFile)
const possible =
  process.platform === 'linux' && process.getuid?.() === 0 && programPath('journalctl') !== undefined

/** The commands of the page, as they are typed. */
function typed(): string[] {
  const [, block = ''] = /## With systemd[\s\S]*?```sh\n([\s\S]*?)```/.exec(
    readFileSync('docs/installation.md', 'utf8'),
  ) ?? ['']
  return block.trim().split('\n')
}

/** The driver that is installed here, as one that is ready to be downloaded: to compile it twice says nothing more. */
function readyDriver(folder: string): void {
  const at = 'node_modules/better-sqlite3'
  const { version } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))
  const name = `better-sqlite3-v${version}-node-v${process.versions.modules}-${process.platform}-${process.arch}.tar.gz`
  mkdirSync(folder)
  execFileSync('tar', ['czf', join(folder, name), '-C', at, 'build/Release/better_sqlite3.node'])
}

/**
 * Begins as this machine and keeps what is changed for itself; at last it runs systemd, alone on its network. The first
 * commands run before, for they fetch packages.
 */
const machine = `set -e
mount -t tmpfs -o size=8g tmpfs "$PLACE"
mkdir "$PLACE/upper" "$PLACE/work" "$PLACE/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$PLACE/upper,workdir=$PLACE/work" "$PLACE/root"
mkdir -p "$PLACE/root/root/copy"
git ls-files -z | xargs -0 cp --parents -t "$PLACE/root/root/copy"
mv "$DRIVERS" "$PLACE/root/root/drivers"
cd "$PLACE/root"
mount -t proc proc proc
mount --rbind /sys sys
mount --rbind /dev dev
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
printf '[Unit]\\nRequires=basic.target\\nAfter=basic.target\\n' > etc/systemd/system/bare.target
export npm_config_better_sqlite3_local_prebuilds=/root/drivers
chroot . bash -e -c "cd /root/copy; $FETCHING"
exec unshare --net bash -c 'ip link set lo up
exec env -i container=other PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \\
  chroot . /lib/systemd/systemd --system --unit=bare.target'`

/** Starts it. @returns what runs a line in its shell and gives its output */
async function startMachine(fetching: readonly string[]) {
  const place = mkdtempSync(join(tmpdir(), 'slugline-machine-'))
  const drivers = `${place}-drivers`
  readyDriver(drivers)
  const script = join(place, '..', `${place.split('/').at(-1)}.sh`)
  writeFileSync(script, machine)
  const args = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private', 'bash', script]
  const child: ChildProcess = spawn('unshare', args, {
    env: { ...process.env, PLACE: place, DRIVERS: drivers, FETCHING: fetching.join('; ') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', data => (output += data))
  const ended = new Promise(done => child.once('exit', done))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(place, { recursive: true, force: true })
    rmSync(script, { force: true })
  })
  const inside = () =>
    readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')[0] ?? ''
  const line = async (text: string) => {
    const place = ['-t', inside(), '-m', '-p', '-n', '-r', '-w']
    // A shell whose input is a socket reads root's .bashrc, which waits a minute on some machines.
    const shell = ['bash', '--norc', '-e', '-c', text]
    return (await run('nsenter', [...place, ...shell], { env: { PATH: process.env.PATH } })).stdout
  }
  const state = () =>
    line('systemctl is-system-running').then(
      said => said.trim(),
      () => '',
    )
  // Fetching the packages takes minutes on a busy machine; the limit is that of the test.
  while ((await state()) !== 'running') {
    if (child.exitCode !== null) throw new Error(`the machine ended: ${output.slice(-2000)}`)
    await sleep(1000)
  }
  return line
}

describe.skipIf(!possible || engine !== 'sqlite')('the page of installing', () => {
  it('leads to a service of systemd with HTTPS, by its commands as they are typed', {
    timeout: 1_800_000,
  }, async () => {
    const commands = typed()
    const from = commands.findIndex(command => command.startsWith('useradd'))
    expect(from).toBeGreaterThan(0)
    const line = await startMachine(commands.slice(0, from))
    const last = commands.at(-1) ?? ''
    await line(`cd /root/copy\n${commands.slice(from, -1).join('\n')}`)
    expect(Number.parseInt(await line('du -sm "$(npm root --global)/slugline"'), 10)).toBeLessThan(110)
    // It is shown as soon as the service has started.
    const shown = () => line(last).catch(() => '')
    await expect
      .poll(shown)
      .toContain('First administrator')
      .catch(async error => {
        throw new Error(await line('journalctl -u slugline | tail -n 40'), { cause: error })
      })
    const password = /password[^\n:]*:?\s+(\S+)/i.exec(await shown())?.[1] ?? ''

    const health = () => line('curl --silent --insecure https://127.0.0.1/api/v1/health').catch(() => '{}')
    await expect.poll(async () => JSON.parse(await health()).status).toBe('ok')
    // Nobody issues one for the domain of an example.
    expect(JSON.parse(await health()).checks.certificate).toBe('pending')
    const moved = 'curl --silent --output /dev/null --write-out "%{http_code} %{redirect_url}"'
    expect(await line(`${moved} --header "Host: www.example.com" http://127.0.0.1/about`)).toBe(
      '308 https://www.example.com/about',
    )
    const body = JSON.stringify({ email: 'admin@example.com', password })
    const login = `--json '${body}' https://127.0.0.1/api/v1/auth/login`
    expect(await line(`curl --silent --insecure ${login}`)).toContain('admin@example.com')
    // The account of the service owns what it has, and nobody else reads it.
    expect(await line('stat --format "%U %a" /var/lib/slugline /var/lib/slugline/cms.config.json')).toBe(
      'slugline 700\nslugline 600\n',
    )

    await line('systemctl restart slugline')
    await expect.poll(async () => JSON.parse(await health()).status).toBe('ok')
    await line('systemctl stop slugline')
    expect(await line('systemctl show --property Result,ExecMainStatus slugline')).toBe(
      'Result=success\nExecMainStatus=0\n',
    )
  })
})
