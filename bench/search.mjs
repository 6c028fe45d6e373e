// Prints how long searches take with the service on SQLite, by kind, and their processor time, which a busy machine
// hardly increases. BENCH_ENTRIES (100000), BENCH_SAMPLES (300) of each kind. Texts use 20,000 words, of which few are
// frequent, as in real texts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseConfig } from '../dist/src/config.js'
import { tables } from '../dist/src/db/tables.js'
import { createLog, nodePorts } from '../dist/src/node/ports.js'
import { open } from '../dist/src/server.js'

const entries = Number(process.env.BENCH_ENTRIES ?? 100_000)
const samples = Number(process.env.BENCH_SAMPLES ?? 300)
const folder = mkdtempSync(join(tmpdir(), 'slugline-bench-'))
const say = text => process.stdout.write(`${text}\n`)

let state = 1
const below = n => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * n)
}
const syllables = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu'.split(' ')
const wordOf = n =>
  [n % 20, Math.floor(n / 20) % 20, Math.floor(n / 400) % 20, 7, Math.floor(n / 8000)]
    .map(i => syllables[i])
    .join('')
const vocabulary = Array.from({ length: 20_000 }, (_, i) => wordOf((i * 7919) % 20_000))
/** The n-th word is about n times as rare as the first. */
const word = () => vocabulary[Math.floor(20_000 ** (below(1e6) / 1e6)) - 1]
const text = n => Array.from({ length: n }, word).join(' ')

async function fill(db, author_id) {
  const actor = { userId: author_id, surface: 'cli', requestId: '', ipAddress: '', userAgent: 'bench' }
  const [page, heading, body] = await db.write(actor, async tx => {
    const { datatype_id: parent_id } = await tx.insert(tables.datatypes, {
      label: 'Page',
      name: 'page',
      type: '_global',
      author_id,
      visibility: 'public',
    })
    const field = async (name, field_type) =>
      (await tx.insert(tables.fields, { label: name, name, field_type, parent_id, author_id })).field_id
    return [parent_id, await field('heading', 'text'), await field('body', 'textarea')]
  })
  for (let from = 0; from < entries; from += 200)
    await db.write(actor, async tx => {
      const rows = Array.from({ length: Math.min(200, entries - from) }, () => {
        const id = tx.newId()
        return { content_data_id: id, root_id: id, datatype_id: page, status: 'published', author_id }
      })
      for (const { root_id } of rows) await tx.createTree(tables.contentTrees, root_id)
      await tx.insertAll(tables.contentData, rows)
      await tx.insertAll(
        tables.contentFields,
        rows.flatMap(({ content_data_id }) => [
          { content_data_id, author_id, field_id: heading, field_value: text(4) },
          { content_data_id, author_id, field_id: body, field_value: `${text(40)} everywhere` },
        ]),
      )
    })
}

const kinds = {
  'one word of 20,000': () => vocabulary[below(20_000)],
  'one frequent word': () => vocabulary[below(20)],
  'a word of every entry': () => 'everywhere ',
  'two words': () => `${word()} ${word()}`,
  'three frequent words': () => `${vocabulary[below(20)]} ${vocabulary[below(20)]} ${vocabulary[below(20)]}`,
  'two letters of a word': () => vocabulary[below(20_000)].slice(0, 2),
  'three letters of a word': () => vocabulary[below(20_000)].slice(0, 3),
  'a word and two letters of another': () => `${word()} ${vocabulary[below(20_000)].slice(0, 2)}`,
  nothing: () => `${word()} nowhere`,
}

try {
  const { config } = parseConfig({ db_url: join(folder, 'search.db') }, {})
  const { db, services } = await open({
    config,
    ports: nodePorts(createLog('error')),
    variables: { CMS_ADMIN_PASSWORD: 'correct horse' },
  })
  const { user_id } = await db.find(tables.users, {})
  const from = performance.now()
  await fill(db, user_id)
  say(`${entries} entries of 45 words in ${((performance.now() - from) / 1000).toFixed(0)} s\n`)
  const nobody = { mayRead: async () => false, allow: async () => Promise.reject(new Error('not public')) }
  const print = (kind, times, cpu, found) => {
    const at = (values, part) => values[Math.floor(part * (values.length - 1))].toFixed(1).padStart(6)
    for (const values of [times, cpu]) values.sort((x, y) => x - y)
    say(
      `  ${kind.padEnd(46)} p50 ${at(times, 0.5)} ms  p99 ${at(times, 0.99)} ms  of the processor p50 ${at(cpu, 0.5)} ms  p99 ${at(cpu, 0.99)} ms  found by ${Math.round((100 * found) / samples)} %`,
    )
  }
  for (const more of ['', '&count=true'])
    for (const [kind, q] of Object.entries(kinds)) {
      const [times, cpu] = [[], []]
      let found = 0
      for (let i = 0; i < samples; i++) {
        const search = `q=${encodeURIComponent(q())}${more}`
        const [began, used] = [performance.now(), process.cpuUsage()]
        const { body } = await services.space.search.answer(search, nobody)
        const { user, system } = process.cpuUsage(used)
        times.push(performance.now() - began)
        cpu.push((user + system) / 1000)
        found += body.length > 60 ? 1 : 0
      }
      print(kind + (more && ', counted'), times, cpu, found)
    }
  await db.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
