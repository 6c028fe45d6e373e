// Exports with many documents are imported within a bounded memory: in one run, and killed at ten places and run again.
// Both sites must be equal, and a further run must change nothing.
import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { exporters } from './exports.mjs'
import { cli, instance } from './product.mjs'
import { folder, program, say } from './programs.mjs'

const mostMib = 300
/** A site of its own, without content. */
async function emptySite(name, system, path) {
  const at = join(folder, name)
  const one = await instance(name, {
    ...{ db_url: join(at, 'site.db'), bucket_endpoint: `file:${join(at, 'media')}`, bucket_media: 'media' },
  })
  one.start()
  await one.ready()
  await one.kill('SIGTERM')
  const db = new Database(join(at, 'site.db'))
  return {
    ...{ at, db },
    begin() {
      const words = [cli, 'import', system, path, '--public', '--json']
      const env = { PATH: process.env.PATH, TMPDIR: folder }
      return program(`${name}-import`, process.execPath, words, { cwd: at, env })
    },
    result: () => JSON.parse(readFileSync(join(folder, `${name}-import.log`), 'utf8').replace(/^[^{]*/, '')),
    entries: () => db.prepare('select count(*) as count from content_data').get().count,
    changes: () => db.prepare('select count(*) as count from audit_events').get().count,
  }
}

/** The most memory that a process has had so far, in MiB; 0 when it has ended. */
function peakOf({ child }) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** Waits for the end of an import. @param isTime whether to kill it */
async function watched(one, isTime = () => false) {
  const from = performance.now()
  let peak = 0
  while (!one.isOver) {
    peak = Math.max(peak, peakOf(one))
    if (isTime()) await one.kill()
    else await sleep(50)
  }
  return { code: await one.ended, seconds: (performance.now() - from) / 1000, peak }
}

/** Entries below others have ids of their site: their places stand for them. */
const entry = `c.root_id || case when c.content_data_id = c.root_id then '' else ' ' || c.sort_order end`
const values = table => `select ${entry}, f.name, v.locale, named(v.field_value) from ${table} v
  join content_data c using (content_data_id) join fields f using (field_id)`

/**
 * The content of a site, without ids, numbers and times that a site makes itself: numbers are of the moment in which
 * a process stores a record, so that their order stands for them. Hashes of records have ids of
 * files, and terms and authors of WordPress have no time there.
 */
const parts = {
  entries: `select ${entry}, d.name, c.status, c.published_at, c.date_created,
    case when d.name in ('category', 'tag') or (d.name = 'author' and s.system = 'wordpress') then '' else c.date_modified end, r.slug, r.title
    from content_data c join datatypes d using (datatype_id) left join routes r using (route_id)
    left join import_states s on s.record_id = c.content_data_id`,
  values: values('content_fields'),
  'public values': values('public_values'),
  references: `select ${entry}, f.name, named(x.target_id) from content_references x
    join content_data c using (content_data_id) join fields f using (field_id)`,
  'order of numbers': `select row_number() over (order by c.numeric_id), ${entry} from content_data c`,
  'public entries': `select ${entry}, c.status from public_entries c`,
  'source ids': 'select source_key, content_data_id, named(media_id) from source_ids',
  states: 'select state_key, named(record_id) from import_states',
  files: 'select name, alt_text, caption, size from media',
  redirects: 'select slug, target from redirects',
  fields: 'select d.name, f.name, f.field_type from fields f join datatypes d on d.datatype_id = f.parent_id',
}

/** The number of rows of each part, and their hash. */
function contentOf({ db }) {
  const media = new Map(db.prepare('select media_id, name from media').raw().all())
  db.function('named', { deterministic: true }, text =>
    text === null ? null : text.replaceAll(/[0-9A-HJKMNP-TV-Z]{26}/g, id => media.get(id) ?? id),
  )
  return Object.entries(parts).map(([what, statement]) => {
    const hash = createHash('sha256')
    let count = 0
    const order = db
      .prepare(statement)
      .columns()
      .map((_, i) => i + 1)
    for (const row of db.prepare(`select * from (${statement}) order by ${order}`).raw().iterate()) {
      hash.update(`${JSON.stringify(row)}\n`)
      count++
    }
    return [what, count, hash.digest('hex')]
  })
}

async function importOf(judgement, system, documents, kills) {
  const add = (what, wanted, found, isRight) => judgement.add(`${system}: ${what}`, wanted, found, isRight)
  const path = join(folder, `${system}-export`)
  const wanted = documents + ((await exporters[system](path, documents)) ?? 0)
  say(`${system}: the export is written`)

  const once = await emptySite(`${system}-once`, system, path)
  const first = await watched(once.begin())
  const { entries, files, notes } = once.result()
  add('entries; files', String(wanted), `${entries}; ${files}`, entries === wanted && first.code === 0)
  add('notes', '', notes.length)
  add('seconds', '', first.seconds.toFixed(0))
  add('most memory', `${mostMib} MiB`, `${first.peak.toFixed(0)} MiB`, first.peak <= mostMib)
  say(`${system}: imported in one run`)

  const stored = JSON.stringify(contentOf(once))
  const events = once.changes()
  const second = await watched(once.begin())
  const isSame = JSON.stringify(contentOf(once)) === stored
  const further = once.changes() - events
  add(
    'a second run: changes; exit code',
    '0; 0',
    `${further}; ${second.code}`,
    isSame && further + second.code === 0,
  )
  add('a second run: most memory', `${mostMib} MiB`, `${second.peak.toFixed(0)} MiB`, second.peak <= mostMib)
  say(`${system}: imported once more`)
  if (kills > 0) await killedOf(add, { system, path, once, documents, kills })
  once.db.close()
  for (const at of [once.at, path]) rmSync(at, { recursive: true })
}

/** Kills an import at places: the first one while the export is read, the last one when all entries are stored. */
async function killedOf(add, { system, path, once, documents, kills }) {
  const killed = await emptySite(`${system}-killed`, system, path)
  const all = once.entries()
  const before = killed.entries()
  const places = []
  for (let i = 0; i < kills; i++) {
    const wanted = before + Math.ceil((i / Math.max(1, kills - 1)) * (all - before))
    const began = performance.now()
    // The first one is killed while it reads.
    const isTime = () => (i === 0 ? performance.now() - began > documents / 50 : killed.entries() >= wanted)
    const { code } = await watched(killed.begin(), isTime)
    if (code === 'SIGKILL') places.push(killed.entries())
  }
  add('killed when it had stored', `${kills} places`, places.join(', '), places.length === kills)
  const last = await watched(killed.begin())
  const [left, right] = [contentOf(once), contentOf(killed)]
  const others = left.filter(([, , hash], i) => hash !== right[i][2]).map(([what]) => what)
  add('then run to its end', '0', String(last.code), last.code === 0)
  add(
    'equal to the one run',
    'all',
    others.length === 0 ? 'all' : `not ${others.join(', ')}`,
    others.length === 0,
  )
  add('compared', '', left.map(([what, count]) => `${count} ${what}`).join(', '))
  killed.db.close()
  rmSync(killed.at, { recursive: true })
}

const all = 'wordpress,strapi,sanity,contentful'

export async function trial(judgement, { entries = 100_000, parts = all, cuts = 10 }) {
  for (const system of parts.split(',')) await importOf(judgement, system, entries, cuts)
}
