import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { browserFlags, executablePath } from './browser.js'

/** Creates a folder for a browser's profile, which is removed after the test. */
export function browserProfile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-browser-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

/**
 * Starts a browser with a profile, as a person does.
 * @returns its window, and a function that kills all its processes at once
 */
export async function killableBrowser(
  profile: string,
): Promise<{ context: BrowserContext; kill9(): Promise<void> }> {
  const portFile = join(profile, 'DevToolsActivePort')
  rmSync(portFile, { force: true })
  const flags = [...browserFlags, '--headless=new', '--remote-debugging-port=0', `--user-data-dir=${profile}`]
  const child = spawn(executablePath ?? '/usr/bin/chromium', [...flags, 'about:blank'], {
    detached: true,
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  const kill9 = async () => {
    // It has its own process group, so all processes in it belong to this browser.
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, 'SIGKILL')
    await ended
  }
  onTestFinished(kill9)
  const portIn = () => (existsSync(portFile) ? readFileSync(portFile, 'utf8').split('\n')[0] : '')
  await expect.poll(portIn, { timeout: 180_000 }).toMatch(/^\d+$/)
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${portIn()}`)
  const [context] = browser.contexts()
  if (!context) throw new Error('the browser has no window')
  return { context, kill9 }
}
