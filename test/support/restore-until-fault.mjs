// Restores an archive into a database and kills this process after this part of the rows: 0 to 1.
import { migrations } from '../../dist/migrations/index.js'
import { connect } from '../../dist/src/db/connect.js'
import { migrate } from '../../dist/src/db/migrate.js'
import { restoreRows } from '../../dist/src/db/restore.js'
import { archives } from '../../dist/src/node/ports.js'
import { checkArchive, rowsOfArchive } from '../../dist/src/services/operation/archive-check.js'

const { address, path, part } = JSON.parse(process.env.FAULT)
const checking = { archives, schema: migrations.map(({ name }) => name) }
const { manifest } = await checkArchive(checking, path)
const dialect = await connect(address)
await migrate(dialect, migrations, { now: () => new Date().toISOString() })

async function* rows() {
  let records = 0
  for await (const some of rowsOfArchive(checking, path)) {
    if (records >= part * manifest.records) process.kill(process.pid, 'SIGKILL')
    yield some
    records += some.rows.length
  }
  process.kill(process.pid, 'SIGKILL')
}

await restoreRows(dialect, rows(), { replace: false, progress() {} })
