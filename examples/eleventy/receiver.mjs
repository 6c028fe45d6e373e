// Receives events: takes each once, and only those that were signed with the secret.
//
//   WEBHOOK_SECRET=… node receiver.mjs          listens on 127.0.0.1:8090 (PORT, HOST)
//
// Nothing to install. `receive` answers for one request and can be used in any server of Node's.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { pathToFileURL } from 'node:url'

/** A body that is longer is not read on; bytes. */
const bodyAtMost = 16 * 2 ** 20
/** How many ids are remembered. A service that must not forget keeps them in its database. */
const idsAtMost = 100_000

/** Compares in constant time, so that nobody finds a signature byte by byte. */
function signed(body, signature, secret) {
  const expected = createHmac('sha256', secret).update(body).digest()
  const given = Buffer.from(signature ?? '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

async function bodyOf(request) {
  const pieces = []
  let length = 0
  for await (const piece of request) {
    length += piece.length
    if (length > bodyAtMost) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/**
 * @param secrets the webhook's secret; while you rotate it, the old and the new one
 * @param take is called once for each event; when it throws, the answer is a 500 and the event comes again
 */
export function receiver({ secrets, take }) {
  const known = new Set()
  return async function receive(request, response) {
    const answer = (status, text) => response.writeHead(status, { 'Content-Type': 'text/plain' }).end(text)
    if (request.method !== 'POST') return answer(405, 'events are sent by POST')
    // The raw bytes are what was signed: parse them after the check, not before.
    const body = await bodyOf(request)
    if (!body) return answer(413, 'too long')
    const signature = request.headers['x-cms-signature']
    if (!secrets.some(secret => signed(body, signature, secret))) return answer(401, 'the signature is wrong')
    const event = JSON.parse(body)
    // The id in the signed body, not one in a header: headers can be changed by whoever sends a request again.
    const { id } = event
    if (known.has(id)) return answer(200, 'known')
    known.add(id)
    if (known.size > idsAtMost) known.delete(known.values().next().value)
    try {
      await take(event)
    } catch (error) {
      known.delete(id)
      process.stderr.write(`${error}\n`)
      return answer(500, 'not taken')
    }
    answer(200, 'taken')
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { WEBHOOK_SECRET = '', PORT = '8090', HOST = '127.0.0.1' } = process.env
  if (!WEBHOOK_SECRET) throw new Error('WEBHOOK_SECRET must be the secret of the webhook')
  const receive = receiver({
    secrets: WEBHOOK_SECRET.split(','),
    take: event => process.stdout.write(`${JSON.stringify(event)}\n`),
  })
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy())
  })
  server.listen(Number(PORT), HOST, () =>
    process.stdout.write(`waits for events on ${HOST}:${server.address().port}\n`),
  )
}
