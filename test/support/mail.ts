import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { whenDone } from './when-done.js'

export interface MailServer {
  port: number
  /** Raw messages in the order of arrival. */
  messages: string[]
  /** The user of each session, and whether the connection was encrypted. */
  sessions: { user: string | undefined; secure: boolean }[]
}

/** Starts a real SMTP server on loopback that requires `user` and `pass`. */
export async function mailServer(): Promise<MailServer> {
  const messages: string[] = []
  const sessions: MailServer['sessions'] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) =>
      username === 'user' && password === 'pass' ? done(null, { user: username }) : done(new Error('no')),
    onData(stream, session, done) {
      const pieces: Buffer[] = []
      stream.on('data', piece => pieces.push(piece))
      stream.on('end', () => {
        messages.push(Buffer.concat(pieces).toString())
        sessions.push({ user: session.user, secure: session.secure })
        done()
      })
    },
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  whenDone(() => new Promise<void>(resolve => server.close(() => resolve())))
  return { port: (server.server.address() as AddressInfo).port, messages, sessions }
}

/** Returns the decoded text part of a message. */
export function textOf(message: string): string {
  const [, headers = '', part = ''] =
    /(Content-Type: text\/plain[\s\S]*?)\r\n\r\n([\s\S]*?)\r\n--/.exec(message) ?? []
  return /quoted-printable/.test(headers)
    ? part
        .replaceAll(/=\r\n/g, '')
        .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    : part
}
