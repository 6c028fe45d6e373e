import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import type { Client, ClientChannel, ConnectConfig } from 'ssh2'
import { expect, onTestFinished } from 'vitest'
import { migratedDatabase } from './database.js'
import { freePort, portListens, type Start, startProduct } from './process.js'
import { connected, newKey } from './ssh.js'
import { TerminalModel } from './terminal-model.js'

/** Starts the built product with SSH, on a database and a port of its own. */
export async function startWithTerminal(start: Start = {}) {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const sshPort = await freePort()
  const ssh_host_key = join(newKey(), '..', `host-${sshPort}`)
  const config = { ...start.config, ssh_port: `127.0.0.1:${sshPort}`, ssh_host_key }
  const product = await startProduct(address, { ...start, config })
  await expect.poll(() => portListens(sshPort), { timeout: 180_000, interval: 20 }).toBe(true)
  return { ...product, sshPort }
}

/** A user at the screens, with a connection of their own. */
export interface SshSession {
  readonly client: Client
  readonly channel: ClientChannel
  /** How many bytes of screens have arrived. */
  readonly bytes: number
  text(): string
  type(text: string): void
  /** Waits until the screen has this text. */
  sees(wanted: string | RegExp): Promise<string>
}

/** Whether a client may show the received text: the frame is complete, and no sequence is cut. */
const isWhole = (text: string) =>
  text.lastIndexOf('\x1b[?2026h') <= text.lastIndexOf('\x1b[?2026l') &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is sent
  /\x1b\[[?\d;]*[A-Za-z]$/.test(text)

/** Opens the screens over SSH. */
export async function sshSession(
  port: number,
  how: ConnectConfig,
  { columns = 80, rows = 24 }: { columns?: number; rows?: number } = {},
): Promise<SshSession> {
  const client = await connected(port, how)
  const model = new TerminalModel(columns, rows)
  const decoder = new StringDecoder('utf8')
  const window = { cols: columns, rows, term: 'xterm-256color' }
  let [bytes, waiting] = [0, '']
  const channel = await new Promise<ClientChannel>((resolve, reject) =>
    client.shell(window, (error, opened) => {
      if (error) return reject(error)
      model.onAnswer = answer => opened.write(answer)
      opened.on('data', (data: Buffer) => {
        bytes += data.length
        waiting += decoder.write(data)
        if (!isWhole(waiting)) return
        model.feed(waiting)
        waiting = ''
      })
      resolve(opened)
    }),
  )
  const has = (wanted: string | RegExp) =>
    typeof wanted === 'string' ? model.text().includes(wanted) : wanted.test(model.text())
  return {
    client,
    channel,
    get bytes() {
      return bytes
    },
    text: () => model.text(),
    type: text => void channel.write(text),
    async sees(wanted) {
      for (let tries = 0; tries < 6000; tries++) {
        if (has(wanted)) return model.text()
        await new Promise(resolve => setTimeout(resolve, 10))
      }
      throw new Error(`is not seen: ${wanted}\n${model.text()}`)
    },
  }
}
