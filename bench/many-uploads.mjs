// Sends 60 photographs of 3 to 6 MB through the library of the panel, three at a time, and prints how long single pieces
// of code held the service and the page. UPLOADS (60) sets their number.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import sharp from 'sharp'

const uploads = Number(process.env.UPLOADS ?? 60)
const folder = mkdtempSync(join(tmpdir(), 'slugline-uploads-'))
const root = fileURLToPath(new URL('..', import.meta.url))
const say = text => process.stdout.write(`${text}\n`)

/** Colours of a sky, under the noise of a sensor. */
async function photograph(quality) {
  const [width, height] = [4000, 3000]
  const sky = `<svg width="${width}" height="${height}"><linearGradient id="a" x2="0.3" y2="1"><stop stop-color="#2b5a94"/>
    <stop offset="0.6" stop-color="#e3b98a"/><stop offset="1" stop-color="#2d3b23"/></linearGradient>
    <rect width="100%" height="100%" fill="url(#a)"/></svg>`
  const noise = { type: 'gaussian', mean: 128, sigma: 40 }
  const grain = await sharp({ create: { width, height, channels: 3, background: 'white', noise } })
    .blur(1.5)
    .png({ compressionLevel: 1 })
    .toBuffer()
  return sharp(Buffer.from(sky))
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality })
    .toBuffer()
}
const photographs = []
for (const quality of [97, 98, 99]) photographs.push(await photograph(quality))
const paths = Array.from({ length: uploads }, (_, n) => {
  const path = join(folder, `photo-${n}.jpg`)
  writeFileSync(path, photographs[n % photographs.length])
  return path
})
const sizes = photographs.map(({ length }) => `${(length / 1e6).toFixed(1)} MB`)

// In the service: the time of its main thread between two turns, as the kernel counts it (running, and waiting for a
// processor), because the time on the wall also has that of other programs.
const probe = join(folder, 'probe.mjs')
const result = join(folder, 'held.json')
writeFileSync(
  probe,
  `import { readFileSync, writeFileSync } from 'node:fs'
  import { monitorEventLoopDelay } from 'node:perf_hooks'
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const now = () => readFileSync('/proc/self/task/' + process.pid + '/schedstat', 'utf8').split(' ').map(Number)
  let [ran] = now()
  let held = []
  let from = 0
  setInterval(() => {
    const [next] = now()
    held.push({ ms: (next - ran) / 1e6, at: performance.now() - from })
    ran = next
  }, 1).unref()
  process.on('SIGUSR2', () => {
    held.sort((a, b) => b.ms - a.ms)
    writeFileSync(${JSON.stringify(result)}, JSON.stringify({ held: held.slice(0, 20), turns: held.length,
      delay: { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 } }))
    held = []
    from = performance.now()
    delay.reset()
  })`,
)
const port = 18_000 + (process.pid % 1000)
writeFileSync(
  join(folder, 'cms.config.json'),
  JSON.stringify({
    port: `127.0.0.1:${port}`,
    log_level: 'silent',
    bucket_endpoint: 'file:./media',
    environment: 'local',
    // Another instance may have the port of the terminal.
    ssh_enabled: false,
  }),
)
const more = process.env.UPLOADS_PROFILE
  ? ['--cpu-prof', `--cpu-prof-dir=${process.env.UPLOADS_PROFILE}`]
  : []
const service = spawn(process.execPath, [...more, '--import', probe, join(root, 'dist/cli.js'), 'serve'], {
  cwd: folder,
  env: { ...process.env, CMS_ADMIN_PASSWORD: 'bench password' },
  stdio: 'ignore',
})
const site = `http://127.0.0.1:${port}`
while (!(await fetch(`${site}/api/v1/health`).catch(() => undefined))?.ok)
  await new Promise(resolve => setTimeout(resolve, 50))
const signedIn = await fetch(`${site}/api/v1/auth/login`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ email: 'admin@example.com', password: 'bench password' }),
})
const [name, value] = signedIn.headers.get('set-cookie').split(';')[0].split('=')

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const context = await browser.newContext()
await context.addCookies([{ name, value, url: site }])
const page = await context.newPage()
// The page loads again after the last file, so its long tasks are kept outside of it.
await page.addInitScript(() => {
  const key = `load-${sessionStorage.length}`
  const tasks = []
  sessionStorage.setItem(key, '[]')
  new PerformanceObserver(list => {
    tasks.push(...list.getEntries().map(({ startTime, duration }) => ({ startTime, duration })))
    sessionStorage.setItem(key, JSON.stringify(tasks))
  }).observe({ type: 'longtask' })
})
await page.goto(`${site}/admin/media`, { waitUntil: 'networkidle' })
const told = async () => {
  rmSync(result, { force: true })
  process.kill(service.pid, 'SIGUSR2')
  while (!statSync(result, { throwIfNoEntry: false })?.size)
    await new Promise(resolve => setTimeout(resolve, 20))
  return JSON.parse(readFileSync(result, 'utf8'))
}
await told()
const start = await page.evaluate(() => performance.now())
const from = performance.now()
await page.locator('form[data-upload] input[type=file]').setInputFiles(paths)
await page
  .locator('.tiles li')
  .nth(uploads - 1)
  .waitFor({ timeout: 600_000 })
const seconds = (performance.now() - from) / 1000
const { held, turns, delay } = await told()
const kept = JSON.parse(await page.evaluate(() => sessionStorage.getItem('load-0')))
const tasks = kept
  .filter(({ startTime }) => startTime >= start)
  .map(({ duration }) => duration)
  .toSorted((a, b) => b - a)
const short = list =>
  list
    .slice(0, 8)
    .map(ms => ms.toFixed(0))
    .join(', ')
say(`${uploads} photographs of ${sizes.join(', ')}, three at a time, in ${seconds.toFixed(0)} s`)
say(
  `service: longest pieces of code ${short(held.map(({ ms }) => ms))} ms of ${turns} turns, the longest after ${(held[0].at / 1000).toFixed(1)} s`,
)
say(
  `service: delay of the event loop p99 ${delay.p99.toFixed(0)} ms, at most ${delay.max.toFixed(0)} ms, with the wait for a processor`,
)
say(`page:    ${tasks.length} tasks over 50 ms: ${short(tasks)}`)
await browser.close()
service.kill()
await new Promise(resolve => service.once('exit', resolve))
rmSync(folder, { recursive: true, force: true })
