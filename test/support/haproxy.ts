import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort, portListens } from './process.js'

/**
 * Starts HAProxy in front of two servers: the first as long as it responds, then the second.
 * @returns its port; undefined if it is not installed
 */
export async function haproxy(first: number, second: number): Promise<number | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-haproxy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(
    file,
    `defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
listen database
  bind 127.0.0.1:${port}
  default-server check inter 100ms fall 1 rise 1 on-marked-down shutdown-sessions
  server first 127.0.0.1:${first}
  server second 127.0.0.1:${second} backup
`,
  )
  const child = spawn('haproxy', ['-q', '-f', file], { stdio: 'ignore' })
  let isMissing = false
  child.once('error', () => {
    isMissing = true
  })
  onTestFinished(() => void child.kill('SIGTERM'))
  while (!(await portListens(port))) if (isMissing || child.exitCode !== null) return undefined
  return port
}
