import { type Agent, request } from 'node:https'
import { type ConnectionOptions, connect } from 'node:tls'

export interface SecureAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** Serial number of the server's certificate, lower-case hex. */
  serial: string
}

interface Target {
  port: number
  /** The only certificate authority that the client trusts. */
  ca: string
  host?: string
  method?: string
  agent?: Agent
}

/** Sends one HTTPS request to this machine. @throws if the certificate is not of the host or not trusted */
export const secureFetch = (path: string, target: Target): Promise<SecureAnswer> =>
  new Promise((resolve, reject) => {
    const { port, ca, host = 'localhost', method = 'GET', agent } = target
    const options = {
      host: '127.0.0.1',
      port,
      servername: host,
      ca,
      path,
      method,
      headers: { host: `${host}:${port}` },
    }
    const sent = request({ ...options, agent: agent ?? false }, answer => {
      const { socket } = answer as unknown as { socket: { getPeerCertificate(): { serialNumber: string } } }
      const serial = socket.getPeerCertificate().serialNumber.toLowerCase()
      let text = ''
      answer
        .on('data', data => (text += data))
        .on('error', reject)
        .on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, serial }))
    })
    sent.on('error', reject).end()
  })

/** Returns the certificate of a handshake, whoever signed it. */
export const shownCertificate = (
  port: number,
  options: ConnectionOptions = {},
): Promise<{ serial: string; names: string; protocol: string | false | null }> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => {
      const { serialNumber, subjectaltname = '' } = socket.getPeerCertificate()
      resolve({ serial: serialNumber.toLowerCase(), names: subjectaltname, protocol: socket.alpnProtocol })
      socket.destroy()
    })
    socket.on('error', reject)
  })
