import type { Client, ClientChannel } from 'ssh2'
import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { readAll, sshOf } from '../support/ssh.js'

/** Only what hangs takes so long. */
const patience = { timeout: 180_000 }
const app = await testApp({ webhook_enabled: true })
const ssh = await sshOf(app)
const rows = factories(app)
const { file: key } = await ssh.keyOf('admin')
const password = { username: 'admin', password: 'correct horse' }

const opened = (client: Client, command: string) =>
  new Promise<ClientChannel>((resolve, reject) =>
    client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel))),
  )

it('a list waits for a client that does not read it, and is whole when it does', async () => {
  const datatype = await rows.datatype('Long', { type: '_global' })
  await rows.field(datatype.datatype_id, 'Text', 'textarea')
  const text = 'a long text '.repeat(50_000)
  for (let i = 0; i < 20; i++)
    await rows.entry(datatype.datatype_id, {}, { fields: { text: `${i} ${text}` } })

  const { audit } = app.services
  const { list } = audit
  let given = 0
  audit.list = async function* (...of) {
    for await (const some of list(...of)) {
      given += some.length
      yield some
    }
  }
  const total = (await app.audits()).length
  const client = await ssh.client(password)
  const stalled = await opened(client, 'audit list --json --limit 1000')
  await expect.poll(() => given, patience).toBeGreaterThan(0)
  // Others are served, and take longer than the rest of the list would.
  for (let i = 0; i < 5; i++) expect((await ssh.ssh('types', { key })).code).toBe(0)
  expect(given).toBeLessThan(total)
  const { code, out } = await readAll(stalled)
  expect(code).toBe(0)
  expect(JSON.parse(out).length).toBeGreaterThanOrEqual(total)
  audit.list = list
})

it('deliveries are told of as they happen, with each state, until somebody has enough', async () => {
  await app.subscribe()
  const client = await ssh.client(password)
  const channel = await opened(client, 'deliveries tail --json')
  const ended = readAll(channel)
  const told: { status: string; event: string }[] = []
  channel.on('data', (data: Buffer) => {
    for (const line of data.toString().split('\n')) if (line !== '') told.push(JSON.parse(line))
  })
  let kinds = 0
  await expect
    .poll(async () => {
      const { body } = await app.call('POST', '/api/v1/datatypes', {
        body: { label: `Kind ${++kinds}`, type: '_global' },
      })
      await rows.entry(body.datatype_id, {}, { status: 'published' })
      return told.map(({ event }) => event)
    }, patience)
    .toContain('content.published')
  channel.signal('INT')
  expect((await ended).code).toBe(0)
})
