import nodemailer from 'nodemailer'
import type { Mail } from '../ports.js'

const timeoutMs = 20_000

type Server = Parameters<Mail['send']>[0]

const transportTo = ({ host, port, username, password, tls }: Server) =>
  nodemailer.createTransport({
    host,
    port,
    // 465 is encrypted from its first byte, other ports by STARTTLS.
    secure: tls && port === 465,
    requireTLS: tls && port !== 465,
    ignoreTLS: !tls,
    ...(username ? { auth: { user: username, pass: password ?? '' } } : {}),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })

/** Mail by SMTP, a connection for each. */
export const smtpMail: Mail = {
  async send(server, message) {
    const { from, replyTo } = server
    const transport = transportTo(server)
    try {
      await transport.sendMail({ ...message, from, ...(replyTo ? { replyTo } : {}) })
    } finally {
      transport.close()
    }
  },
}

/** Greets a mail server, encrypted and signed in as mail would be. @throws when it does not take that */
export async function mailServerAnswers(server: Server): Promise<void> {
  const transport = transportTo(server)
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}
