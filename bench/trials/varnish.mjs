// Varnish with deploy/varnish.vcl in front of an instance, purged by surrogate keys alone: 500 random edits of every
// kind, and after each one every address is asked of both (Debian: varnish). --edits N

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { register } from 'tsx/esm/api'
import { spread } from './judgement.mjs'
import { Counts, caller, instance, login, must } from './product.mjs'
import { atEnd, folder, freePort, listens, program, say, until } from './programs.mjs'

const rightMs = 2000
const secret = '0123456789abcdef'.repeat(4)
const root = join(import.meta.dirname, '../..')

async function startVarnish(backend) {
  const port = await freePort()
  const file = join(folder, 'varnish.vcl')
  const text = readFileSync(join(root, 'deploy/varnish.vcl'), 'utf8')
  writeFileSync(file, text.replace('.port = "8080"', `.port = "${backend}"`))
  const where = ['-a', `127.0.0.1:${port}`, '-n', join(folder, 'varnish')]
  const options = ['-F', '-j', 'none', '-f', file, '-s', 'malloc,64m']
  const varnish = program('varnish', 'varnishd', [...options, ...where])
  // A child process serves: the first one ends it.
  atEnd(() => varnish.kill('SIGTERM'))
  await until('Varnish listens', () => varnish.isOver || listens(port))
  if (varnish.isOver) throw new Error(`Varnish ended: ${varnish.log()}`)
  return port
}

/** Starts the receiver that sends bans. @returns its address */
async function startPurger(port) {
  const child = spawn(process.execPath, [join(root, 'examples/webhook-receiver/purge.mjs')], {
    env: { WEBHOOK_SECRET: secret, VARNISH: `http://127.0.0.1:${port}`, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  atEnd(() => child.kill())
  const [line] = await once(child.stdout, 'data')
  return `http://127.0.0.1:${/:(\d+)/.exec(String(line))?.[1]}/`
}

export async function trial(judgement, { edits = 500 }) {
  register()
  const { editedSite } = await import('../../test/support/edited-site.ts')
  const one = await instance('one', {
    ...{ db_url: join(folder, 'site.db'), environment: 'local', client_site: 'https://www.example.com' },
    ...{ webhook_enabled: true, webhook_allow_http: true, i18n_enabled: true },
  })
  one.start()
  await one.ready()
  const signedIn = must(caller(one.url, { Cookie: await login(one.url) }))
  const api = (method, path, body) => signedIn(method, `/api/v1${path}`, body)
  const site = await editedSite(api, 38)
  const port = await startVarnish(one.port)
  const url = await startPurger(port)
  await api('POST', '/admin/webhooks', { name: 'Varnish', url, events: ['*'], is_active: true, secret })
  const answersOf = async (origin, paths) => {
    const read = caller(origin)
    return Promise.all(
      paths.map(async path => {
        const { status, text, headers } = await read('GET', path)
        return `${path} ${status} ${headers.get('location') ?? ''} ${text}`
      }),
    )
  }
  const cached = `http://127.0.0.1:${port}`
  const [times, wrong] = [[], new Counts()]
  let compared = 0
  for (let n = 0; n < edits; n++) {
    await answersOf(cached, await site.paths())
    const kind = await site.edit(n)
    const from = performance.now()
    const paths = await site.paths()
    for (let round = performance.now(); ; round = performance.now()) {
      const [expected, found] = [await answersOf(one.url, paths), await answersOf(cached, paths)]
      const differ = expected.filter((answer, i) => answer !== found[i])
      compared += paths.length
      if (differ.length === 0) {
        times.push(round - from)
        break
      }
      if (round - from > rightMs) {
        wrong.add(`${kind}: ${differ[0].slice(0, 80)}`)
        break
      }
      await sleep(50)
    }
    if (n % 50 === 49) say(`${n + 1} edits`)
  }
  judgement.add(
    `edits after which an answer is wrong for ${rightMs} ms`,
    '0',
    `${wrong.size === 0 ? 0 : wrong} of ${edits}`,
    wrong.size === 0,
  )
  judgement.add(
    'every answer right after',
    `${rightMs} ms`,
    spread(times),
    times.every(ms => ms < rightMs),
  )
  judgement.add('answers compared', '', compared)
}
