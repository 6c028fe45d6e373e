import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'

/** Whether to skip tests that need tmux: a thorough run fails if it is missing. */
export const tmuxMissing = process.env.TEST_THOROUGH !== '1' && spawnSync('tmux', ['-V']).error !== undefined

/** Returns the command line of `ssh` to a port of this machine, with options before the name. */
export const sshCommand = (port: number, name: string, ...options: string[]): string[] => [
  ...['ssh', '-F', 'none', '-tt', '-p', String(port), '-o', 'IdentitiesOnly=yes', '-o', 'IdentityAgent=none'],
  ...['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR'],
  ...[...options, `${name}@127.0.0.1`],
]

/** Opens a terminal of tmux that runs a command. @returns functions to read its screen and to send keys */
export function tmux(command: readonly string[], [columns, rows] = [80, 24]) {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-tmux-'))
  const run = (...args: string[]) =>
    execFileSync('tmux', ['-u', '-S', join(folder, 'socket'), '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', TERM: 'xterm-256color' },
    })
  run('new-session', '-d', '-x', String(columns), '-y', String(rows), ...command)
  run('set-option', '-g', 'status', 'off')
  run('set-option', '-g', 'remain-on-exit', 'on')
  run('resize-window', '-x', String(columns), '-y', String(rows))
  onTestFinished(() => {
    run('kill-server')
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const text = () => run('capture-pane', '-p')
  const sees = async (wanted: string | RegExp) => {
    await expect.poll(text, { timeout: 180_000, interval: 50 }).toMatch(wanted)
    return text()
  }
  return {
    text,
    sees,
    /** Waits until the command has ended. tmux may never learn its exit code, and then shows no message. */
    async ended() {
      await expect
        .poll(() => run('display-message', '-p', '#{pane_dead}').trim(), { timeout: 180_000 })
        .toBe('1')
    },
    /** Appends the output of the command to a file from now on. */
    recordTo: (file: string) => run('pipe-pane', '-o', `cat >> ${file}`),
    keys: (...names: string[]) => run('send-keys', ...names),
    type: (given: string) => run('send-keys', '-l', given),
    resize: (width: number, height: number) =>
      run('resize-window', '-x', String(width), '-y', String(height)),
  }
}
