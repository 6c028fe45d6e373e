import { onTestFinished } from 'vitest'
import type { Actor } from '../../src/actor.js'
import { openTerminal } from '../../src/ssh/interactive.js'
import type { Site, Terminal, Wishes } from '../../src/ssh/terminal.js'
import type { TestApp } from './app.js'
import { TerminalModel } from './terminal-model.js'

const names: Readonly<Record<string, string>> = {
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  enter: '\r',
  escape: '\x1b',
  tab: '\t',
  backspace: '\x7f',
  'ctrl+s': '\x13',
  'ctrl+u': '\x15',
  'ctrl+c': '\x03',
  'ctrl+l': '\x0c',
  'ctrl+z': '\x1a',
}

/** A client in memory: its screen, and keys for it. */
export interface Client {
  readonly model: TerminalModel
  /** All output to the client. */
  readonly written: string[]
  readonly closed: { sentence: string | undefined } | undefined
  /** While true the client reads nothing. */
  stalled: boolean
  drain(): void
  resize(columns: number, rows: number): void
  send(bytes: Buffer | string): void
  hangUp(): void
  /** Presses keys by name, one after the other. */
  press(...keys: string[]): void
  type(text: string): void
  text(): string
  /** Waits until the screen has this text. */
  sees(wanted: string | RegExp): Promise<string>
  /** Waits until the screen no longer has this text. */
  misses(unwanted: string | RegExp): Promise<string>
}

const siteOf = ({ services, config, clock, parts }: TestApp): Site => {
  let requests = 0
  return {
    services,
    clock,
    log: parts.ports.log,
    config: () => config,
    newRequestId: () => `request-${++requests}`,
  }
}

/** Returns the actor of a user who is signed in over SSH. */
export async function sshActor(
  { services, users }: TestApp,
  caller: 'admin' | 'editor' | 'viewer',
): Promise<Actor> {
  const user = await services.users.get(users[caller])
  return {
    userId: user.user_id,
    roleId: user.role,
    credential: { kind: 'session', id: `ssh-${caller}` },
    surface: 'ssh',
    requestId: 'request',
    ipAddress: '192.0.2.7',
    userAgent: 'SSH-2.0-OpenSSH_9.2',
  }
}

function memoryTerminal({
  columns,
  rows,
  term = 'xterm-256color',
  wishes,
}: {
  columns: number
  rows: number
  term: string | undefined
  wishes: Partial<Wishes> | undefined
}): Client & { terminal: Terminal } {
  const model = new TerminalModel(columns, rows)
  const written: string[] = []
  const [data, drains, resizes, closes]: [((bytes: Buffer) => void)[], ...(() => void)[][]] = [[], [], [], []]
  let closed: { sentence: string | undefined } | undefined
  const terminal: Terminal = {
    get columns() {
      return model.columns
    },
    get rows() {
      return model.rows
    },
    term,
    wishes: { noColour: false, trueColour: false, zone: 'UTC', ...wishes },
    write(text) {
      written.push(text)
      if (term === 'dumb') model.feedLines(text)
      else model.feed(text)
      return !client.stalled
    },
    onDrain: listener => drains?.push(listener),
    onData: listener => data.push(listener),
    onResize: listener => resizes?.push(listener),
    close(sentence) {
      closed = { sentence }
      for (const listener of closes ?? []) listener()
    },
    onClose: listener => closes?.push(listener),
  }
  const seen = async (test: (text: string) => boolean, what: string): Promise<string> => {
    for (let tries = 0; tries < 12_000; tries++) {
      if (test(model.text())) return model.text()
      await new Promise(resolve => setTimeout(resolve, 5))
    }
    throw new Error(`${what}:\n${model.text()}`)
  }
  const has = (text: string, wanted: string | RegExp) =>
    typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)
  const client: Client & { terminal: Terminal } = {
    terminal,
    model,
    written,
    stalled: false,
    get closed() {
      return closed
    },
    drain() {
      for (const listener of drains ?? []) listener()
    },
    resize(width, height) {
      model.resize(width, height)
      for (const listener of resizes ?? []) listener()
    },
    send(bytes) {
      for (const listener of data) listener(Buffer.from(bytes))
    },
    hangUp() {
      for (const listener of closes ?? []) listener()
    },
    press(...keys) {
      for (const key of keys) client.send(names[key] ?? key)
    },
    type: text => client.send(text),
    text: () => model.text(),
    sees: wanted => seen(text => has(text, wanted), `is not seen: ${wanted}`),
    misses: unwanted => seen(text => !has(text, unwanted), `is still seen: ${unwanted}`),
  }
  model.onAnswer = answer => setImmediate(() => client.send(answer))
  return client
}

/** Opens the screens for a user of a test. */
export async function openScreens(
  app: TestApp,
  caller: 'admin' | 'editor' | 'viewer' = 'admin',
  {
    columns = 80,
    rows = 24,
    term,
    latin = false,
    wishes,
  }: { columns?: number; rows?: number; term?: string; latin?: boolean; wishes?: Partial<Wishes> } = {},
): Promise<Client> {
  const client = memoryTerminal({ columns, rows, term, wishes })
  // It shows two bytes as two characters.
  if (latin) client.model.onAnswer = () => setImmediate(() => client.send('\x1b[1;3R'))
  await openTerminal(siteOf(app), await sshActor(app, caller), client.terminal)
  onTestFinished(() => client.hangUp())
  return client
}

/** Goes to a screen by its name. */
export async function goTo(client: Client, name: string, wanted: string | RegExp): Promise<void> {
  client.press('g')
  await client.sees('Go to')
  client.type(name)
  client.press('enter')
  await client.sees(wanted)
}

/** Goes from the first screen to the tree of the sample page, or to the form of its root. */
export async function openPage(client: Client, as: 'tree' | 'entry'): Promise<void> {
  client.press('enter')
  await client.sees('Straße')
  client.type('/wel')
  client.press('enter', 'enter')
  await client.sees('Opening hours')
  if (as === 'tree') return
  client.press('enter')
  await client.sees('Page · draft')
}
