import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { DatabaseAddress } from '../../src/db/connect.js'
import { engine, migratedDatabase } from '../support/database.js'
import { productEnv, startProduct } from '../support/process.js'
import { whenDone } from '../support/when-done.js'
import { rowsOf } from './rows.js'

/** Several transactions of fifty trees. */
const count = 400
const time = (i: number) => new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString()
const lines = (records: readonly object[]): string => records.map(one => JSON.stringify(one)).join('\n')
const all = <T>(of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i))

/** Each record names the one before it. */
const exports: Readonly<Record<string, (folder: string) => void>> = {
  sanity(folder) {
    const documents = all(i => ({
      ...{ _id: `post-${i}`, _type: 'post', _createdAt: time(i), _updatedAt: time(i), title: `Post ${i}` },
      ...(i > 0 && { before: { _type: 'reference', _ref: `post-${i - 1}` } }),
    }))
    writeFileSync(join(folder, 'data.ndjson'), lines(documents))
  },
  contentful(folder) {
    const fields = [
      { id: 'title', name: 'Title', type: 'Symbol', required: true, validations: [{ unique: true }] },
      { id: 'before', name: 'Before', type: 'Link', linkType: 'Entry' },
    ]
    const entries = all(i => ({
      sys: { id: `post-${i}`, createdAt: time(i), updatedAt: time(i), contentType: { sys: { id: 'post' } } },
      fields: {
        title: { en: `Post ${i}` },
        ...(i > 0 && { before: { en: { sys: { type: 'Link', linkType: 'Entry', id: `post-${i - 1}` } } } }),
      },
    }))
    const contentTypes = [{ sys: { id: 'post' }, name: 'Post', displayField: 'title', fields }]
    const json = { contentTypes, entries, assets: [], locales: [{ code: 'en', default: true }] }
    writeFileSync(join(folder, 'export.json'), JSON.stringify(json, null, 2))
  },
  strapi(folder) {
    const type = 'api::post.post'
    const attributes = {
      title: { type: 'string', required: true, unique: true },
      before: { type: 'relation', relation: 'oneToOne', target: type },
    }
    const schema = { uid: type, modelType: 'contentType', kind: 'collectionType', attributes }
    const rows = all(id => ({
      ...{ type, id },
      data: {
        ...{ documentId: `post-${id}`, createdAt: time(id), updatedAt: time(id), title: `Post ${id}` },
      },
    }))
    const links = all(ref => ({
      kind: 'relation.basic',
      left: { type, ref, field: 'before' },
      right: { type, ref: ref - 1 },
    })).slice(1)
    for (const [part, records] of Object.entries({ schemas: [schema], entities: rows, links })) {
      mkdirSync(join(folder, part))
      writeFileSync(join(folder, part, `${part}_00001.jsonl`), lines(records))
    }
  },
}

const stored = `
  select content_data_id, datatypes.name as datatype, status, published_at, content_data.date_created as created,
    content_data.date_modified as modified, fields.name as field, locale, field_value as value
  from content_data join datatypes using (datatype_id) join content_fields using (content_data_id)
  join fields using (field_id) order by content_data_id, fields.name, locale`
const sources = 'select source_key, content_data_id from source_ids order by source_key'

async function countOf(address: DatabaseAddress): Promise<number> {
  const [row] = await rowsOf<{ n: number | string }>(address, 'select count(*) as n from content_data')
  return Number(row?.n ?? 0)
}

/** What a first start leaves: a database with its administrator, and the folder of the configuration. */
async function firstStart(): Promise<{ address: DatabaseAddress; cwd: string }> {
  const { address, drop } = await migratedDatabase()
  whenDone(drop)
  const product = await startProduct(address)
  expect(await product.stop()).toBe(0)
  return { address, cwd: product.folder }
}

/** Every site on SQLite is a copy of this one, with all that is beside the database. */
const template = engine === 'sqlite' ? await firstStart() : undefined

function copyOf({ address, cwd }: { address: DatabaseAddress; cwd: string }) {
  const copy = mkdtempSync(join(tmpdir(), 'slugline-import-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  const { db_url = '' } = address
  cpSync(dirname(db_url), copy, { recursive: true })
  cpSync(cwd, copy, { recursive: true })
  const own = { ...address, db_url: join(copy, basename(db_url)) }
  const config = join(copy, 'cms.config.json')
  writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), ...own }))
  return { address: own, cwd: copy }
}

/** Starts the command on a site of its own. */
async function siteFor(system: string, folder: string) {
  const { address, cwd } = template ? copyOf(template) : await firstStart()
  const start = () => {
    const child = spawn(process.execPath, [resolve('dist/cli.js'), 'import', system, folder, '--json'], {
      cwd,
      env: productEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (output += data))
    const end = once(child, 'exit').then(([code]) => ({ code, output }))
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await end
    })
    return { child, end }
  }
  return { address, start }
}

const whatIs = async (address: DatabaseAddress) => ({
  entries: await rowsOf(address, stored),
  sources: await rowsOf(address, sources),
})

/**
 * The importers hand all that they read to the same transactions, and a server sees nothing of them but these: one
 * import shows that it undoes what a killed process has begun.
 */
const killed = engine === 'sqlite' ? Object.keys(exports) : ['strapi']

it.each(killed)(
  'an import of %s that was killed and started again has made what one run makes',
  { timeout: 600_000 },
  async system => {
    const folder = mkdtempSync(join(tmpdir(), 'slugline-export-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    exports[system]?.(folder)

    const whole = await siteFor(system, folder)
    expect(await whole.start().end).toMatchObject({ code: 0 })
    expect(await countOf(whole.address)).toBe(count)

    const cut = await siteFor(system, folder)
    const { child, end } = cut.start()
    while (child.exitCode === null && (await countOf(cut.address)) < count / 4) await sleep(5)
    child.kill('SIGKILL')
    expect(await end).toMatchObject({ code: null })
    const before = await countOf(cut.address)
    expect(before).toBeGreaterThanOrEqual(count / 4)
    expect(before).toBeLessThan(count)

    const again = await cut.start().end
    expect(again).toMatchObject({ code: 0 })
    expect(JSON.parse(again.output)).toMatchObject({ entries: count - before, known: before })
    expect(await whatIs(cut.address)).toEqual(await whatIs(whole.address))
  },
)
