// Builds the site again when the service says that something is published.
//
//   WEBHOOK_SECRET=… node rebuild.mjs          listens on 127.0.0.1:8090 (PORT, HOST)
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { receiver } from './receiver.mjs'

const { WEBHOOK_SECRET, PORT = '8090', HOST = '127.0.0.1' } = process.env
if (!WEBHOOK_SECRET) throw new Error('WEBHOOK_SECRET is the secret of the webhook')

let building = false
let again = false

/** One build at a time; what comes meanwhile is in the next one. */
function build() {
  if (building) {
    again = true
    return
  }
  building = true
  spawn('npm', ['run', 'build'], { stdio: 'inherit' }).once('close', () => {
    building = false
    if (!again) return
    again = false
    build()
  })
}

const receive = receiver({ secrets: [WEBHOOK_SECRET], take: build })
const server = createServer((request, response) => {
  receive(request, response).catch(() => response.destroy())
})
server.listen(Number(PORT), HOST, () => process.stdout.write(`waits for events on ${HOST}:${PORT}\n`))
