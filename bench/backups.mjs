// Moves a site from engine to engine by its backups and says whether all of it is unchanged; then prints how long reads
// take while a backup is made beside fifty changes a second. Needs an S3 server (BENCH_S3_URL,
// http://key:secret@host:port) and the servers of BENCH_POSTGRES_URL and BENCH_MYSQL_URL; without one of these its
// engine is left out. BENCH_ENTRIES (20000), BENCH_MEDIA (200), BENCH_SECONDS (20).
import { execFile, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import sharp from 'sharp'
import { parseConfig } from '../dist/src/config.js'
import { tables } from '../dist/src/db/tables.js'
import { createLog, nodePorts } from '../dist/src/node/ports.js'
import { open } from '../dist/src/server.js'
import { fill } from './data.mjs'
import { folder, nextPort, say } from './load.mjs'

const run = promisify(execFile)
const entries = Number(process.env.BENCH_ENTRIES ?? 20_000)
const media = Number(process.env.BENCH_MEDIA ?? 200)
const seconds = Number(process.env.BENCH_SECONDS ?? 20)
const password = 'correct horse'
const cli = new URL('../dist/cli.js', import.meta.url).pathname
const secret = randomBytes(32).toString('base64')
const sha256 = data => createHash('sha256').update(data).digest('hex')

const storage = new URL(process.env.BENCH_S3_URL ?? '')
const credentials = { accessKeyId: storage.username, secretAccessKey: storage.password }
const s3 = new S3Client({
  endpoint: storage.origin,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials,
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
})

const thisRun = randomBytes(4).toString('hex')
const databaseName = name => `slugline_bench_${thisRun}_${name}`
const servers = {
  postgres: {
    url: process.env.BENCH_POSTGRES_URL,
    sql: (text, url) => run('psql', [`${url}/postgres`, '-qc', text]),
  },
  mysql: {
    url: process.env.BENCH_MYSQL_URL,
    sql(text, url) {
      const { hostname, port, username } = new URL(url)
      return run('mariadb', ['-h', hostname, '-P', port || '3306', '-u', username, '-e', text])
    },
  },
}

/** Creates a folder with its own configuration, an empty database of the engine, and empty buckets. */
async function siteOn(engine, name) {
  const at = join(folder, name)
  mkdirSync(at)
  const bucket = `${databaseName(name).replaceAll('_', '-')}`
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  const server = servers[engine]
  if (server) await server.sql(`create database ${databaseName(name)}`, server.url)
  const port = nextPort()
  const config = {
    ...{ port: `127.0.0.1:${port}`, app_secret: secret, log_level: 'error', ssh_enabled: false },
    ...(server
      ? { db_driver: engine, db_url: `${server.url}/${databaseName(name)}` }
      : { db_url: 'site.db' }),
    ...{ bucket_media: bucket, bucket_endpoint: storage.origin, bucket_public_url: 'http://media.test' },
    ...{ bucket_access_key: storage.username, bucket_secret_key: storage.password },
  }
  writeFileSync(join(at, 'cms.config.json'), JSON.stringify(config))
  const remove = () => server?.sql(`drop database ${databaseName(name)}`, server.url)
  return { at, bucket, config, url: `http://127.0.0.1:${port}`, remove }
}

async function started(site) {
  const env = { ...process.env, CMS_ADMIN_PASSWORD: password }
  const child = spawn('node', [cli, 'serve'], { cwd: site.at, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  while (
    !(await fetch(`${site.url}/api/v1/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    if (child.exitCode === null) await sleep(50)
    else throw new Error('the service did not start')
  return async () => {
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
    process.removeListener('exit', kill)
  }
}

const command = async (site, ...args) =>
  (await run('node', [cli, ...args], { cwd: site.at, maxBuffer: 2 ** 26 })).stdout

async function addMedia(site, key) {
  const noise = await sharp(randomBytes(640 * 480 * 3), { raw: { width: 640, height: 480, channels: 3 } })
    .jpeg()
    .toBuffer()
  for (let i = 0; i < media; i++) {
    const form = new FormData()
    form.append('file', new Blob([noise, String(i)], { type: 'image/jpeg' }), `picture ${i}.jpg`)
    const answer = await fetch(`${site.url}/api/v1/media/upload`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: form,
    })
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  }
}

const formats = ['native', 'clean', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress']

/** Reads everything readable. @returns the responses by path */
async function answersOf(site, key, slugs) {
  const paths = [
    ...[
      'routes',
      'content',
      'content-fields',
      'content/versions',
      'datatypes',
      'fields',
      'media',
      'media-folders',
    ],
    ...['users', 'roles', 'permissions', 'audit', 'locales', 'webhooks', 'redirects', 'routes/published'],
    ...['query/card?limit=100', 'query/card?sort=-heading&limit=100&count=true', 'search?q=brakes'],
  ].map(path => `/api/v1/${path}`)
  for (const slug of slugs.slice(0, 100)) for (const format of formats) paths.push(`${slug}?format=${format}`)
  const answers = new Map()
  for (const path of paths) {
    const answer = await fetch(site.url + path, { headers: { Authorization: `Bearer ${key}` } })
    // URLs of media contain the bucket.
    const text = (await answer.text()).replaceAll(site.bucket, 'bucket')
    answers.set(path, `${answer.status} ${sha256(text)}`)
  }
  return answers
}

async function objectsOf({ bucket }) {
  const found = new Map()
  let ContinuationToken
  do {
    const page = await s3.send(new ListObjectsV2Command({ Bucket: bucket, ContinuationToken }))
    for (const { Key } of page.Contents ?? []) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }))
      found.set(Key, sha256(await Body.transformToByteArray()))
    }
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken)
  return found
}

const differing = (one, other) =>
  [...new Set([...one.keys(), ...other.keys()])].filter(name => one.get(name) !== other.get(name))

async function dumpOf(site, file) {
  const from = performance.now()
  await command(site, 'backup', 'create', file)
  const ms = performance.now() - from
  const { stdout } = await run('tar', ['xzOf', file, 'dump.sql'], { encoding: 'buffer', maxBuffer: 2 ** 30 })
  // The audit log may differ, because each backup is in that of the next site.
  const lines = stdout.toString().split('\n')
  const others = lines
    .filter(line => !line.includes(",'INSERT','backups',"))
    .map(line => line.replace(/[,;]$/, ''))
  return { ms, hash: sha256(others.join('\n')), bytes: stdout.length }
}

/** Measures reads, one after another, until `work` is done, beside fifty changes a second. In milliseconds. */
async function readsDuring(site, key, slugs, work) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  let isOver = false
  const times = []
  const reading = async () => {
    for (let i = 0; !isOver; i++) {
      const from = performance.now()
      await (await fetch(`${site.url}${slugs[i % slugs.length]}?format=native`)).text()
      times.push(performance.now() - from)
      await sleep(5)
    }
  }
  let n = 0
  const routes = await (await fetch(`${site.url}/api/v1/routes?limit=200`, { headers })).json()
  const change = async () => {
    const { route_id } = routes[n % routes.length]
    const answer = await fetch(`${site.url}/api/v1/routes/?q=${route_id}`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ title: `Changed ${++n}` }),
    })
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  }
  // One every 20 ms, whether or not the previous one has its response.
  const writing = async () => {
    const sent = []
    const from = performance.now()
    while (!isOver) {
      sent.push(change())
      await sleep(Math.max(0, from + sent.length * 20 - performance.now()))
    }
    await Promise.all(sent)
  }
  const all = Promise.all([reading(), writing()])
  await work()
  isOver = true
  await all
  times.sort((a, b) => a - b)
  return {
    p50: times[times.length >> 1],
    p99: times[Math.floor(times.length * 0.99)],
    n: times.length,
    changes: n,
  }
}

const sites = []
try {
  const original = await siteOn('sqlite', 'original')
  sites.push(original)
  const { config } = parseConfig({ ...original.config, db_url: join(original.at, 'site.db') }, {})
  const { db } = await open({
    config,
    ports: nodePorts(createLog('error')),
    variables: { CMS_ADMIN_PASSWORD: password },
  })
  const { user_id } = await db.find(tables.users, {})
  const slugs = await fill(db, entries, user_id)
  await db.close()
  const key = JSON.parse(await command(original, 'token', 'create', 'admin@example.com', '--json')).token
  let stop = await started(original)
  await addMedia(original, key)
  const answers = await answersOf(original, key, slugs)
  await stop()
  const objects = await objectsOf(original)
  say(`${entries} entries, ${media} media (${objects.size} objects), ${answers.size} answers compared`)
  const file = join(folder, 'original.tar.gz')
  const first = await dumpOf(original, file)
  say(`  sqlite: backup ${(first.ms / 1000).toFixed(1)} s, dump of ${(first.bytes / 2 ** 20).toFixed(1)} MiB`)
  let [last, lastName] = [file, 'sqlite']
  const engines = Object.keys(servers).filter(name => servers[name].url)
  for (const engine of [...engines, 'sqlite']) {
    const site = await siteOn(engine, `on_${engine}`)
    sites.push(site)
    const from = performance.now()
    await command(site, 'backup', 'restore', last)
    const restoreMs = performance.now() - from
    const own = join(folder, `${engine}-again.tar.gz`)
    const dump = await dumpOf(site, own)
    stop = await started(site)
    const others = differing(answers, await answersOf(site, key, slugs))
    await stop()
    const lost = differing(objects, await objectsOf(site))
    say(
      `  ${lastName} to ${engine}: restore ${(restoreMs / 1000).toFixed(1)} s, backup ${(dump.ms / 1000).toFixed(1)} s, dump ${dump.hash === first.hash ? 'the same' : 'ANOTHER'}, other answers: ${others.join(' ') || 'none'}, other objects: ${lost.length}`,
    )
    ;[last, lastName] = [own, engine]
  }
  for (const site of sites.slice(0, -1)) {
    stop = await started(site)
    const before = await readsDuring(site, key, slugs, () => sleep(seconds * 1000))
    const during = await readsDuring(site, key, slugs, () =>
      command(site, 'backup', 'create', join(site.at, 'busy.tar.gz')),
    )
    await stop()
    const shown = ({ p50, p99, n, changes }) =>
      `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms of ${n} reads beside ${changes} changes`
    say(`  ${site.config.db_driver ?? 'sqlite'}: reads ${shown(before)}; during a backup ${shown(during)}`)
  }
} finally {
  for (const site of sites) await site.remove()
  rmSync(folder, { recursive: true, force: true })
}
