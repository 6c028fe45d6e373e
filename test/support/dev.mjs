// `npm run dev`: serves from source. A change of the service starts it again; a change of the panel's scripts, styles or
// texts also builds these again, and the service then starts with the new files.
import { spawn, spawnSync } from 'node:child_process'
import { watch } from 'node:fs'

const build = 'src/panel/browser/build.mjs'
if (spawnSync('node', [build], { stdio: 'inherit' }).status !== 0) process.exit(1)

let building
let isStale = false
function rebuild() {
  if (building) {
    isStale = true
    return
  }
  building = spawn('node', [build], { stdio: 'inherit' })
  building.on('exit', code => {
    building = undefined
    // A service reads the files of the panel once. A line on its input starts it again.
    if (code === 0) service.stdin.write('\n')
    if (isStale) {
      isStale = false
      rebuild()
    }
  })
}
let soon
const watchers = ['src/panel/browser', 'src/texts'].map(folder =>
  watch(folder, { recursive: true }, () => {
    clearTimeout(soon)
    soon = setTimeout(rebuild, 100)
  }),
)

const service = spawn('tsx', ['watch', '--clear-screen=false', 'cli.ts', 'serve', ...process.argv.slice(2)], {
  stdio: ['pipe', 'inherit', 'inherit'],
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => service.kill(signal))
service.on('exit', code => {
  for (const watcher of watchers) watcher.close()
  clearTimeout(soon)
  building?.kill()
  process.exitCode = code ?? 0
})
