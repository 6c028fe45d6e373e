import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../support/database.js'
import { freePort, portListens, startProduct } from '../support/process.js'

const varnishd = '/usr/sbin/varnishd'
const isMissing = spawnSync(varnishd, ['-V']).status !== 0
const secret = '0123456789abcdef'.repeat(4)

/** Starts Varnish with the configuration of `deploy` in front of a port. @returns its own port */
async function varnish(backend: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-varnish-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const file = join(folder, 'varnish.vcl')
  writeFileSync(
    file,
    readFileSync('deploy/varnish.vcl', 'utf8').replace('.port = "8080"', `.port = "${backend}"`),
  )
  const where = ['-a', `127.0.0.1:${port}`, '-n', join(folder, 'work')]
  const child = spawn(varnishd, ['-F', '-j', 'none', '-f', file, '-s', 'malloc,64m', ...where], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', data => (output += data))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  while (!(await portListens(port))) {
    if (child.exitCode !== null) throw new Error(`Varnish ended: ${output}`)
    await sleep(20)
  }
  return port
}

/** Starts the receiver that sends bans. @returns its address */
async function purger(port: number): Promise<string> {
  const child = spawn(process.execPath, ['examples/webhook-receiver/purge.mjs'], {
    env: { WEBHOOK_SECRET: secret, VARNISH: `http://127.0.0.1:${port}`, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  const [line] = await once(child.stdout, 'data')
  return `http://127.0.0.1:${/:(\d+)/.exec(String(line))?.[1]}/`
}

it.skipIf(isMissing)(
  'Varnish gives no old answer after the keys of an event are banned',
  async () => {
    const { address, drop } = await freshDatabase()
    onTestFinished(drop)
    const config = { webhook_enabled: true, webhook_allow_http: true, output_format: 'clean' }
    const product = await startProduct(address, { config: { environment: 'local', ...config } })
    const { url, port } = product
    const cached = `http://127.0.0.1:${await varnish(port)}`
    const cookie = await product.login()
    const call = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { cookie, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      expect([path, answer.status, text]).toEqual([path, expect.toSatisfy(n => n < 300), text])
      return JSON.parse(text || 'null')
    }
    await call('POST', '/admin/webhooks', {
      name: 'Varnish',
      url: await purger(Number(new URL(cached).port)),
      events: ['*'],
      is_active: true,
      secret,
    })
    const { datatype_id } = await call('POST', '/datatypes', {
      label: 'Page',
      type: 'content',
      visibility: 'public',
    })
    await call('POST', '/fields', { label: 'Head', field_type: 'text', parent_id: datatype_id })
    const entries: string[] = []
    for (let i = 0; i < 4; i++) {
      const { route_id } = await call('POST', '/routes', { slug: `/p${i}`, title: `Page ${i}` })
      const given = { datatype_id, route_id, status: 'published', fields: { head: `first ${i}` } }
      entries.push((await call('POST', '/content', given)).content_data_id)
    }
    const delivered = async () => {
      for (;;) {
        const [{ webhook_id }] = await call('GET', '/admin/webhooks')
        const deliveries: { status: string }[] = await call(
          'GET',
          `/admin/webhooks/${webhook_id}/deliveries?limit=20`,
        )
        if (deliveries.every(({ status }) => status === 'success')) return
        await sleep(50)
      }
    }
    const paths = [...entries.keys()].map(i => `/p${i}`).concat('/api/v1/query/page', '/new')
    const answersOf = (origin: string) =>
      Promise.all(
        paths.map(async path => {
          const answer = await fetch(origin + path)
          return [path, answer.status, await answer.text()]
        }),
      )
    await delivered()
    for (let n = 0; n < 12; n++) {
      await answersOf(cached)
      if (n === 5) await call('POST', '/routes', { slug: '/new', title: 'New' })
      else if (n === 8) await call('POST', '/content/unpublish', { content_data_id: entries[1] })
      else await call('PUT', `/content/?q=${entries[n % 4]}`, { fields: { head: `value ${n}` } })
      await delivered()
      expect(await answersOf(cached)).toEqual(await answersOf(url))
    }
    // A second request is answered by the cache, which names two transactions then.
    await fetch(`${cached}/p0`)
    const again = await fetch(`${cached}/p0`)
    expect(again.headers.get('x-varnish')?.split(' ')).toHaveLength(2)
    expect(again.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
    expect((await fetch(cached, { method: 'BAN' })).status).toBe(400)
  },
  300_000,
)
