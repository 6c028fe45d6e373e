import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { freshDatabase } from '../support/database.js'
import { installedPackages } from '../support/installed.js'
import { startProduct } from '../support/process.js'
import { testStorage } from '../support/storage.js'

const run = promisify(execFile)
const quiet = { env: { ...process.env, NODE_NO_WARNINGS: '1', DO_NOT_TRACK: '1', REDOCLY_TELEMETRY: 'off' } }

it('describes itself so that a linter and three generators take it, and their clients work', async () => {
  // They must not be in the project's own list: they need another compiler.
  const at = await installedPackages('test/tools', 'openapi-tools')
  const database = await freshDatabase()
  onTestFinished(database.drop)
  const storage = await testStorage()
  /** The clients with what is generated for them. */
  const folder = mkdtempSync(join(tmpdir(), 'slugline-clients-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const tool = (name: string, ...args: string[]) =>
    run(join(at, 'node_modules/.bin', name), args, { ...quiet, cwd: folder })
  const product = await startProduct(database.address, { config: storage.config })
  const call = await callerOf(product)
  const { token } = await made(call('POST', '/tokens', { label: 'Client' }))
  const api = `${product.url}/api/v1`
  cpSync('test/fixtures/clients', folder, { recursive: true })
  symlinkSync(join(at, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const document = await (await fetch(`${api}/openapi.json`)).text()
  writeFileSync(join(folder, 'openapi.json'), document)
  const orval = {
    input: { target: './openapi.json' },
    output: { target: './orval/client.ts', client: 'fetch', baseUrl: api },
  }
  writeFileSync(join(folder, 'orval.config.cjs'), `module.exports = { slugline: ${JSON.stringify(orval)} }`)

  const lint = tool('redocly', 'lint', 'openapi.json', '--extends=recommended', '--format=json')
  const { totals } = JSON.parse((await lint).stdout)
  expect(totals).toMatchObject({ errors: 0 })
  await Promise.all([
    tool('openapi-typescript', 'openapi.json', '-o', 'openapi-typescript/schema.ts'),
    tool('openapi-ts', '-i', 'openapi.json', '-o', 'hey-api', '-c', '@hey-api/client-fetch'),
  ])
  await tool('orval', '--config', './orval.config.cjs')
  const compiled = await tool('tsc', '-p', 'tsconfig.json').catch(error => error)
  expect(compiled.stdout).toBe('')

  // The first line of the documentation that makes something, as a reader pastes it.
  const page = await (await fetch(`${product.url}/api/docs`)).text()
  const [, shown = ''] = /<pre>(curl -X POST &quot;\$API\/routes&quot;.*?)<\/pre>/.exec(page) ?? []
  const line = shown.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
  const pasted = await run('bash', ['--norc', '-c', `${line} -sS`], {
    env: { ...process.env, API: api, KEY: token },
  })
  const { route_id } = JSON.parse(pasted.stdout)
  expect((await call('DELETE', `/routes/${route_id}`)).status).toBe(204)

  for (const client of ['openapi-fetch', 'hey-api', 'orval']) {
    const { stdout } = await run(resolve('node_modules/.bin/tsx'), [`${client}.ts`, api, token], {
      ...quiet,
      cwd: folder,
    })
    expect([client, JSON.parse(stdout)]).toEqual([
      client,
      {
        status: 1,
        title: 'Typed',
        saved: { status: 200, is: 'Saved' },
        late: { status: 412, is: 'changed' },
        list: { slugs: ['/typed'], total: '1' },
        upload: { size: 5, focalX: 40 },
        removed: 204,
        wrong: 'unknown_member',
      },
    ])
  }
})
