// The applicable part of the test suite of GROQ (`--suite FILE`, what github.com/sanity-io/groq-test-suite builds): each of
// its datasets is imported as an export of Sanity, and each query is sent to the service.
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

/** Members that the service adds to whole documents, as a dataset of Sanity does. */
const added = new Set(['_createdAt', '_updatedAt', '_rev'])
function plain(value, expected) {
  if (Array.isArray(value))
    return value.map((one, i) => plain(one, Array.isArray(expected) ? expected[i] : undefined))
  if (value === null || typeof value !== 'object') return value
  const names = Object.keys(value).filter(name => !added.has(name) || Object.hasOwn(expected ?? {}, name))
  return Object.fromEntries(names.map(name => [name, plain(value[name], expected?.[name])]))
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

export async function trial(judgement, { suite, parts }) {
  const entries = readFileSync(suite, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const tests = entries.filter(({ _type }) => _type === 'test')
  const wanted = tests.filter(isApplicable).filter(({ filename }) => !parts || filename.includes(parts))
  const byDataset = Map.groupBy?.(wanted, ({ dataset }) => dataset?._ref ?? '') ?? grouped(wanted)
  const { at: template, one: first } = await siteOf('template', [], undefined)
  await first.kill('SIGTERM')
  const counts = new Counts()
  const seen = { refused: new Counts(), wrong: new Counts() }
  const log = []
  let n = 0
  for (const { _id, documents } of entries.filter(({ _type }) => _type === 'dataset')) {
    const own = byDataset.get(_id) ?? []
    if (own.length === 0) continue
    if (!documents) {
      counts.add('without documents', own.length)
      continue
    }
    const { one, at } = await siteOf(`dataset-${n++}`, documents, template).catch(error => {
      say(String(error).slice(0, 600))
      return {}
    })
    if (!one) {
      for (const _ of own) counts.add('not imported')
      continue
    }
    const api = must(caller(one.url, { Cookie: await login(one.url) }))
    const { token } = await api('POST', '/api/v1/tokens', { label: 'groq', token_type: 'api_key' })
    for (const test of own) {
      const answer = await fetch(
        `${one.url}/compat/sanity/v2024-01-01/data/query/production?perspective=raw`,
        {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ query: test.query, params: test.params ?? {} }),
        },
      )
      const body = await answer.json()
      const isRefused = answer.status !== 200
      const outcome = !test.valid
        ? isRefused
          ? 'right'
          : 'accepted although invalid'
        : isRefused
          ? 'refused'
          : isDeepStrictEqual(rounded(plain(body.result, test.result)), rounded(test.result))
            ? 'right'
            : 'wrong'
      counts.add(outcome)
      if (outcome === 'right') continue
      seen[outcome === 'refused' ? 'refused' : 'wrong'].add(test.filename)
      log.push({
        outcome,
        file: test.filename,
        query: test.query,
        expected: test.result,
        found: isRefused ? body : body.result,
        documents: documents.length < 8 ? documents : documents.length,
      })
    }
    await one.kill('SIGTERM')
    rmSync(at, { recursive: true })
  }
  writeFileSync(process.env.GROQ_LOG ?? '/dev/null', log.map(l => JSON.stringify(l)).join('\n'))
  judgement.add('tests of the suite; applicable', '', `${tests.length}; ${wanted.length}`)
  const refused = counts.get('refused') ?? 0
  const wrong = counts.total(/^(?:wrong|accepted|not imported)/)
  judgement.add('right', '', counts.get('right') ?? 0)
  judgement.add('refused', `<= ${mostRefused}`, refused, refused <= mostRefused)
  judgement.add('wrong', `<= ${mostWrong}`, wrong, wrong <= mostWrong)
  judgement.add('answers', '', counts)
  judgement.add('refused by file', '', seen.refused)
  judgement.add('wrong by file', '', seen.wrong)
}

function grouped(list) {
  const map = new Map()
  for (const one of list) {
    const key = one.dataset?._ref ?? ''
    map.set(key, [...(map.get(key) ?? []), one])
  }
  return map
}
