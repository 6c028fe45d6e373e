import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { installedPackages } from '../support/installed.js'
import { picture } from '../support/media.js'
import { type OtherRuntime, productIn } from '../support/other-runtimes.js'
import { freePort, password, portListens, startProduct } from '../support/process.js'
import { connected, exec } from '../support/ssh.js'
import { testStorage } from '../support/storage.js'

const run = promisify(execFile)
const isThere = process.platform === 'linux' && process.arch === 'x64'

/** Returns how the product is started in a runtime, and checks that it is the one of the name. */
async function startOf(name: string) {
  const [kind = '', version = ''] = name.split(' ')
  if (kind !== 'Node') {
    const { start, remove } = await productIn(kind.toLowerCase() as OtherRuntime)
    onTestFinished(remove)
    return { ...start, env: {} }
  }
  const at = await installedPackages('test/runtimes', 'runtimes')
  const runtime = join(at, `node_modules/node${version}/bin/node`)
  expect((await run(runtime, ['--version'])).stdout).toMatch(`v${version}.`)
  const flags = ['--import', resolve('test/runtimes/driver.mjs')]
  return { runtime, flags, program: resolve('dist/cli.js'), env: { SQLITE_DRIVER_FOLDER: at } }
}

const runtimes = ['Node 22', 'Node 24', 'Node 26', 'Deno', 'Bun']
it.runIf(isThere).each(runtimes)('does its work on %s', async name => {
  const start = await startOf(name)
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const storage = await testStorage()
  const sshPort = await freePort()
  const config = { ...storage.config, ssh_port: `127.0.0.1:${sshPort}`, log_level: 'warn' }
  const product = await startProduct(address, { ...start, config })
  const call = await callerOf(product)

  // Content, and what the public sees of it.
  const { datatype_id } = await made(
    call('POST', '/datatypes', { label: 'Note', type: 'content', visibility: 'public' }),
  )
  const field = { parent_id: datatype_id, label: 'Text', field_type: 'richtext' }
  await made(call('POST', '/fields', field))
  const { route_id } = await made(call('POST', '/routes', { slug: '/note', title: 'A note' }))
  const entry = { datatype_id, route_id, status: 'published', fields: { text: '<p>Words</p>' } }
  await made(call('POST', '/content', entry))
  const page = await (await fetch(`${product.url}/note?format=clean`)).json()
  expect(page).toMatchObject({ title: 'A note', text: '<p>Words</p>' })
  const found = await made(call('GET', '/query/note?filter[text][contains]=Words&count=true'))
  expect(found).toMatchObject({ meta: { count: 1 }, data: [{ fields: { text: '<p>Words</p>' } }] })
  expect((await made(call('GET', '/search?q=word'))).data).toHaveLength(1)
  const groq = encodeURIComponent('*[_type == "note" && lower(text[0].children[0].text) == "words"]{_type}')
  const answer = await fetch(`${product.url}/compat/sanity/v1/data/query/site?query=${groq}`)
  expect(await answer.json()).toMatchObject({ result: [{ _type: 'note' }] })

  // A picture and its variants, the panel, the terminal, and a backup.
  const form = new FormData()
  form.append('file', new Blob([await picture(1200, 800).png().toBuffer()]), 'picture.png')
  const headers = { Cookie: await product.login() }
  const sent = await fetch(`${product.url}/api/v1/media/upload`, { method: 'POST', headers, body: form })
  expect(await sent.json()).toMatchObject({ width: 1200, mimetype: 'image/png' })
  expect(await (await fetch(`${product.url}/admin/content`, { headers })).text()).toContain('A note')
  await expect.poll(() => portListens(sshPort)).toBe(true)
  const client = await connected(sshPort, { username: 'admin', password })
  expect(await exec(client, 'routes list')).toMatchObject({
    code: 0,
    out: expect.stringContaining('/note'),
  })
  const { runtime, flags, program, env } = start
  const command = [...flags, program, 'backup', 'create', 'site.tar.gz']
  const backup = await run(runtime, command, { cwd: product.folder, env: { ...process.env, ...env } })
  expect(backup.stdout).toContain('records')
  expect(await product.stop()).toBe(0)
  expect(product.output()).not.toMatch(/warning|deprecat/i)
})

it.runIf(isThere)('another Node than the one that installed is told so, by serve and doctor', async () => {
  const at = await installedPackages('test/runtimes', 'runtimes')
  const version = process.versions.node.startsWith('26.') ? '24' : '26'
  const runtime = join(at, `node_modules/node${version}/bin/node`)
  const cwd = mkdtempSync(join(tmpdir(), 'slugline-other-node-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const problem = new RegExp(
    `^(slugline|FAIL database): better-sqlite3 was installed for Node \\d+, and this is Node ${version}\\.[\\d.]+: run npm rebuild$`,
    'm',
  )
  const ended = (command: string) =>
    run(runtime, [resolve('dist/cli.js'), command], { cwd }).catch(failure => failure)
  const [served, doctor] = [await ended('serve'), await ended('doctor')]
  expect([served.code, served.stderr]).toEqual([1, expect.stringMatching(problem)])
  expect(served.stderr.trim().split('\n')).toHaveLength(1)
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringMatching(problem)])
  expect(doctor.stdout).not.toContain('check db_url')
})
