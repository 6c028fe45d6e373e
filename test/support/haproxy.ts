import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
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

/**
 * Starts HAProxy with its file of `deploy`, without HTTPS, in front of instances.
 * @param reader the port of one that only reads; without it nothing listens there
 * @returns its address
 */
export async function siteBalancer([one, two]: readonly [number, number], reader?: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-haproxy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  const whole = readFileSync('deploy/haproxy.cfg', 'utf8')
    .replace('bind :80\n', `bind 127.0.0.1:${port}\n`)
    .replace(/ {2}bind :443 .*\n/, '')
    .replace(/.*redirect scheme https.*\n/, '')
    .replaceAll('10.0.0.1:8080', `127.0.0.1:${one}`)
    .replaceAll('10.0.0.2:8080', `127.0.0.1:${two}`)
    .replaceAll('10.0.0.3:8080', `127.0.0.1:${reader ?? (await freePort())}`)
  writeFileSync(file, whole)
  const child = spawn('haproxy', ['-q', '-f', file], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGTERM'))
  await expect.poll(() => child.exitCode ?? portListens(port)).toBe(true)
  return `http://127.0.0.1:${port}`
}
