import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { openExport } from '../../src/node/export-files.js'
import { nodeHashing } from '../../src/node/ports.js'
import { loadSite } from '../../src/services/import/load.js'
import { readStrapi } from '../../src/systems/strapi/import/index.js'
import { testApp } from '../support/app.js'
import { testStorage } from '../support/storage.js'

const fixtures = join(import.meta.dirname, '../fixtures/import')
/**
 * What Strapi 5.41.1 answered from the content of the export, without what is otherwise here: ids, addresses and times of
 * records, blocks (HTML), `locale` of what relations name, and a `biginteger` as a text.
 */
const answers: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(join(fixtures, 'strapi-answers.json'), 'utf8'),
)

const store = await testStorage()
const source = await openExport(join(fixtures, 'strapi'))
const site = await readStrapi(source)
const compat = Object.fromEntries(site.types.map(({ name, compat: own }) => [name, own ?? {}]))
const app = await testApp({ ...store.config, i18n_enabled: true, compat }, { file: { i18n_enabled: true } })
const imported = await loadSite(
  app.services,
  {
    ...{ ...systemActor, surface: 'cli', userId: app.users.admin },
    roleId: await app.services.access.systemRole('admin'),
  },
  site,
  {
    ...{
      system: 'strapi',
      hashing: nodeHashing,
      isPublic: true,
      now: app.clock.now(),
      progress: () => undefined,
    },
    open: ({ at = '' }) => source.file(at),
  },
)

it('takes everything that was read', () => {
  const { notes, ...made } = imported
  expect(made).toMatchObject({ datatypes: 12, fields: 60, entries: 27, known: 0, files: 3 })
  expect(notes).toEqual(site.notes)
})

it.each(Object.entries(answers))('answers %s as Strapi did', async (path, data) => {
  // The role Public of Strapi could not read these.
  const as = path.startsWith('details') ? 'key' : 'nobody'
  const address = `/compat/strapi/api/${path}`
  if (as === 'key') expect((await app.call('GET', address, { as: 'nobody' })).status).toBe(403)
  const { status, body } = await app.call('GET', address, { as })
  expect(status).toBe(200)
  expect(body.data).toMatchObject(data as object)
})

const paragraph = (text: string) => [{ type: 'paragraph', children: [{ type: 'text', text }] }]

/** The value of the field of blocks of a document, as Strapi has it. */
function storedBlocks(title: string): { language?: string; image?: object }[] {
  const rows = ['entities_00001.jsonl', 'entities_00002.jsonl'].flatMap(name =>
    readFileSync(join(fixtures, 'strapi/entities', name), 'utf8')
      .trim()
      .split('\n'),
  )
  const found = rows.map(row => JSON.parse(row).data).find(data => data.title === title)
  return found.content
}

it('has rich text with its pictures, translations, and drafts for who may see them', async () => {
  const ask = (path: string, as: 'nobody' | 'admin' = 'nobody') =>
    app.call('GET', `/compat/strapi/api/${path}`, { as })
  const german = await ask('articles?locale=de&filters[slug][$eq]=hallo&populate[categories]=true')
  expect(german.body.data).toMatchObject([
    { title: 'Hallo', content: paragraph('Grüße'), categories: [], rating: 4, locale: 'de' },
  ])
  const { body } = await ask('articles?filters[slug][$eq]=hello&populate[cover]=true')
  const stored = storedBlocks('Hello').map(({ image, ...block }) => block)
  expect(body.data[0].content.map(({ image, ...block }: { image?: object }) => block)).toEqual(stored)
  const { url, mime } = body.data[0].cover
  expect(body.data[0].content.at(-1)).toMatchObject({
    image: { url, mime, alternativeText: 'A red field' },
  })
  const titles = async (path: string, as: 'nobody' | 'admin') =>
    (await ask(path, as)).body.data.map(({ title }: { title: string }) => title)
  const sorted = 'articles?sort=createdAt'
  expect(await titles(sorted, 'nobody')).toEqual(['Hello', 'Second', 'Nur deutsch'])
  expect(await titles(`${sorted}&status=draft`, 'admin')).toEqual([
    ...['Hello', 'Second', 'Draft only', 'Nur deutsch'],
  ])
})
