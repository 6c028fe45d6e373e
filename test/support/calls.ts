import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Product } from './process.js'

export interface Answered {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever JSON came
  body: any
}

type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answered>

/** Returns a function that calls the API of a started product, by default as its administrator. */
export async function callerOf(product: Pick<Product, 'url' | 'login'>, cookie?: string): Promise<Call> {
  const own = cookie ?? (await product.login())
  return async (method, path, body, headers = {}) => {
    const answer = await fetch(`${product.url}/api/v1${path}`, {
      method,
      headers: {
        Cookie: own,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(120_000),
    })
    const text = await answer.text()
    let parsed: unknown = text
    try {
      parsed = JSON.parse(text)
    } catch {}
    return { status: answer.status, headers: answer.headers, body: parsed }
  }
}

/** Returns the body of a call that must succeed. */
export const made = async (call: Promise<Answered>): Promise<Answered['body']> => {
  const { status, body } = await call
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body
}

/** Returns the status of a GET, or `'no answer'` after this many milliseconds. */
export const statusOf = (
  url: string,
  milliseconds = 30_000,
  headers: Record<string, string> = {},
): Promise<number | 'no answer'> =>
  fetch(url, { headers, signal: AbortSignal.timeout(milliseconds) }).then(
    async answer => {
      await answer.arrayBuffer()
      return answer.status
    },
    () => 'no answer' as const,
  )

export const healthOf = ({ url }: Product, milliseconds?: number) =>
  statusOf(`${url}/api/v1/health`, milliseconds)

/** Opens a connection that is destroyed with the test, and whose errors are ignored. */
export function dial(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Reads a connection to its end. @returns the text, and whether it was reset */
export function wholeOf(socket: Socket): Promise<{ text: string; reset: boolean }> {
  const pieces: Buffer[] = []
  socket.on('data', piece => pieces.push(piece))
  return new Promise(resolve => {
    socket.on('close', reset => resolve({ text: Buffer.concat(pieces).toString('latin1'), reset }))
  })
}

/** Returns the bytes of a GET, with the path unchanged. */
export const getText = (path: string, headers: Record<string, string> = {}): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
