import type { Socket } from 'node:net'
import type { Connection as Client, PseudoTtyInfo, ServerChannel, Session, SFTPWrapper } from 'ssh2'
import { HttpError } from '../errors.js'
import { limits } from '../limits.js'
import { zoneNamed } from '../resources/typed-times.js'
import { t } from '../texts/terminal.js'
import { type ChannelTerminal, channelTerminal, commandTerminal } from './channel-terminal.js'
import type { Connection, Open } from './connection.js'
import { runCommand } from './exec.js'
import type { First } from './interactive.js'
import { serveMedia } from './sftp.js'
import type { Wishes } from './terminal.js'

const { channels: maxChannels, guestChannels } = limits.ssh
/**
 * The shortest packets that a client may ask for. With empty packets the library would write for ever, and with packets
 * of a few bytes every response would block the process.
 */
const minPacketBytes = 1024

const turnAwayMs = 5000

const noScreens = `${t('Screens need a terminal: give a command instead, or connect with ssh -t.')}\n`

const packetBytesOf = (session: Session): number =>
  (session as unknown as { _chanInfo: { outgoing: { packetSize: number } } })._chanInfo.outgoing.packetSize

/**
 * Handles the requests that a client may make: a terminal, a command, media by SFTP. Without listeners the library
 * refuses all others: forwarding of ports, sockets, X11 and agents, other variables, and other subsystems.
 */
export function takeRequests(client: Client, connection: Connection): void {
  let channels = 0
  client.on('session', (accept, reject) => {
    if (connection.isEnding || channels >= (connection.isGuest ? guestChannels : maxChannels)) return reject()
    connection.guarded(() => {
      const session = accept()
      if (packetBytesOf(session) < minPacketBytes) return connection.destroy()
      channels++
      session.once('close', () => channels--)
      takeSession(session, connection)
    })
  })
}

/** Tells a signed-in user that the limit of sessions is reached, and ends the connection. */
export function turnAway(client: Client, socket: Socket): void {
  setTimeout(() => socket.destroy(), turnAwayMs).unref()
  const tell = (accept: () => ServerChannel) => {
    const channel = accept()
    channel.stderr.write(`slugline: ${t('too many sessions are open: close one first')}\r\n`)
    channel.exit(1)
    channel.end()
  }
  client.on('session', accept => {
    const session = accept()
    session.on('pty', accepted => accepted?.())
    session.on('shell', tell)
    session.on('exec', tell)
  })
}

const maxVariable = 64

/** Reads the variables that a client may send; all others are refused, because they steer programs. */
function takeWishes(session: Session): () => Wishes {
  let wishes: Wishes = { noColour: false, trueColour: false, zone: 'UTC' }
  session.on('env', (accept, reject, { key, val }) => {
    const isShort = val.length <= maxVariable
    const zone = key === 'TZ' && isShort ? zoneNamed(val) : undefined
    if (zone !== undefined) wishes = { ...wishes, zone }
    else if (key === 'NO_COLOR' && isShort) wishes = { ...wishes, noColour: val !== '' }
    else if (key === 'COLORTERM' && isShort)
      wishes = { ...wishes, trueColour: /^(truecolor|24bit)$/.test(val) }
    else return reject?.()
    accept?.()
  })
  return () => wishes
}

function takeSession(session: Session, connection: Connection): void {
  let pty: PseudoTtyInfo | undefined
  const wishes = takeWishes(session)
  let terminal: ChannelTerminal | undefined
  let begun = false
  /** One channel does one thing: any later request of a client is refused (RFC 4254, 6.5). */
  const once = (reject: (() => void) | undefined, begin: () => unknown) => {
    if (begun) return reject?.()
    begun = true
    connection.guarded(begin)
  }
  session.on('pty', (accept, _reject, info) => {
    pty = info
    accept?.()
  })
  session.on('window-change', (accept, _reject, info) => {
    accept?.()
    connection.guarded(() => terminal?.resize(info))
  })
  const screens = ({ channel, gone, add }: Opened, info: PseudoTtyInfo, first: First) => {
    const { socket, guarded, seen } = connection
    const shown = channelTerminal(channel, { ...info, wishes: wishes() }, { socket, gone, guarded, seen })
    terminal = shown
    add({ end: sentence => shown.close(sentence) })
    return showScreens(connection, shown, first)
  }
  session.on('shell', (accept, reject) =>
    once(reject, () => {
      const { channel, gone, add } = opened(accept(), session, connection)
      if (!pty) {
        channel.stderr.write(noScreens)
        return add(runCommand(channel, connection, { line: 'help', gone, code: 2 }))
      }
      return screens({ channel, gone, add }, pty, 'home')
    }),
  )
  session.on('sftp', (accept, reject) => once(reject, () => takeSftp(accept, session, connection)))
  session.on('exec', (accept, reject, { command }) =>
    once(reject, () => {
      const { channel, gone, add } = opened(accept(), session, connection)
      const first = firstOf(command)
      if (pty && first) return screens({ channel, gone, add }, pty, first)
      const run = runCommand(channel, connection, {
        line: command,
        gone,
        terminal: pty && commandTerminal(pty, wishes()),
        zone: wishes().zone,
      })
      add(run)
      session.on('signal', (taken, _refused, { name }) => {
        taken?.()
        run.signal(name)
      })
      return undefined
    }),
  )
}

/** Returns the screen that a command opens where there is a terminal. */
function firstOf(command: string): First | undefined {
  const [first, ...words] = command.trim().split(/\s+/)
  if (words.length === 0) return first === 'top' ? 'live' : undefined
  // Options are for the command, such as --json.
  return first === 'go' && words.every(word => !word.startsWith('-')) ? { words: words.join(' ') } : undefined
}

function takeSftp(accept: () => SFTPWrapper, session: Session, connection: Connection): void {
  // A client sends more before it has the response, and no request may be lost.
  const served = serveMedia(accept(), connection)
  const ended = connection.add(served)
  session.once('close', () => {
    served.gone()
    ended()
  })
}

interface Opened {
  readonly channel: ServerChannel
  readonly gone: AbortSignal
  add(open: Omit<Open, 'gone'>): void
}

/** A channel whose errors affect only itself. It counts as open until the client closes it. */
function opened(channel: ServerChannel, session: Session, connection: Connection): Opened {
  for (const stream of [channel, channel.stderr]) stream.on('error', () => undefined)
  connection.seen()
  const going = new AbortController()
  const gone = () => going.abort()
  return {
    channel,
    gone: going.signal,
    add(open) {
      const ended = connection.add({ ...open, gone })
      // The channel emits this only after all its input has been read.
      session.once('close', () => {
        gone()
        ended()
      })
    },
  }
}

async function showScreens(connection: Connection, terminal: ChannelTerminal, first: First): Promise<void> {
  const actor = await connection.actor().catch(error => {
    if (!(error instanceof HttpError)) throw error
    connection.end(error.message)
    return undefined
  })
  if (!actor) return
  const { openTerminal } = await import('./interactive.js')
  await openTerminal(connection.site, actor, terminal, first)
}
