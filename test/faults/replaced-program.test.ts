import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { migratedDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'

/** A copy of the built program, which may be changed. */
function copiedProgram(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-copy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync('dist', join(folder, 'dist'), { recursive: true })
  cpSync('package.json', join(folder, 'package.json'))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  return folder
}

it('says that it has to be restarted, where a part that it needs was replaced', async () => {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const folder = copiedProgram()
  const product = await startProduct(address, { program: join(folder, 'dist/cli.js') })
  const chunks = join(folder, 'dist/chunks')
  for (const name of readdirSync(chunks)) rmSync(join(chunks, name))
  const sentence = 'the service was updated while it was running: restart it'
  for (const path of ['/admin', '/compat/strapi/api/pages']) {
    const answer = await fetch(product.url + path)
    expect([path, answer.status, await answer.json()]).toEqual([
      path,
      503,
      { error: sentence, code: 'unavailable' },
    ])
    expect(answer.headers.get('retry-after')).toBe('1')
  }
  expect((await fetch(`${product.url}/api/v1/health`)).status).toBe(200)
  expect(await product.stop()).toBe(0)
  const lines = product.output().match(/^\{.*\}$/gm) ?? []
  expect(lines.map(line => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      msg: 'the program was replaced or removed while it was running: restart the service',
      method: 'GET',
      path: '/admin',
    }),
  )
})

it('loads a part again that could not be loaded before', async () => {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const folder = copiedProgram()
  const product = await startProduct(address, { program: join(folder, 'dist/cli.js') })
  const [chunks, away] = [join(folder, 'dist/chunks'), join(folder, 'dist/away')]
  const statuses = async () => {
    const answers = ['/admin/sign-in', '/compat/strapi/api/pages'].map(path => fetch(product.url + path))
    return (await Promise.all(answers)).map(({ status }) => status)
  }
  renameSync(chunks, away)
  expect(await statuses()).toEqual([503, 503])
  renameSync(away, chunks)
  expect(await statuses()).toEqual([200, 403])
  expect(await product.stop()).toBe(0)
})
