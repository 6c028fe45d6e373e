import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config.js'
import { createLog, nodePorts } from '../../src/node/ports.js'
import { start } from '../../src/server.js'
import { freshDatabase } from '../support/database.js'

const listening = async (): Promise<[Server, number]> => {
  const server = createServer()
  await new Promise<void>(done => void server.listen(0, '127.0.0.1', done))
  return [server, (server.address() as AddressInfo).port]
}

it('answers with an open database until it listens no more, where another port is taken', async () => {
  const [taken, ssh] = await listening()
  onTestFinished(() => void taken.close())
  const [free, http] = await listening()
  await new Promise(done => free.close(done))
  const folder = mkdtempSync(join(tmpdir(), 'failed-start-'))
  const database = await freshDatabase()
  onTestFinished(async () => {
    await database.drop()
    rmSync(folder, { recursive: true })
  })
  const statuses = new Set<number>()
  let isOver = false
  const asking = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const answer = await fetch(`http://127.0.0.1:${http}/api/v1/routes/published`).catch(() => undefined)
      await answer?.arrayBuffer().catch(() => undefined)
      if (answer) statuses.add(answer.status)
      else await new Promise(done => setTimeout(done, 1))
    }
  })
  const { config } = parseConfig(
    { ...database.address, port: `127.0.0.1:${http}`, ssh_port: `127.0.0.1:${ssh}` },
    {},
  )
  const ports = nodePorts(createLog('silent'))
  const failing = start({ config, ports, variables: {}, hostKeyFile: join(folder, 'key') })
  await expect(failing).rejects.toThrow('another program listens there')
  isOver = true
  await Promise.all(asking)
  // Not all machines come to a request in time.
  expect([...statuses].filter(status => status !== 200)).toEqual([])
})
