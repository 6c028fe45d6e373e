// Prints how long an upload of a 12-megapixel photograph takes, from the first byte to the response, beside a bare
// sharp script that makes the same files; and the peak memory of both. MEDIA_ROUNDS (7) of each, in turns.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildApp } from 'fauxqs'
import sharp from 'sharp'

const rounds = Number(process.env.MEDIA_ROUNDS ?? 7)
const folder = mkdtempSync(join(tmpdir(), 'slugline-media-'))
const say = text => process.stdout.write(`${text}\n`)
const peakOf = pid =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
const median = list => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

const photo = join(folder, 'photo.jpg')
const noise = { type: 'gaussian', mean: 128, sigma: 40 }
await sharp({ create: { width: 4000, height: 3000, channels: 3, background: 'white', noise } })
  .blur(1.5)
  .jpeg({ quality: 92 })
  .toFile(photo)

const bareScript = `
const sharp = (await import('sharp')).default
const [file, rounds] = [process.argv[1], Number(process.argv[2])]
const presets = [[300, 300, 'cover'], [640, 640, 'inside'], [1024, 1024, 'inside'], [1920, 1920, 'inside']]
sharp.cache(false)
process.stdin.on('data', async () => {
  const from = performance.now()
  for (const [width, height, fit] of presets)
    for (const type of ['jpeg', 'webp'])
      await sharp(file).autoOrient().resize({ width, height, fit, withoutEnlargement: true })[type]({ quality: 80 }).toBuffer()
  process.stdout.write((performance.now() - from) + '\\n')
})
`
const root = fileURLToPath(new URL('..', import.meta.url))
const bare = spawn(process.execPath, ['--input-type=module', '-e', bareScript, photo, String(rounds)], {
  cwd: root,
  stdio: ['pipe', 'pipe', 'inherit'],
})
const bareRound = () =>
  new Promise(resolve => {
    bare.stdout.once('data', text => resolve(Number(text)))
    bare.stdin.write('\n')
  })

const store = buildApp({ logger: false })
const endpoint = await store.listen({ port: 0, host: '127.0.0.1' })
await fetch(`${endpoint}/media`, { method: 'PUT' })
const port = 18_000 + (process.pid % 1000)
writeFileSync(
  join(folder, 'cms.config.json'),
  JSON.stringify({
    port: `127.0.0.1:${port}`,
    log_level: 'silent',
    max_upload_size: 50_000_000,
    bucket_media: 'media',
    bucket_endpoint: endpoint,
    bucket_access_key: 'key',
    bucket_secret_key: 'secret',
  }),
)
const service = spawn(process.execPath, [join(root, 'dist/cli.js'), 'serve'], {
  cwd: folder,
  env: { ...process.env, CMS_ADMIN_PASSWORD: 'bench password' },
  stdio: 'ignore',
})
const api = `http://127.0.0.1:${port}/api/v1`
while (!(await fetch(`${api}/health`).catch(() => undefined))?.ok)
  await new Promise(resolve => setTimeout(resolve, 50))
const signedIn = await fetch(`${api}/auth/login`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ email: 'admin@example.com', password: 'bench password' }),
})
const cookie = signedIn.headers.get('set-cookie').split(';')[0]
const content = readFileSync(photo)
async function upload() {
  const form = new FormData()
  form.append('file', new Blob([content]), 'photo.jpg')
  const from = performance.now()
  const answer = await fetch(`${api}/media/upload`, {
    method: 'POST',
    body: form,
    headers: { Cookie: cookie },
  })
  const { variants } = await answer.json()
  if (variants?.length !== 8) throw new Error(`the upload gave ${answer.status}`)
  return performance.now() - from
}

const idle = peakOf(service.pid)
await bareRound()
await upload()
const [bares, uploads] = [[], []]
for (let i = 0; i < rounds; i++) {
  bares.push(await bareRound())
  uploads.push(await upload())
}
say(`a photograph of 4000×3000, ${(content.length / 1e6).toFixed(1)} MB, to 8 variants, median of ${rounds}:`)
say(`bare sharp  ${median(bares).toFixed(0)} ms, at most ${peakOf(bare.pid)} MiB`)
say(
  `upload      ${median(uploads).toFixed(0)} ms, at most ${peakOf(service.pid)} MiB (${idle} before the first)`,
)
say(`ratio       ${(median(uploads) / median(bares)).toFixed(2)}`)
bare.kill()

/** Uploads small files that are expensive to process, several at a time, and measures other requests meanwhile. */
async function hostile(what, name, bytes, times) {
  const send = () => {
    const form = new FormData()
    form.append('file', new Blob([bytes]), name)
    return fetch(`${api}/media/upload`, { method: 'POST', body: form, headers: { Cookie: cookie } }).then(
      async answer => {
        const { error } = await answer.json()
        return `${answer.status}${error ? ` ${error}` : ''}`
      },
    )
  }
  const from = performance.now()
  const sent = Array.from({ length: times }, send)
  const others = []
  let going = true
  void Promise.all(sent).finally(() => {
    going = false
  })
  while (going) {
    const start = performance.now()
    await (await fetch(`${api}/routes`, { headers: { Cookie: cookie } })).text()
    others.push(performance.now() - start)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  const answers = new Set(await Promise.all(sent))
  const p99 = others.toSorted((a, b) => a - b)[Math.floor(others.length * 0.99)]
  say(
    `${times} × ${what} (${(bytes.length / 1e6).toFixed(1)} MB): ${[...answers].join(' | ')}; ${((performance.now() - from) / 1000).toFixed(1)} s, ` +
      `others p99 ${p99.toFixed(0)} ms, at most ${Math.max(...others).toFixed(0)} ms, ${peakOf(service.pid)} MiB`,
  )
}
const flat = (width, height) =>
  sharp({ create: { width, height, channels: 3, background: 'white' }, limitInputPixels: false })
await hostile('flat PNG of 20000×20000', 'a.png', await flat(20_000, 20_000).png().toBuffer(), 8)
await hostile(
  'progressive JPEG of 10000×10000',
  'a.jpg',
  await flat(10_000, 10_000).jpeg({ progressive: true }).toBuffer(),
  8,
)
await hostile(
  'progressive JPEG of 16000×16000',
  'a.jpg',
  await flat(16_000, 16_000).jpeg({ progressive: true }).toBuffer(),
  8,
)
await hostile(
  'interlaced PNG of 10000×10000',
  'a.png',
  await flat(10_000, 10_000).png({ progressive: true }).toBuffer(),
  8,
)
await hostile(
  'WebP of 10000×10000',
  'a.webp',
  await flat(10_000, 10_000).webp({ lossless: true, effort: 0 }).toBuffer(),
  8,
)
service.kill()
await store.close()
rmSync(folder, { recursive: true, force: true })
