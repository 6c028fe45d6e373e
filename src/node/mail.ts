import nodemailer from 'nodemailer'
import type { Mail } from '../ports.js'

/** No mail server may hold a job longer than this. */
const timeoutMs = 20_000

/** Mail by SMTP, a connection for each. */
export const smtpMail: Mail = {
  async send({ host, port, username, password, tls, from, replyTo }, message) {
    const transport = nodemailer.createTransport({
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
    try {
      await transport.sendMail({ ...message, from, ...(replyTo ? { replyTo } : {}) })
    } finally {
      transport.close()
    }
  },
}
