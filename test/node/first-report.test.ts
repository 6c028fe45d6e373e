import { expect, it, onTestFinished, vi } from 'vitest'
import { parseConfig } from '../../src/config.js'
import { unavailable } from '../../src/errors.js'
import { createLog, nodePorts } from '../../src/node/ports.js'
import { start } from '../../src/server.js'
import { InstancesService } from '../../src/services/operation/instances.js'
import { freshDatabase } from '../support/database.js'

it('goes on when the database fails between the listener and the first report, and reports later', async () => {
  const beat = vi.spyOn(InstancesService.prototype, 'beat')
  onTestFinished(() => void beat.mockRestore())
  beat.mockRejectedValueOnce(unavailable('the database does not respond'))
  const database = await freshDatabase()
  const { config } = parseConfig({ ...database.address, port: '127.0.0.1:0', ssh_enabled: false }, {})
  const running = await start({ config, ports: nodePorts(createLog('silent')), variables: {} })
  onTestFinished(async () => {
    await running.stop()
    await database.drop()
  })
  const { instances } = running.services
  expect(await instances.list()).toEqual([])
  expect((await fetch(`http://127.0.0.1:${running.port}/api/v1/health/ready`)).status).toBe(200)
  await instances.beat()
  expect(await instances.list()).toMatchObject([{ instance_id: instances.id, role: 'instance' }])
})
