// Prints how long responses take that must not reveal whether an account exists: sign-in with a wrong password against
// an unknown address, and a reset mail for a known against an unknown address. TIMING_SAMPLES (200) of each.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { systemActor } from '../dist/src/actor.js'
import { parseConfig } from '../dist/src/config.js'
import { tables } from '../dist/src/db/tables.js'
import { createLog, nodePorts } from '../dist/src/node/ports.js'
import { start } from '../dist/src/server.js'

const samples = Number(process.env.TIMING_SAMPLES ?? 200)
const folder = mkdtempSync(join(tmpdir(), 'slugline-timing-'))
const say = text => process.stdout.write(`${text}\n`)
/** Enough users that none requests more mails than the limit. */
const users = Math.ceil((samples + 20) / 5)

const listening = server =>
  new Promise(resolve =>
    server.listen(0, '127.0.0.1', () => resolve((server.server ?? server).address().port)),
  )
const mail = new SMTPServer({
  authOptional: true,
  onData: (stream, _, done) => stream.resume().on('end', done),
})
const [mailPort, silentPort] = [await listening(mail), await listening(createServer())]

async function service(port, more) {
  const { config } = parseConfig(
    {
      port: `127.0.0.1:${port}`,
      db_url: join(folder, `${port}.db`),
      trusted_proxies: ['127.0.0.1'],
      email_enabled: true,
      email_host: '127.0.0.1',
      email_tls: false,
      email_from_address: 'cms@example.com',
      password_reset_url: 'https://site.example/reset',
      ...more,
    },
    {},
  )
  const log = createLog('silent')
  const running = await start({
    config,
    ports: nodePorts(log),
    variables: { CMS_ADMIN_PASSWORD: 'correct horse' },
  })
  const { role, password } = await running.db.find(tables.users, {})
  await running.db.write(systemActor, tx =>
    tx.insertAll(
      tables.users,
      Array.from({ length: users }, (_, i) => ({
        username: `user${i}`,
        name: '',
        email: `user${i}@example.com`,
        role,
        password,
      })),
    ),
  )
  return running
}

let callers = 0
async function time(port, path, body) {
  callers++
  // Each request has an address of its own, so that no limit is reached.
  const address = `198.${18 + (callers >> 16)}.${(callers >> 8) & 255}.${callers & 255}`
  const from = performance.now()
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/auth/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
    body: JSON.stringify(body),
  })
  await answer.arrayBuffer()
  return performance.now() - from
}

const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length
const variance = values => {
  const middle = mean(values)
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1)
}
const welch = (a, b) => (mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length)

async function compare(what, port, path, of) {
  const times = { known: [], unknown: [] }
  for (let i = 0; i < samples + 20; i++)
    for (const [who, email] of [
      ['known', `user${i % users}@example.com`],
      ['unknown', `nobody${i}@example.com`],
    ]) {
      const took = await time(port, path, of(email))
      if (i >= 20) times[who].push(took)
      // Work after a response ends before the next one is timed.
      await new Promise(resolve => setTimeout(resolve, path === 'login' ? 0 : 40))
    }
  const [a, b] = [median(times.known), median(times.unknown)]
  const t = welch(times.known, times.unknown)
  say(
    `${what.padEnd(44)} known ${a.toFixed(2)} ms, unknown ${b.toFixed(2)} ms (medians of ${samples}), Welch t ${t.toFixed(2)}`,
  )
}

try {
  const cases = [
    ['reset mail, mail server up', { email_port: mailPort }],
    ['reset mail, mail server silent', { email_port: silentPort }],
    ['reset mail, mail server down', { email_port: 1 }],
  ]
  let port = 18_500
  const running = await service(++port, { email_port: mailPort })
  await compare('sign-in with a wrong password', port, 'login', email => ({ email, password: 'wrong' }))
  await running.stop()
  for (const [what, more] of cases) {
    port++
    const running = await service(port, more)
    await compare(what, port, 'request-password-reset', email => ({ email }))
    // A silent mail server would delay the stop.
    await Promise.race([running.stop(), new Promise(resolve => setTimeout(resolve, 1000))])
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit()
