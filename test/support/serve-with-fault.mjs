// The built product, ended at the named point of its start as by a power cut.
import { loadConfig } from '../../dist/src/node/config-file.js'
import { createLog, nodePorts } from '../../dist/src/node/ports.js'
import { start } from '../../dist/src/server.js'

const { config } = loadConfig(undefined, process.env)
const { stop } = await start({
  config,
  ports: nodePorts(createLog('error')),
  variables: process.env,
  reached: point => {
    if (point === process.env.FAULT_POINT) process.kill(process.pid, 'SIGKILL')
  },
})
await stop()
