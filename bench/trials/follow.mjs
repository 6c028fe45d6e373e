// A real WordPress and a real Strapi are followed while a script edits both sides: the connection is cut, the follower is
// killed, the source is started again, the service is killed. At the end both sides are compared record by record.

import { readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { register } from 'tsx/esm/api'
import { Counts, caller, cli, instance, login } from './product.mjs'
import { atEnd, folder, freePort, program, run, say, until } from './programs.mjs'

const everySeconds = 2
/** Every tenth round reads everything. */
const wholeRounds = 10
/** `slugline compare` names the first 100 records that differ: fewer than that are changed here. */
const mostChangedHere = 60
const mostDeletedHere = 15

/** Random choices. @param next numbers from 0 to 1 */
function randomOf(next) {
  let words = 0
  const syllables = ['lo', 'mi', 'ra', 'ten', 'vo', 'sa', 'kul', 'ne', 'bri', 'do']
  const pick = list => list[Math.floor(next() * list.length)]
  return {
    ...{ next, pick, chance: part => next() < part },
    /** A word that comes once. */
    word: () => `${pick(syllables)}${pick(syllables)}${pick(syllables)}-${++words}`,
    /** One of the names, each as often as its number says. */
    weighted(parts) {
      let left = next() * Object.values(parts).reduce((sum, one) => sum + one, 0)
      for (const [name, part] of Object.entries(parts)) {
        left -= part
        if (left < 0) return name
      }
      return Object.keys(parts)[0]
    },
  }
}

/** Passes connections on to the target with the fewest, unless it is cut. */
async function proxy() {
  const port = await freePort()
  const open = new Map()
  const self = { url: `http://127.0.0.1:${port}`, targets: [], isCut: false, cut, mend }
  const server = createServer(socket => {
    if (self.isCut || self.targets.length === 0) return void socket.destroy()
    const busy = target => [...open.values()].filter(one => one === target).length
    const [target] = self.targets.toSorted((a, b) => busy(a) - busy(b))
    const other = connect(target, '127.0.0.1')
    open.set(socket, target)
    const end = () => {
      open.delete(socket)
      socket.destroy()
      other.destroy()
    }
    for (const one of [socket, other]) one.once('error', end).once('close', end)
    socket.pipe(other).pipe(socket)
  })
  function cut() {
    self.isCut = true
    for (const socket of open.keys()) socket.destroy()
  }
  function mend() {
    self.isCut = false
  }
  await new Promise(done => server.listen(port, '127.0.0.1', done))
  atEnd(() => server.close())
  return self
}

/** A service whose command follows a source. It starts again whenever it has ended, as a service manager does. */
async function site(name, source, url) {
  const at = join(folder, `${name}-site`)
  const one = await instance(`${name}-site`, {
    ...{ db_url: join(at, 'site.db'), bucket_endpoint: `file:${join(at, 'media')}`, bucket_media: 'media' },
    // One sender makes many edits.
    rate_limit_enabled: false,
  })
  one.start()
  await one.ready()
  const options = [...['--from', url, '--delete', '--public', '--json'], ...source.options]
  const env = { PATH: process.env.PATH, SOURCE_TOKEN: source.token }
  const ends = new Counts()
  let [follower, isOver] = [undefined, false]
  const words = (...more) => [cli, 'import', source.system, ...options, ...more]
  const start = () =>
    program(`${name}-follower`, process.execPath, words('--follow', '--every', String(everySeconds)), {
      cwd: at,
      env,
    })
  async function keep() {
    while (!isOver) {
      follower = start()
      ends.add(String(await follower.ended))
      if (!isOver) await sleep(500)
    }
  }
  const kept = keep()
  return {
    ...{ ...one, at, ends, kill: one.kill },
    log: () => follower.log(),
    killFollower: () => follower.kill(),
    /** Ends the follower as Ctrl-C does. */
    async stop() {
      isOver = true
      const code = await follower.kill('SIGINT')
      await kept
      return code
    },
    /** Reads everything once more. @returns the result */
    async update() {
      const options = { cwd: at, env, maxBuffer: 2 ** 26 }
      const { stdout, stderr } = await run(process.execPath, words('--update'), options).catch(error => {
        // Records that have no place here are left out, which the exit code says.
        if (error.code === 3) return error
        throw error
      })
      if (!stdout) throw new Error(`the update showed nothing: ${stderr}`)
      return JSON.parse(stdout)
    },
    database: () => new Database(join(at, 'site.db'), { readonly: true }),
  }
}

const named = ({ base, id }) => `${base} ${id}`

/** The entry here of a record there. */
function entryOf(db, source, record) {
  const row = db
    .prepare('select content_data_id as id from source_ids where source_key = ?')
    .get(source.sourceKey(record))
  return row?.id ?? undefined
}

const mediaOf = (db, source, id) =>
  db
    .prepare('select media.* from media join source_ids using (media_id) where source_key = ?')
    .get(source.fileKey(id))

const valueHere = (db, id, name) =>
  db
    .prepare(
      `select field_value as value from content_fields join fields using (field_id)
       where content_data_id = ? and name = ? and locale = ''`,
    )
    .get(id, name)?.value

/** Edits at the source, until the time is over. */
async function editThere({ source, edits, state, random, isOver, counts, pace }) {
  const { pick, chance } = random
  while (!isOver()) {
    const from = performance.now()
    const what = random.weighted({ edit: 70, create: 12, remove: 6, shared: 8 })
    try {
      if (what === 'create') {
        const record = await edits.create()
        state.there.push(record)
        counts.add('created there')
      } else if (what === 'shared') counts.add(`${await edits.editShared()} there`)
      else {
        const isBoth = chance(0.25) && state.ours.size > 0
        const record = isBoth ? pick([...state.ours.values()]).record : pick(state.there)
        if (state.gone.has(named(record))) continue
        if (what === 'edit') {
          counts.add(`${await edits.edit(record)} there`)
          state.changedThere.add(named(record))
        } else if (source.own(record.base) && state.gone.size < state.there.length / 5) {
          state.gone.add(named(record))
          await edits.remove(record)
          counts.add('deleted there')
        }
      }
    } catch (error) {
      // While the source starts again, nothing is known of a change.
      if (!state.isAway) {
        counts.add('refused there')
        state.refused.push(error.message)
      }
      await sleep(500)
    }
    await sleep(Math.max(0, pace - (performance.now() - from)))
  }
}

/** Edits here, until the time is over. What has no response may have been stored or not. */
async function editHere({ source, to, state, random, isOver, counts, pace }) {
  const db = to.database()
  const { pick, chance, word } = random
  let cookie
  const call = async (...args) => {
    try {
      cookie ??= await login(to.url)
    } catch {
      return { status: 0 }
    }
    return caller(to.url, { Cookie: cookie })(...args)
  }
  const isMissing = ({ status }) => status === 0 || status >= 500
  while (!isOver()) {
    await sleep(pace)
    const what = random.weighted({ edit: 80, create: 10, remove: 10 })
    if (what === 'create') {
      const type = db.prepare('select datatype_id from datatypes where name = ?').get(source.madeHere.type)
      if (!type) continue
      const slug = `here-${word()}`
      const answer = await call(...source.madeHere.request(type.datatype_id, slug))
      if (answer.status === 201) state.made.add(slug)
      else if (isMissing(answer)) state.maybeMade.add(slug)
      else counts.add(`create here ${answer.status} ${answer.text}`)
      counts.add('created here')
      continue
    }
    const isNew = state.ours.size < mostChangedHere && (state.ours.size < 3 || chance(0.1))
    const record = what === 'remove' || isNew ? pick(state.there) : pick([...state.ours.values()]).record
    const key = named(record)
    if (!source.own(record.base) || state.deleted.has(key)) continue
    const id = entryOf(db, source, record)
    if (id === undefined) continue
    if (what === 'remove') {
      if (state.deleted.size >= mostDeletedHere || state.ours.has(key)) continue
      const answer = await call('DELETE', `/api/v1/content/?q=${id}`)
      if (answer.status < 300 || isMissing(answer))
        state.deleted.set(key, { record, id, isSure: !isMissing(answer) })
      if (answer.status > 0) counts.add(`deleted here${answer.status < 300 ? '' : ` ${answer.status}`}`)
      continue
    }
    const value = `Ours ${word()}`
    const answer = await call('PUT', `/api/v1/content/?q=${id}`, { fields: { [source.field]: value } })
    const known = state.ours.get(key) ?? { record, id, value: undefined, maybe: [] }
    if (answer.status === 200) state.ours.set(key, { ...known, value, maybe: [] })
    else if (isMissing(answer)) state.ours.set(key, { ...known, maybe: [...known.maybe, value] })
    counts.add(answer.status === 200 ? 'changed here' : `changed here ${answer.status}`)
  }
  db.close()
}

/** Cuts, kills and restarts, evenly over the time. */
async function disturb({ source, to, way, state, seconds, random, counts, isOver }) {
  const began = performance.now()
  const plan = []
  for (let i = 0; i < Math.max(2, seconds / 25); i++) plan.push(['cut', random.next()])
  for (let i = 0; i < Math.max(2, seconds / 50); i++) plan.push(['kill', random.next()])
  plan.push(['restart', 0.45], ['service', 0.7])
  for (const [what, part] of plan.sort((a, b) => a[1] - b[1])) {
    await sleep(Math.max(0, began + part * seconds * 950 - performance.now()))
    if (isOver()) return
    counts.add(
      {
        cut: 'connection cut',
        kill: 'follower killed',
        restart: 'source restarted',
        service: 'service killed',
      }[what],
    )
    if (what === 'cut') {
      way.cut()
      await sleep(300 + random.next() * Math.min(5000, seconds * 50))
      way.mend()
    } else if (what === 'kill') await to.killFollower()
    else if (what === 'restart') {
      state.isAway = true
      await source.stop()
      await sleep(1000)
      await source.start()
      state.isAway = false
    } else {
      await to.kill('SIGKILL')
      await sleep(1000)
      to.start()
      await to.ready()
    }
  }
}

/** Waits until the follower has nothing more to take. */
async function settle(to) {
  let [before, quiet] = ['', 0]
  const db = to.database()
  const state = () =>
    JSON.stringify([
      db.prepare('select count(*), max(date_modified) from content_data').get(),
      db.prepare('select count(*), max(source_hash), min(source_hash) from import_states').get(),
    ])
  const wanted = everySeconds * wholeRounds * 1000
  await until(
    'the follower has taken everything',
    () => {
      const now = state()
      quiet = now === before ? quiet + 1 : 0
      before = now
      return quiet * 500 > 2 * wanted + 20_000
    },
    { ms: 600_000, every: 500 },
  )
  db.close()
}

/** Runs the comparison of the product. @returns its result */
async function compared({ source, way, to }) {
  const variables = { OLD_TOKEN: source.system === 'wordpress' ? '' : source.token, NEW_TOKEN: '' }
  const [old, own] = [way.url + source.root, `${to.url}/compat/${source.system}${source.root}`]
  const types = source.lists.length > 0 ? ['--types', source.lists.join()] : []
  const words = [cli, 'compare', old, own, '--limit', '0', '--json', ...types]
  const options = { env: { PATH: process.env.PATH, ...variables }, maxBuffer: 2 ** 28 }
  const { stdout } = await run(process.execPath, words, options).catch(error => error)
  return JSON.parse(stdout)
}

async function judge(judgement, { name, source, edits, way, to, state, counts }) {
  const add = (what, wanted, found, isRight) => judgement.add(`${name}: ${what}`, wanted, found, isRight)
  const none = (what, list) =>
    add(
      what,
      'none',
      list.length === 0 ? 'none' : `${list.length}: ${list.slice(0, 5).join('; ')}`,
      list.length === 0,
    )
  const code = await to.stop()
  const again = await to.update()
  const { left } = again.changes
  const db = to.database()
  const records = await edits.records()
  const there = new Map(records.map(record => [named(record), record]))
  const isHere = id => db.prepare('select status from content_data where content_data_id = ?').get(id)
  const leftBy = new Map(left.map(one => [one.id, one.why]))

  add('the follower ended by Ctrl-C', '0', String(code), code === 0)
  const rest = [again.entries, again.changes.updated, again.changes.deleted].join(', ')
  const notes = again.notes.filter(note => /left out/.test(note))
  add('records left out', '', `${again.left_out} ${notes.join(' ')}`)
  add('new, changed, deleted in one more round', '0, 0, 0', rest, rest === '0, 0, 0')

  const roots = db
    .prepare(
      `select c.content_data_id as id, d.name as type from content_data c join datatypes d using (datatype_id)
       where c.content_data_id = c.root_id`,
    )
    .all()
  const linked = new Map()
  for (const { id, key } of db
    .prepare(
      'select content_data_id as id, source_key as key from source_ids where content_data_id is not null',
    )
    .all())
    linked.set(id, [...(linked.get(id) ?? []), key])
  const made = new Set()
  for (const slug of [...state.made, ...state.maybeMade]) {
    const id = source.madeHere.find(db, slug)
    if (id !== undefined) made.add(id)
    else if (state.made.has(slug)) state.refused.push(`${slug} was made here and is lost`)
  }
  none(
    'entries that are of no record there and were not made here',
    roots.filter(({ id }) => !linked.has(id) && !made.has(id)).map(({ type, id }) => `${type} ${id}`),
  )
  const ids = new Map()
  for (const record of records) {
    const id = entryOf(db, source, record)
    if (id !== undefined) ids.set(id, [...(ids.get(id) ?? []), named(record)])
  }
  none('entries that are of two records', [...ids.values()].filter(of => of.length > 1).map(String))
  const missing = records.filter(record => {
    const id = entryOf(db, source, record)
    return !state.deleted.has(named(record)) && (id === undefined || !isHere(id))
  })
  none('records that are not here', missing.map(named))
  none(
    'media that are of no file there',
    db
      .prepare(
        `select name from media where media_id not in (select media_id from source_ids where media_id is not null)`,
      )
      .all()
      .map(one => one.name),
  )
  const media = await edits.media()
  const described = media.map(({ id, alt }) => [id, alt, mediaOf(db, source, id)])
  none(
    'files whose alternative text differs',
    described.flatMap(([id, alt, own]) =>
      own && own.alt_text !== alt ? `${id}: ${alt}, here ${own.alt_text}` : [],
    ),
  )
  add('files there; here', '', `${media.length}; ${described.filter(([, , own]) => own).length}`)

  const lost = []
  for (const { record, id, value, maybe } of state.ours.values()) {
    const now = valueHere(db, id, source.field)
    if (isHere(id) && [value, ...maybe].includes(now)) continue
    if (value === undefined) continue
    lost.push(`${named(record)} has ${now} instead of ${value}${isHere(id) ? '' : ' and is gone'}`)
  }
  none('edits of ours that were overwritten', lost)
  add(
    'records changed here; deleted here; made here',
    '',
    `${state.ours.size}; ${state.deleted.size}; ${made.size}`,
  )
  none(
    'deleted here, and here again',
    [...state.deleted.values()]
      .filter(({ id, isSure }) => isSure && isHere(id))
      .map(({ record }) => named(record)),
  )

  const goneThere = [...state.gone].filter(key => !there.has(key))
  const gone = goneThere.map(key => {
    const [base, id] = key.split(' ')
    return { key, entry: entryOf(db, source, { base, id }) }
  })
  none(
    'deleted there and unchanged here, but still here',
    gone.filter(({ key, entry }) => entry && isHere(entry) && !state.ours.has(key)).map(({ key }) => key),
  )
  none(
    'deleted there and changed here, but not listed',
    gone
      .filter(
        ({ key, entry }) =>
          state.ours.has(key) && entry && isHere(entry) && leftBy.get(entry) !== 'deleted there',
      )
      .map(({ key }) => key),
  )

  const wrongState = []
  for (const record of records) {
    const key = named(record)
    if (state.ours.has(key) || state.deleted.has(key)) continue
    const entry = entryOf(db, source, record)
    const own = entry && isHere(entry)
    if (own && (own.status === 'published') !== record.isPublic) wrongState.push(`${key} is ${own.status}`)
  }
  none('records with another state', wrongState)

  const result = await compared({ source, way, to })
  writeFileSync(join(folder, `${name}-compare.json`), JSON.stringify(result, undefined, 1))
  const [others, unlisted, paths] = [[], [], new Counts()]
  const counted = { ours: 0, deleted: 0, excepted: 0 }
  const excepted = new Counts()
  const changed = new Set([...state.ours.keys(), ...state.deleted.keys()])
  const exceptions = await source.exceptions(edits, changed)
  for (const { list, id, isMissing, differences } of result.records) {
    const key = `${list} ${id}`
    const own = state.ours.get(key)
    const isException = ({ path }) => exceptions(list, id, path)
    for (const one of differences)
      if (isException(one)) excepted.add(`${list}: ${one.path.replace(/\d+/g, 'n')}`)
    const further = differences.filter(one => !isException(one) && !(own && source.shows(one.path)))
    if (!isMissing && !own && further.length === 0) {
      counted.excepted++
      continue
    }
    const text = isMissing
      ? `${key}: missing`
      : `${key}: ${further.map(one => `${one.path} ${JSON.stringify(one.old)} ${JSON.stringify(one.new)}`).join(', ')}`
    if (state.deleted.has(key)) counted.deleted++
    else if (own) {
      counted.ours++
      if ((isMissing || further.length > 0) && leftBy.get(own.id) !== 'changed on both sides')
        unlisted.push(text)
    } else {
      others.push(text)
      for (const { path } of further) paths.add(path.replace(/\d+/g, 'n'))
    }
  }
  const own = caller(`${to.url}/compat/${source.system}${source.root}`)
  none('other sides of relations that differ', (await source.related?.(edits, changed, own)) ?? [])
  const { compared: all, equal, different, missing: away } = result
  add('compare', '', `${all} compared: ${equal} equal, ${different} different, ${away} missing`)
  const named100 = result.records.length
  add(
    'of those that differ, changed here, deleted here, exceptions',
    'all',
    `${counted.ours}, ${counted.deleted}, ${counted.excepted} of ${different + away}`,
    others.length === 0 && named100 === different + away,
  )
  none('differ, and nobody has changed them here', others)
  if (paths.size > 0) add('in', '', paths)
  add('exceptions', '', excepted)
  none('differ in more than our edit, and are not listed', unlisted)
  const whys = new Counts()
  for (const { why } of left) whys.add(why)
  add('left as they are', '', whys)
  none(
    'left, and nobody has changed or deleted them here',
    left
      .filter(one => ![...state.ours.values(), ...state.deleted.values()].some(({ id }) => id === one.id))
      .map(one => JSON.stringify(one)),
  )
  none('refused', state.refused)
  add('what was done', '', counts)
  add('ends of the follower', '', to.ends)
  const errors = to.messages(50)
  add('error lines of the service', '0', errors.size === 0 ? '0' : errors, errors.size === 0)
  db.close()
  return again
}

async function follow(judgement, name, make, { seconds, entries, seed, strapi }) {
  register()
  const { fractions } = await import('../../test/support/random.ts')
  const random = randomOf(fractions(seed))
  // The follower's way is cut, that of the editors is not.
  const [way, free] = [await proxy(), await proxy()]
  const source = await make({ shown: way.url, documents: entries, random, strapi })
  way.targets = source.ports
  free.targets = source.ports
  await source.start()
  say(`${name}: the source has ${entries} documents`)
  const edits = source.editsOf(Object.assign(caller(free.url), { url: free.url }))
  await edits.refresh()
  const state = {
    ...{ there: (await edits.records()).filter(({ base }) => source.edited.includes(base)) },
    ...{ ours: new Map(), deleted: new Map(), gone: new Set(), changedThere: new Set() },
    ...{ made: new Set(), maybeMade: new Set(), refused: [], isAway: false },
  }
  const counts = new Counts()
  const to = await site(name, source, way.url + source.root)
  const first = to.database()
  await until(
    'the first entries are here',
    () => first.prepare('select 1 from source_ids').get() !== undefined,
    {
      ms: 300_000,
    },
  )
  first.close()
  const end = performance.now() + seconds * 1000
  const isOver = () => performance.now() > end
  const all = { source, edits, to, way, state, random, isOver, counts, seconds }
  await Promise.all([editThere({ ...all, pace: 700 }), editHere({ ...all, pace: 700 }), disturb(all)])
  say(`${name}: the edits are over`)
  way.mend()
  if (to.isOver) to.start()
  await settle(to)
  say(`${name}: the follower has taken everything`)
  // The mapping that the import prints is set, as an operator does.
  const { compat } = await to.update()
  const file = join(to.at, 'cms.config.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), compat }))
  await to.kill('SIGTERM')
  to.start()
  await to.ready()
  await judge(judgement, { ...all, name, way: free })
}

export async function trial(
  judgement,
  { seconds = 600, entries = 1000, parts = 'wordpress,strapi', seed = 27, strapi },
) {
  const known = {
    wordpress: async () => (await import('./follow-wordpress.mjs')).wordpress,
    strapi: async () => (await import('./follow-strapi.mjs')).strapi,
  }
  const names = parts.split(',')
  await Promise.all(
    names.map(async (name, i) =>
      follow(judgement, name, await known[name](), { seconds, entries, seed: seed + i, strapi }),
    ),
  )
}
