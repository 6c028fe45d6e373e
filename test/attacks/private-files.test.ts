import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { configFileAt } from '../../src/node/config-file.js'
import { callerOf } from '../support/calls.js'
import { startProduct } from '../support/process.js'

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-private-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const modesIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder).map(name => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  )

it.each(['000', '277'])('the database and its companions are private under a umask of %s', async mask => {
  const folder = folderOf()
  const product = await startProduct(
    { db_driver: 'sqlite', db_url: join(folder, 'data.db') },
    { before: ['sh', '-c', `umask ${mask}; exec "$@"`, 'sh'] },
  )
  const call = await callerOf(product)
  expect((await call('POST', '/datatypes', { label: 'Page', type: 'content' })).status).toBe(201)
  expect(modesIn(folder)).toEqual({
    'data.db': '600',
    'data.db-shm': '600',
    'data.db-wal': '600',
    'data.db.secret': '600',
  })
})

it.each([0, 0o277])(
  'a configuration file that the service makes is private under a umask of %i',
  async mask => {
    const folder = folderOf()
    const before = process.umask(mask)
    try {
      await configFileAt(join(folder, 'cms.config.json')).write('{}', async () => undefined)
    } finally {
      process.umask(before)
    }
    expect(modesIn(folder)).toEqual({ 'cms.config.json': '600' })
  },
)
