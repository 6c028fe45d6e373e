// The migrations of the built product, ended at the named point as by a power cut. It loads no more than they need,
// for a test starts it some hundred times.
import { readFileSync } from 'node:fs'
import { migrations } from '../../dist/migrations/index.js'
import { connect } from '../../dist/src/db/connect.js'
import { migrate } from '../../dist/src/db/migrate.js'

const dialect = await connect(JSON.parse(readFileSync('cms.config.json', 'utf8')))
await migrate(dialect, migrations, {
  now: () => new Date().toISOString(),
  reached: point => {
    if (point === process.env.FAULT_POINT) process.kill(process.pid, 'SIGKILL')
  },
})
await dialect.close()
