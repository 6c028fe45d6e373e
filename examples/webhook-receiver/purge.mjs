// Drops from Varnish what an event has changed, by the keys of the event (deploy/varnish.vcl). Copy it together with
// receiver.mjs.
//
//   WEBHOOK_SECRET=… VARNISH=http://127.0.0.1:80 node purge.mjs      listens on 127.0.0.1:8091 (PORT, HOST)
import { createServer, request } from 'node:http'
import { receiver } from './receiver.mjs'

const {
  WEBHOOK_SECRET = '',
  VARNISH = 'http://127.0.0.1:80',
  PORT = '8091',
  HOST = '127.0.0.1',
} = process.env
if (!WEBHOOK_SECRET) throw new Error('WEBHOOK_SECRET must be the secret of the webhook')

/** A response that was on its way to Varnish while its content changed is dropped by a second ban. */
const againMs = 2000
/** More keys in one expression than this are sent in several bans. */
const keysAtOnce = 100

function ban(keys) {
  const names = keys.map(key => key.replaceAll(/[^\w:/-]/g, '\\$&'))
  return new Promise((resolve, reject) => {
    const sent = request(VARNISH, {
      method: 'BAN',
      headers: { 'X-Keys': `(^|[[:space:]])(${names.join('|')})([[:space:]]|$)` },
    })
    sent.setTimeout(5000, () => sent.destroy(new Error('Varnish does not answer')))
    sent.on('error', reject)
    sent.on('response', response => {
      response.resume()
      if (response.statusCode === 200) resolve()
      else reject(new Error(`Varnish answers ${response.statusCode}`))
    })
    sent.end()
  })
}

async function banAll(keys) {
  for (let at = 0; at < keys.length; at += keysAtOnce) await ban(keys.slice(at, at + keysAtOnce))
}

const receive = receiver({
  secrets: WEBHOOK_SECRET.split(','),
  async take({ data }) {
    const keys = data.surrogate_keys ?? []
    // When it throws, the service sends the event again.
    await banAll(keys)
    setTimeout(() => banAll(keys).catch(error => process.stderr.write(`${error}\n`)), againMs).unref()
  },
})
const server = createServer((incoming, response) => {
  receive(incoming, response).catch(() => response.destroy())
})
server.listen(Number(PORT), HOST, () =>
  process.stdout.write(`waits for events on ${HOST}:${server.address().port}\n`),
)
