// Runs the migrations of the built product in several databases at once. Each stops at its point with its transaction
// open; when all are there, the process is killed as by a power cut. It loads no more than they need.
import { migrations } from '../../dist/migrations/index.js'
import { connect } from '../../dist/src/db/connect.js'
import { migrate } from '../../dist/src/db/migrate.js'

const faults = JSON.parse(process.env.FAULTS ?? '')
const never = new Promise(() => {})
let underWay = faults.length

async function untilPoint({ address, point }) {
  const dialect = await connect(address)
  let there = false
  const unlessThere = work => (there ? never : work())
  const transaction = work =>
    dialect.transaction(async session => {
      const result = await work({
        all: (...query) => unlessThere(() => session.all(...query)),
        run: (...query) => unlessThere(() => session.run(...query)),
      })
      return unlessThere(() => result)
    })
  await migrate(Object.create(dialect, { transaction: { value: transaction } }), migrations, {
    now: () => new Date().toISOString(),
    reached(reached) {
      if (reached !== point) return
      there = true
      if (--underWay === 0) process.kill(process.pid, 'SIGKILL')
    },
  })
  throw new Error(`the migration did not come by ${point}`)
}

await Promise.all(faults.map(untilPoint))
