// The applicable part of the test suite of GROQ (`--suite FILE`, what github.com/sanity-io/groq-test-suite builds): each of
// its datasets is imported as an export of Sanity, and each query is sent to the service. `differences.ndjson` has what differs.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Counts, caller, cli, instance, login, must } from './product.mjs'
import { folder, program, say } from './programs.mjs'

const [mostWrong, mostRefused] = [20, 150]
/** What the product does not promise (docs/moving-from/sanity.md): the first version of the language, and these functions. */
const beyond = new Set(['geoFunctions', 'customFunctions', 'internalDocuments', 'contentReleases'])
const files = /^(?:function\/(?:geo|diff|custom)|extensions\/)/
const isApplicable = ({ version, features, filename }) =>
  version !== '0.1' && !files.test(filename) && !(features ?? []).some(one => beyond.has(one))

/** Members that the service adds to documents, as a dataset of Sanity does. */
const added = new Set(['_createdAt', '_updatedAt', '_rev'])
function plain(value, expected) {
  if (Array.isArray(value))
    return value.map((one, i) => plain(one, Array.isArray(expected) ? expected[i] : undefined))
  if (value === null || typeof value !== 'object') return value
  const names = Object.keys(value).filter(name => !added.has(name) || Object.hasOwn(expected ?? {}, name))
  return Object.fromEntries(names.map(name => [name, plain(value[name], expected?.[name])]))
}

/** Scores as the suite has them: the places of documents, of which several may share one. */
function placed(value, expected) {
  if (!Array.isArray(value) || !Array.isArray(expected) || expected[0]?._pos === undefined) return value
  const scores = [...new Set(value.map(one => one?._score))].sort((a, b) => b - a)
  return value.map(({ _score, ...one }) => ({ ...one, _pos: scores.indexOf(_score) + 1 }))
}

/** Numbers as their calculation may end. */
const rounded = value =>
  JSON.parse(
    JSON.stringify(value ?? null, (_, one) => (typeof one === 'number' ? Number(one.toPrecision(12)) : one)),
  )

/** A site with the documents of a dataset, and how to ask it. */
async function siteOf(name, documents, template) {
  const at = join(folder, name)
  const one = await instance(name, {
    db_url: 'site.db',
    bucket_endpoint: 'file:media',
    bucket_media: 'media',
  })
  if (template) cpSync(join(template, 'site.db'), join(at, 'site.db'))
  if (documents.length > 0) {
    mkdirSync(join(at, 'export'))
    writeFileSync(join(at, 'export/data.ndjson'), documents.map(d => JSON.stringify(d)).join('\n'))
    const words = [cli, 'import', 'sanity', join(at, 'export'), '--public', '--json']
    const done = program(`${name}-import`, process.execPath, words, {
      cwd: at,
      env: { PATH: process.env.PATH, CMS_ADMIN_PASSWORD: 'correct horse 27' },
    })
    if ((await done.ended) !== 0) throw new Error(`the import of ${name}: ${done.log()}`)
  }
  one.start()
  await one.ready()
  return { one, at }
}

function grouped(tests) {
  const byDataset = new Map()
  for (const test of tests) {
    const of = test.dataset?._ref ?? ''
    byDataset.set(of, [...(byDataset.get(of) ?? []), test])
  }
  return byDataset
}

/** Sends the query of a test. @returns what came of it, and the result or the refusal */
async function outcomeOf({ query, params = {}, result, valid }, url, token) {
  const answer = await fetch(`${url}/compat/sanity/v2024-01-01/data/query/production?perspective=raw`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, params: params ?? {} }),
  })
  const body = await answer.json()
  if (answer.status !== 200) return { outcome: valid ? 'refused' : 'right', found: body }
  if (!valid) return { outcome: 'accepted although invalid', found: body.result }
  const found = rounded(plain(placed(body.result, result), result))
  return { outcome: isDeepStrictEqual(found, rounded(result)) ? 'right' : 'wrong', found }
}

/** Asks a site with a dataset for all of its tests. @param note is called with each that is not right */
async function datasetAsked(name, { documents, tests, template }, counts, note) {
  let site
  try {
    site = await siteOf(name, documents, template)
  } catch (error) {
    say(String(error).slice(0, 300))
    counts.add('not imported', tests.length)
    return
  }
  const { one, at } = site
  const api = must(caller(one.url, { Cookie: await login(one.url) }))
  const { token } = await api('POST', '/api/v1/tokens', { label: 'groq', token_type: 'api_key' })
  for (const test of tests) {
    const { outcome, found } = await outcomeOf(test, one.url, token)
    counts.add(outcome)
    if (outcome !== 'right')
      note({ outcome, found, expected: test.result, file: test.filename, query: test.query })
  }
  await one.kill('SIGTERM')
  rmSync(at, { recursive: true })
}

export async function trial(judgement, { suite, parts = '' }) {
  const entries = readFileSync(suite, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const tests = entries.filter(({ _type }) => _type === 'test')
  const applicable = tests.filter(isApplicable).filter(({ filename }) => filename.includes(parts))
  const byDataset = grouped(applicable)
  const { at: template, one: first } = await siteOf('template', [], undefined)
  await first.kill('SIGTERM')
  const counts = new Counts()
  const [refusedIn, wrongIn] = [new Counts(), new Counts()]
  const lines = []
  const note = one => {
    lines.push(JSON.stringify(one))
    ;(one.outcome === 'refused' ? refusedIn : wrongIn).add(one.file)
  }
  for (const [i, { _id, documents }] of entries.filter(({ _type }) => _type === 'dataset').entries()) {
    const own = byDataset.get(_id) ?? []
    // The documents of one of them are not in the suite.
    if (!documents) counts.add('without documents', own.length)
    else if (own.length > 0)
      await datasetAsked(`dataset-${i}`, { documents, tests: own, template }, counts, note)
  }
  writeFileSync(join(folder, 'differences.ndjson'), lines.join('\n'))
  const refused = counts.get('refused') ?? 0
  const wrong = counts.total(/^(?:wrong|accepted|not imported)/)
  judgement.add('tests of the suite; applicable', '', `${tests.length}; ${applicable.length}`)
  judgement.add(
    'right; without documents',
    '',
    `${counts.get('right')}; ${counts.get('without documents') ?? 0}`,
  )
  judgement.add('refused', `<= ${mostRefused}`, refused, refused <= mostRefused)
  judgement.add('refused by file', '', refusedIn)
  judgement.add('wrong', `<= ${mostWrong}`, wrong, wrong <= mostWrong)
  judgement.add('wrong by file', '', wrongIn)
}
